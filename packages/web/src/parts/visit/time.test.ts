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

test('labels of moments never overlap, and stay within the axis where they can', () => {
  const random = randomSource(3);
  for (let round = 0; round < 200; round++) {
    const width = 180 + random() * 800;
    const labels = Array.from({ length: 8 }, () => ({ text: 'first change 1,234 ms', x: random() * width }));
    const placed = placeLabels(labels, width).map(({ start, lane, text }) => ({ lane, start, end: start + text.length * 6.2 }));
    for (const [at, one] of placed.entries()) {
      assert.ok(one.start >= 0, 'not left of the axis');
      assert.ok(one.end <= width, 'not right of the axis');
      for (const other of placed.slice(at + 1)) {
        assert.ok(one.lane !== other.lane || one.end <= other.start || other.end <= one.start, 'two labels of a lane overlap');
      }
    }
  }
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
