import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nightDistributions } from '../../fixtures/night-distributions.ts';
import { randomSource } from '../math/random.ts';
import { samples } from '../testing/proves.ts';
import { falseAlarmShare, findRegressions, hasEnoughRuns, type NightSeries } from './regression.ts';

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

const campaigns = samples(300, 1_000);

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
      const found = shareOf(campaigns, () => findRegressions(nightsOf(draw, { nights, series, spread: 0.15 }, 1, shared), 0.1).length > 0);
      const luck = 3 * Math.sqrt((rate * (1 - rate)) / campaigns);
      assert.ok(found <= rate + luck && found >= rate / 3, `${name}, ${nights} nights, ${series} series: ${found}, of ${rate}`);
    }
  }
});

/** Nights that resemble the one before by 0.6. */
function alikeNights(draw: () => number, { nights, series, spread }: Night): NightSeries[] {
  return Array.from({ length: series }, () => {
    let noise = draw();
    return {
      medians: Array.from({ length: nights }, () => {
        noise = 0.6 * noise + 0.8 * draw();
        return 1000 * Math.exp(spread * noise);
      }),
    };
  });
}

test('from 20 nights before on, nights that resemble their neighbours cost little; of fewer they cost much', () => {
  const draw = nightDistributions(randomSource(20_260_302)).normal;
  const found = (nights: number) =>
    shareOf(800, () => findRegressions(alikeNights(draw, { nights, series: 6, spread: 0.15 }), 0.1).length > 0);
  const [many, few] = [found(30), found(16)];
  assert.ok(many < 0.09, `28 before: ${many}`);
  assert.ok(few > 0.15, `14 before: ${few}`);
});

test('neighbours alone are the reference once there are 21 pairs of them: 20 nights before the latest two', () => {
  const nights = (before: number) => [{ medians: [...Array.from({ length: before }, (_, i) => 1000 + ((i * 7) % 11)), 1300, 1310] }];
  const p = (before: number) => findRegressions(nights(before), 0.1)[0]?.p;
  assert.equal(p(19), 1 / 210);
  assert.equal(p(20), 1 / 21);
  assert.equal(p(28), 1 / 29);
});

test('a site that came later is compared by its own nights: all pairs of few, and of one with gaps only the pairs that it has', () => {
  const long = Array.from({ length: 28 }, (_, i) => 1000 + ((i * 7) % 11));
  const late = long.map((value, i) => (i < 21 ? Number.NaN : value));
  const found = (medians: number[]) => findRegressions([{ medians: [...long, 1001, 1002] }, { medians }], 0.1)[0];
  assert.deepEqual([found([...late, 1300, 1310])?.p, found([...late, 1300, 1310])?.baselineRuns], [1 / 36, 7]);
  // Night 10 is lost, and the two pairs that it is in.
  assert.equal(found([...long.with(10, Number.NaN), 1300, 1310])?.p, 1 / 27);
  // 1 ÷ 15 of six nights is above 5 %, whatever pairs others have.
  assert.equal(found([...late.map((value, i) => (i < 24 ? Number.NaN : value)), 1300, 1310]), undefined);
});

test('false alarms are at most as many as p has values below the level', () => {
  for (const [before, share] of [
    [5, 1 / 21],
    [7, 1 / 36],
    [14, 5 / 120],
    [19, 10 / 210],
    [20, 1 / 21],
    [28, 1 / 29],
    [38, 1 / 39],
    [39, 1 / 40],
    [40, 2 / 41],
    [60, 3 / 61],
  ] as const) {
    assert.equal(falseAlarmShare(before), share, `${before} before`);
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
      since: 7,
    },
  );
});

test('a regression began with the first campaign of the run that is worse, whatever is missing among them', () => {
  const since = (...medians: number[]) => findRegressions([{ medians: [...steady, ...steady, ...medians] }], 0.1)[0]?.since;
  assert.equal(since(1300, 1310), 14);
  assert.equal(since(1290, 1300, 1310), 14);
  assert.equal(since(1300, Number.NaN, 1310, 1290), 14);
  assert.equal(since(1300, 1005, 1310, 1290), 16, 'a night at the old level ends a run');
  assert.equal(since(1100, 1310, 1290), 15, 'less than half of the step is none of it');
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
  assert.deepEqual([first, second, third].map(hasEnoughRuns), [true, false, false]);
});

test('a metric that is 0 has no ratio, and is passed over', () => {
  assert.deepEqual(findRegressions([{ medians: [0, 0, 0, 0, 0, 0, 0, 3, 3] }], 0.1), []);
});

test('huge numbers lose no digits', () => {
  const [small] = findRegressions([{ medians: [...steady, 1300, 1300] }], 0.1);
  const [huge] = findRegressions([{ medians: [...steady, 1300, 1300].map((value) => value * 1e12) }], 0.1);
  assert.ok(Math.abs((huge?.change ?? 0) - (small?.change ?? 1)) < 1e-9);
});
