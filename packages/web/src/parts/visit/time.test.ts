import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import type { Metrics } from '@pronghorn/core/schemas';
import { madeMetrics } from '../../../e2e/made-visits.ts';
import { barOf, momentsOf, moved, parseWindow, placeLabels, windowText, zoomed } from './timeline.ts';

test('moments stand in the order of their times, and those at one time are told as one', () => {
  const metrics = {
    ...madeMetrics('h2', randomSource(1)),
    ttfb: 10,
    firstPaint: 50,
    firstContentfulPaint: 50.2,
    largestContentfulPaint: null,
  };
  const moments = momentsOf(metrics as Metrics);
  assert.deepEqual(
    moments.slice(0, 2).map(({ name, ms }) => [name, ms]),
    [
      ['TTFB', 10],
      ['FP, FCP', 50],
    ],
  );
  assert.equal(
    moments.some(({ name }) => name.includes('LCP')),
    false,
  );
  assert.deepEqual(momentsOf(null), []);
});

test('labels of moments touch no other label and no line of their lane, stay within the axis, and the load event’s has one where it can', () => {
  const random = randomSource(3);
  let named = 0;
  for (let round = 0; round < 200; round++) {
    const width = 180 + random() * 800;
    const labels = Array.from({ length: 8 }, (_, index) => ({
      ...{ text: 'first change 1,234 ms', short: 'first change', x: random() * width, lane: index % 2, rank: index },
    }));
    const placed = placeLabels(labels, width).map((label) => ({ ...label, end: label.start + label.text.length * 6.2 }));
    for (const [at, one] of placed.entries()) {
      if (one.text === '') continue;
      named++;
      assert.ok(one.start >= 0 && one.end <= width, 'within the axis');
      for (const [index, other] of placed.entries()) {
        if (index === at || other.lane !== one.lane) continue;
        assert.ok(other.text === '' || one.end <= other.start || other.end <= one.start, 'two labels of a lane overlap');
        assert.ok(other.x <= one.start || other.x >= one.end, 'a line crosses a label');
      }
    }
  }
  assert.ok(named > 800, `${named} of 1600 have their label`);
  const [load, paint, far] = placeLabels(
    [
      { text: 'onLoad 739 ms', short: 'onLoad', x: 575, lane: 0, rank: 1 },
      { text: 'LCP 735 ms', short: 'LCP', x: 572, lane: 0, rank: 2 },
      { text: 'FCP 333 ms', short: 'FCP', x: 570, lane: 0, rank: 3 },
    ],
    700,
  );
  assert.deepEqual([load?.start, load?.text, paint?.text, far?.text], [575, 'onLoad 739 ms', '', 'FCP 333 ms']);
});

test('the window of time is what the address says, within the whole', () => {
  assert.deepEqual(parseWindow('', 500), { fromMs: 0, toMs: 500 });
  assert.deepEqual(parseWindow('100-250.5', 500), { fromMs: 100, toMs: 250.5 });
  assert.deepEqual(parseWindow('100-9999', 500), { fromMs: 100, toMs: 500 });
  for (const nonsense of ['300-200', 'x', '600-900', '-5-3', '1-1.5'])
    assert.deepEqual(parseWindow(nonsense, 500), { fromMs: 0, toMs: 500 });
  assert.equal(windowText({ fromMs: 0, toMs: 500 }, 500), '');
  assert.deepEqual(parseWindow(windowText({ fromMs: 12.34, toMs: 99.96 }, 500), 500), { fromMs: 12.3, toMs: 100 });
});

test('zooming keeps the moment under it in its place, and never leaves the load', () => {
  assert.deepEqual(zoomed({ fromMs: 0, toMs: 400 }, 0.5, 100, 400), { fromMs: 50, toMs: 250 });
  assert.deepEqual(zoomed({ fromMs: 300, toMs: 400 }, 100, 350, 400), { fromMs: 0, toMs: 400 });
  assert.deepEqual(moved({ fromMs: 300, toMs: 400 }, 0.5, 400), { fromMs: 300, toMs: 400 });
  assert.deepEqual(moved({ fromMs: 300, toMs: 400 }, -0.5, 400), { fromMs: 250, toMs: 350 });
  const tiny = zoomed({ fromMs: 10, toMs: 11 }, 0.5, 10.5, 400);
  assert.ok(tiny.toMs - tiny.fromMs >= 1);
});

test('a bar is cut at the edges of what is shown, and gone beyond them', () => {
  const window = { fromMs: 100, toMs: 200 };
  assert.deepEqual(barOf(window, 50, 150), { left: '0.000%', width: 'max(1px, 50.000%)' });
  assert.deepEqual(barOf(window, 150, 1e6), { left: '50.000%', width: 'max(1px, 50.000%)' });
  assert.deepEqual([barOf(window, 0, 99), barOf(window, 201, 300)], [null, null]);
});
