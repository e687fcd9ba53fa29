import assert from 'node:assert/strict';
import test from 'node:test';
import type { Visit } from '@pronghorn/core/schemas';
import type { DemoSite } from '@pronghorn/origin';
import { truthTable } from './ground-truth.ts';

const site = {
  name: 'made',
  truth: { onLoadMs: 1000, speedIndexMs: 1000, largestContentfulPaintMs: null, firstVisualChangeMs: 1000 },
} as DemoSite;
/** Each visit's onLoad is right; its SpeedIndex is late by so much. */
const visitsLateBy = (lateMs: readonly number[]) =>
  lateMs.map((late) => {
    const metrics = {
      ttfb: 10,
      onLoad: 1010,
      largestContentfulPaint: null,
      speedIndex: 1010 + late,
      firstContentfulPaint: null,
      firstVisualChange: null,
    };
    return { protocol: 'h2', outcome: { verdict: 'valid', metrics } } as Visit;
  });
const judged = (lateMs: readonly number[]) => {
  const { text, missed, open } = truthTable([{ site, visits: visitsLateBy(lateMs) }], ['h2']);
  return { word: /SpeedIndex.*?(\w+)$/m.exec(text)?.[1], missed, open };
};
const spread = [-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6];

test('a median within two frames is within', () => {
  assert.deepEqual(judged(spread.map((ms) => 30 + ms)), { word: 'within', missed: 0, open: 0 });
});

test('one beyond them by less than its visits tell is open, and by more it has missed the goal', () => {
  assert.deepEqual(judged(spread.map((ms) => 34.5 + ms)), { word: 'open', missed: 0, open: 1 });
  assert.deepEqual(judged(spread.map((ms) => 40 + ms)), { word: 'MISSED', missed: 1, open: 0 });
  assert.deepEqual(judged(spread.map((ms) => -40 + ms)), { word: 'MISSED', missed: 1, open: 0 });
});

test('one visit beyond the goal tells little, and none misses it', () => {
  assert.deepEqual(judged([40]), { word: 'few', missed: 0, open: 1 });
  assert.equal(truthTable([{ site, visits: [] }], ['h2']).missed, 2);
});

test('a value where there can be none misses the goal', () => {
  const moving = { ...site, truth: { ...site.truth, speedIndexMs: null } } as DemoSite;
  assert.equal(truthTable([{ site: moving, visits: visitsLateBy([0, 0]) }], ['h2']).missed, 1);
  const none = visitsLateBy([0]).map(
    (visit) =>
      ({
        ...visit,
        outcome: {
          verdict: 'valid',
          metrics: {
            ttfb: 10,
            onLoad: 1010,
            speedIndex: null,
            largestContentfulPaint: null,
            firstContentfulPaint: null,
            firstVisualChange: null,
          },
        },
      }) as unknown as Visit,
  );
  const { text, missed } = truthTable([{ site: moving, visits: none }], ['h2']);
  assert.match(text, /SpeedIndex +h2 +0 +none .* none, rightly$/m);
  assert.equal(missed, 0);
});
