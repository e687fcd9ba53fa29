import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truthOf, truthPages, viewportRows } from './truth.ts';

const named = (name: string) => {
  const page = truthPages.find((candidate) => candidate.name === name);
  assert.ok(page);
  return truthOf(page);
};

test('bands fill the viewport exactly', () => {
  for (const { name, objects } of truthPages) {
    assert.equal(
      objects.reduce((sum, { rows, kind }) => sum + (kind === 'cover' ? 0 : rows), 0),
      viewportRows,
      name,
    );
  }
});

test('no page needs more than the connections that h1 has', () => {
  for (const { name, objects } of truthPages) assert.ok(objects.length <= 5, name);
});

test('SpeedIndex is the area above the curve of completeness', () => {
  assert.equal(named('single').speedIndexMs, 1000);
  assert.equal(named('late-load').speedIndexMs, 400);
  // By hand, missing share times its time: 1 × 250, then 504, 328 and 152 of 768 rows.
  assert.ok(Math.abs((named('steps').speedIndexMs ?? 0) - (250 + (504 * 350 + 328 * 400 + 152 * 500) / 768)) < 1e-9);
});

test('onLoad waits for hidden objects and not for what a script fetches', () => {
  assert.deepEqual(named('late-load'), {
    ...{ onLoadMs: 1200, speedIndexMs: 400, largestContentfulPaintMs: null, firstVisualChangeMs: 400, lastVisualChangeMs: 400 },
  });
  const early = named('early-load');
  assert.deepEqual([early.onLoadMs, early.firstVisualChangeMs, early.lastVisualChangeMs], [300, 300, 900]);
});

test('what is covered is not the picture that stays, and a carousel has none', () => {
  // A third at 1,000 ms, the rest at 600.
  assert.equal(named('swap').speedIndexMs, (264 * 1000 + 504 * 600) / 768);
  assert.deepEqual([named('swap').largestContentfulPaintMs, named('swap').firstVisualChangeMs], [1000, 300]);
  assert.deepEqual([named('slides').speedIndexMs, named('slides').largestContentfulPaintMs], [null, 300]);
  assert.deepEqual([named('timer').onLoadMs, named('timer').lastVisualChangeMs], [300, 1500]);
});
