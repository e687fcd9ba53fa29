import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completenessAt, halfway, lastChange, missingWords, progressPath, stepFor, stripCells, stripTimes } from './filmstrip.ts';

const frames = [
  { atMs: 100, completeness: 0.4, jpegBase64: 'a' },
  { atMs: 250, completeness: 1, jpegBase64: 'b' },
];
const progress = [
  { atMs: 100, completeness: 0.4 },
  { atMs: 180, completeness: 0.4 },
  { atMs: 250, completeness: 1 },
  { atMs: 900, completeness: 1 },
];

test('a strip shows at each time the newest frame, and marks what is new', () => {
  const cells = stripCells({ frames, progress }, [0, 100, 200, 300]);
  assert.deepEqual(
    cells.map(({ frame, isNew, completeness }) => [frame?.jpegBase64 ?? null, isNew, completeness]),
    [
      [null, false, 0],
      ['a', true, 0.4],
      ['a', false, 0.4],
      ['b', true, 1],
    ],
  );
  assert.deepEqual(stripCells({ frames, progress: null }, [300])[0]?.completeness, null);
});

test('the page is blank before its first frame, and stays as it is after the last', () => {
  assert.deepEqual([completenessAt(progress, 99), completenessAt(progress, 1e6), completenessAt([], 5)], [0, 1, 0]);
});

test('steps are round numbers, as many as fit', () => {
  assert.deepEqual([stepFor(500, 14), stepFor(4000, 14), stepFor(90, 14)], [50, 500, 10]);
  assert.deepEqual(stripTimes(250, 100), [0, 100, 200, 300]);
  assert.ok(stripTimes(1e7, stepFor(1e7, 14)).length <= 16);
});

test('the axis ends with the last change of any visit, not with the last frame that repeats it', () => {
  assert.equal(lastChange([{ frames, progress }]), 250);
  assert.equal(lastChange([{ frames, progress }, null, { frames: [], progress: [{ atMs: 700, completeness: 0.1 }] }]), 700);
  assert.equal(lastChange([]), 1);
});

test('the curve is drawn in steps, from nothing at navigation start to the end', () => {
  const path = progressPath(
    progress,
    300,
    (ms) => ms,
    (share) => 100 - 100 * share,
  );
  assert.equal(path, 'M0.0 100.0H100.0V60.0H180.0V60.0H250.0V0.0H300.0');
});

test('a curve is named at the step that brings half of the page', () => {
  assert.deepEqual(halfway(progress), { atMs: 250, completeness: 0.7 });
  assert.deepEqual(
    [halfway([{ atMs: 5, completeness: 0.8 }]), halfway([{ atMs: 5, completeness: 0.2 }])],
    [{ atMs: 5, completeness: 0.4 }, null],
  );
});

test('why nothing is seen is told with what to do about it', () => {
  const painted = (firstContentfulPaint: number | null) =>
    ({ outcome: { verdict: 'valid', metrics: { firstContentfulPaint } } }) as Parameters<typeof missingWords>[1];
  const valid = painted(null);
  assert.equal(missingWords({ frames, missing: null }, valid), null);
  assert.match(missingWords({ frames: [], missing: null }, valid) ?? '', /painted nothing/);
  assert.match(missingWords({ frames: [], missing: null }, painted(300)) ?? '', /from a video/);
  assert.match(missingWords({ frames: [], missing: 'not-kept' }, valid) ?? '', /--no-evidence.*runner\.keepEvidence/);
  assert.match(missingWords({ frames: [], missing: 'removed' }, valid) ?? '', /evidence\.budgetMb.*retention\.evidenceDays/);
  assert.match(missingWords({ frames: [], missing: 'lost' }, valid) ?? '', /missing or damaged/);
});
