import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nightDistributions } from '../../fixtures/night-distributions.ts';
import { randomSource } from '../random.ts';
import { findRegressions, type NightSeries } from './regression.ts';

type Night = { nights: number; series: number; spread: number };

/** Medians around 1,000 ms; what changes, changes in the latest two nights of the first series. */
function nightsOf(draw: () => number, { nights, series, spread }: Night, factor = 1, shared = 0): NightSeries[] {
  const common = Array.from({ length: nights }, draw);
  return Array.from({ length: series }, (_, place) => ({
    medians: common.map((ofNight, night) => {
      const noise = Math.sqrt(shared) * ofNight + Math.sqrt(1 - shared) * draw();
      return 1000 * Math.exp(spread * noise) * (place === 0 && night >= nights - 2 ? factor : 1);
    }),
  }));
}

const shareOf = (times: number, happens: () => boolean) => Array.from({ length: times }, happens).filter(Boolean).length / times;

test('where nothing changed at most 5 % of campaigns name any series, however nights are spread', () => {
  for (const name of ['normal', 'heavyTailed', 'contaminated', 'skewed', 'verySkewed'] as const) {
    for (const { nights, series, shared, rate } of [
      { nights: 9, series: 1, shared: 0, rate: 1 / 36 },
      { nights: 9, series: 24, shared: 0, rate: 1 / 36 },
      { nights: 9, series: 24, shared: 0.7, rate: 1 / 36 },
      { nights: 16, series: 24, shared: 0, rate: 5 / 120 },
    ]) {
      const draw = nightDistributions(randomSource(20_260_301))[name];
      // A spread of 15 % leaves all to the test: a change of 10 % is no hurdle then.
      const found = shareOf(1_000, () => findRegressions(nightsOf(draw, { nights, series, spread: 0.15 }, 1, shared), 0.1).length > 0);
      const luck = 3 * Math.sqrt((rate * (1 - rate)) / 1_000);
      assert.ok(found <= rate + luck && found >= rate / 3, `${name}, ${nights} nights, ${series} series: ${found}, of ${rate}`);
    }
  }
});

test('a page that takes 20 % longer is found, and no other with it', () => {
  for (const [nights, series, spread, least] of [
    [9, 1, 0.03, 0.95],
    [9, 6, 0.03, 0.9],
    [9, 24, 0.02, 0.95],
    [16, 24, 0.03, 0.95],
  ] as const) {
    const draw = nightDistributions(randomSource(7)).normal;
    const found = Array.from({ length: 300 }, () => findRegressions(nightsOf(draw, { nights, series, spread }, 1.2), 0.1));
    const power = found.filter((regressions) => regressions.some(({ place }) => place === 0)).length / 300;
    assert.ok(power >= least, `${nights} nights, ${series} series, spread ${spread}: ${power}`);
    assert.ok(found.filter((regressions) => regressions.some(({ place }) => place > 0)).length / 300 <= 0.05);
  }
});

const steady = [1000, 1010, 990, 1005, 995, 1002, 998];

test('a regression is told with its size, its baseline and how far nights differ anyway', () => {
  const [found, ...others] = findRegressions([{ medians: [...steady, 1250, 1200] }], 0.1);
  assert.deepEqual(others, []);
  const logs = steady.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / 7;
  const spread = Math.sqrt(logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 6);
  assert.equal(spread < 0.01, true);
  assert.deepEqual(
    { ...found, baseline: Math.round(found?.baseline ?? 0), change: found?.change.toFixed(6) },
    {
      place: 0,
      change: (1200 / Math.exp(mean) - 1).toFixed(6),
      p: 1 / 36,
      baseline: 1000,
      baselineRuns: 7,
      spread: 0.01,
    },
  );
});

test('one slow night is no regression, two are; a small change and a faster page are none', () => {
  const named = (medians: number[]) => findRegressions([{ medians }], 0.1).length;
  assert.equal(named([...steady, 1002, 1300]), 0);
  assert.equal(named([...steady, 1300, 1300]), 1);
  assert.equal(named([...steady, 1080, 1080]), 0);
  assert.equal(named([...steady, 700, 700]), 0);
});

test('fewer than five nights before the latest two say nothing', () => {
  assert.deepEqual(findRegressions([{ medians: [1000, 1001, 1002, 1003, 2000, 2000] }], 0.1), []);
  assert.equal(findRegressions([{ medians: [1000, 1001, 1002, 1003, 1004, 2000, 2000] }], 0.1).length, 1);
  assert.deepEqual(findRegressions([], 0.1), []);
});

test('a series without a number in some night is compared by the others, and passed over where the latest are missing', () => {
  const lost = Number.NaN;
  const [first, second, third] = [
    { medians: [1000, lost, 990, 1005, 995, lost, 998, 1300, 1300] },
    { medians: [...steady, lost, 1300] },
    { medians: [lost, lost, lost, lost, 1000, 1001, 1002, 1300, 1300] },
  ];
  assert.deepEqual(
    findRegressions([first, second, third], 0.1).map(({ place, baselineRuns }) => [place, baselineRuns]),
    [[0, 5]],
  );
});

test('a metric that is 0 has no ratio, and is passed over', () => {
  assert.deepEqual(findRegressions([{ medians: [0, 0, 0, 0, 0, 0, 0, 3, 3] }], 0.1), []);
});

test('huge numbers lose no digits', () => {
  const [small] = findRegressions([{ medians: [...steady, 1300, 1300] }], 0.1);
  const [huge] = findRegressions([{ medians: [...steady, 1300, 1300].map((value) => value * 1e12) }], 0.1);
  assert.ok(Math.abs((huge?.change ?? 0) - (small?.change ?? 1)) < 1e-9);
});
