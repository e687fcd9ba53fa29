import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { proportion } from '../math/proportion.ts';
import { type RandomSource, randomSource } from '../math/random.ts';
import { signedRankTest } from '../math/signed-rank.ts';
import { Calibration } from '../schemas/calibration.ts';
import { type AaRound, calibration, judgeCalibration } from './calibration.ts';

const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Rounds of a machine that does what it should: milliseconds, 4 % of noise, now and then an outlier. */
function calmRounds(count: number, seed: number): AaRound[] {
  const random = randomSource(seed);
  const visit = () => Math.round(10_000 * Math.exp(0.04 * normal(random)) * (random() < 0.02 ? 1.5 : 1)) / 10;
  return Array.from({ length: count }, () => ({ first: visit(), second: visit() }));
}

/** As if nothing else had been measured. */
const calibrated = (rounds: readonly AaRound[], options: Partial<Parameters<typeof calibration>[1]> = {}) => {
  const found = calibration(rounds, { seed: 1, plannedRounds: [], ...options });
  assert.ok(found);
  return judgeCalibration([found], []).calibrations[0] ?? assert.fail();
};

test('200 rounds of a calm machine: near nominal, nothing to caution, and the numbers are in the words', () => {
  const found = calibrated(calmRounds(200, 31), { plannedRounds: [5, 10, 20, 50, 100] });
  assert.ok(Value.Check(Calibration, found));
  assert.deepEqual(found.cautions, []);
  assert.deepEqual(
    found.subCampaigns.map(({ rounds, count, roundsLeftOut }) => [rounds, count, roundsLeftOut]),
    [
      [10, 20, 0],
      [20, 10, 0],
    ],
  );
  const { count, low, high, expected } = found.subCampaigns[0]?.falsePositives ?? assert.fail();
  assert.ok(low <= 0.05 && high >= 0.05 && count <= 3);
  // 50 of 1024 sign patterns.
  assert.equal(expected, 50 / 1024);
  assert.ok((found.whole.low ?? 0) < 0 && (found.whole.high ?? 0) > 0 && found.whole.p > 0.05);
  assert.match(
    found.words,
    /^In 20 sub-campaigns of 10 rounds \d would have named a winner where there is none: \d+ % \(95 % interval [\d.]+ % to [\d.]+ %; the test’s own rate is 4\.9 %\)\. With 80 % power 10 rounds detect a difference of [\d.]+ %, 20 of [\d.]+ %, 50 of [\d.]+ %, 100 of [\d.]+ %\.$/,
  );
  const [five, ...others] = found.detectable.map(({ relative }) => relative);
  assert.equal(five, null);
  assert.deepEqual(
    others,
    others.toSorted((a, b) => (b ?? 0) - (a ?? 0)),
  );
  assert.ok((others[0] ?? 0) > 0.02 && (others[0] ?? 1) < 0.12);
});

test('over many calm campaigns false positives are as many as the test makes by chance, and cautions as rare', () => {
  const found = Array.from({ length: 60 }, (_, i) => calibrated(calmRounds(120, 100 + i)));
  for (const place of [0, 1]) {
    const all = found.flatMap(({ subCampaigns }) => subCampaigns[place] ?? []);
    const count = all.reduce((sum, { falsePositives }) => sum + falsePositives.count, 0);
    const { low, high } = proportion(
      count,
      all.reduce((sum, one) => sum + one.count, 0),
      0.99,
    );
    const { expected } = all[0]?.falsePositives ?? assert.fail();
    assert.ok(low <= expected && high >= expected, `${count}: ${low} to ${high}, expected ${expected}`);
  }
  // At 5 % of each, 3 expected.
  const cautioned = found.filter(({ cautions }) => cautions.length > 0);
  assert.ok(cautioned.length <= 8, cautioned.flatMap(({ cautions }) => cautions).join('\n'));
});

test('the more is tested together, the smaller p must be for a caution', () => {
  const shifted = calibration(
    calmRounds(200, 31).map(({ first, second }) => ({ first, second: second * 1.012 })),
    { seed: 1, plannedRounds: [] },
  );
  const calm = Array.from({ length: 20 }, (_, i) => calibration(calmRounds(200, 500 + i), { seed: 1, plannedRounds: [] }));
  assert.ok(shifted && calm.every((one) => one !== null));
  const cautionsAmong = (others: number) =>
    judgeCalibration([shifted, ...calm.slice(0, others).flatMap((one) => one ?? [])], []).calibrations[0]?.cautions.length ?? 0;
  assert.ok(shifted.whole.p < 0.05 / 7 && shifted.whole.p > 0.05 / 140, `${shifted.whole.p}`);
  assert.deepEqual([cautionsAmong(0) > 0, cautionsAmong(19)], [true, 0]);
});

test('sub-campaigns are runs of rounds in the order of time, and what is left over is said', () => {
  const rounds = calmRounds(47, 32);
  const { subCampaigns } = calibrated(rounds, { subCampaignRounds: [15, 8, 60] });
  assert.deepEqual(
    subCampaigns.map(({ rounds: size, count, roundsLeftOut }) => [size, count, roundsLeftOut]),
    [
      [15, 3, 2],
      [8, 5, 7],
    ],
  );
  const second = rounds.slice(15, 30).map(({ first, second }) => Math.log(second / first));
  assert.equal(subCampaigns[0]?.ps[1], signedRankTest(second).p);
});

test('a drifting machine is said to drift, and comparisons within rounds stand it', () => {
  const drifting = calmRounds(200, 33).map(({ first, second }, i) => ({ first: first * (1 + i / 1000), second: second * (1 + i / 1000) }));
  const found = calibrated(drifting);
  assert.ok(found.drift && found.drift.p < 1e-6 && found.drift.change > 0.12 && found.drift.change < 0.28);
  assert.equal(found.cautions.length, 1);
  assert.match(found.cautions[0] ?? '', /^Values drifted up, by \d+ % from the first round to the last \(Mann–Kendall, p < 0\.001\)\./);
  assert.ok(Math.abs(found.spread.stdev - calibrated(calmRounds(200, 33)).spread.stdev) < 1e-12);
});

test('a slot that is favoured is found: by the whole, by the sub-campaigns and by their p-values', () => {
  const biased = calmRounds(200, 34).map(({ first, second }) => ({ first, second: second * 1.06 }));
  const found = calibrated(biased);
  assert.ok((found.whole.low ?? 1) < 0.06 && (found.whole.high ?? 0) > 0.06 && found.whole.p < 1e-6);
  const [tens] = found.subCampaigns;
  assert.ok((tens?.falsePositives.low ?? 0) > 0.05 && (tens?.uniformity.p ?? 1) < 0.001);
  assert.match(found.cautions.join('\n'), /The second slot is [\d.]+ % larger than the first over all 200 rounds \(p < 0\.001\)/);
  assert.match(found.cautions.join('\n'), /Campaigns of 10 rounds name a winner more often than the 5 %/);
  assert.match(found.cautions.join('\n'), /sub-campaigns of 10 rounds are not uniform/);
});

test('rounds that hang together are found, and make false winners', () => {
  const random = randomSource(35);
  let lean = 0;
  const wandering = Array.from({ length: 200 }, () => {
    lean = 0.9 * lean + 0.02 * normal(random);
    return { first: 300, second: 300 * Math.exp(lean + 0.01 * normal(random)) };
  });
  const { autocorrelation, subCampaigns, cautions } = calibrated(wandering);
  assert.ok(autocorrelation && autocorrelation.coefficient > 0.5 && autocorrelation.p < 0.001);
  assert.ok((subCampaigns[0]?.falsePositives.low ?? 0) > 0.05);
  assert.match(cautions.join('\n'), /Neighbouring rounds are not independent \(correlation 0\.\d+, p < 0\.001\)/);
});

test('visits exchanged: the same ps and the same spread; the same rounds and seed: the same calibration', () => {
  const rounds = calmRounds(60, 36);
  const [found, exchanged] = [calibrated(rounds), calibrated(rounds.map(({ first, second }) => ({ first: second, second: first })))];
  assert.deepEqual(calibrated(rounds), found);
  assert.deepEqual(
    exchanged.subCampaigns.map(({ ps }) => ps),
    found.subCampaigns.map(({ ps }) => ps),
  );
  assert.ok(Math.abs(exchanged.spread.stdev - found.spread.stdev) < 1e-12);
  assert.deepEqual(exchanged.drift, found.drift);
});

test('a unit does not matter', () => {
  const rounds = calmRounds(40, 37);
  const [ms, seconds] = [
    calibrated(rounds),
    calibrated(rounds.map(({ first, second }) => ({ first: first / 1024, second: second / 1024 }))),
  ];
  assert.equal(seconds.words, ms.words);
  assert.deepEqual(seconds.cautions, ms.cautions);
});

test('rounds that are alike to the digit have no noise to plan with, and a winner is never named', () => {
  const found = calibrated(
    Array.from({ length: 30 }, () => ({ first: 250, second: 250 })),
    { plannedRounds: [10, 100] },
  );
  assert.ok(Value.Check(Calibration, found));
  assert.deepEqual(found.whole, { p: 1, relative: 0, low: 0, high: 0 });
  assert.deepEqual([found.drift, found.autocorrelation], [null, null]);
  assert.ok(found.detectable.every(({ relative }) => relative === null));
  assert.equal(
    found.words,
    'In 3 sub-campaigns of 10 rounds 0 would have named a winner where there is none: 0 % (95 % interval 0 % to 71 %; the test’s own rate is 4.9 %).',
  );
});

test('few rounds are said to be few, and fewer than ten are none', () => {
  assert.match(calibrated(calmRounds(10, 38)).cautions.join(), /10 rounds say little/);
  assert.match(calibrated(calmRounds(12, 38), { subCampaignRounds: [50] }).words, /^12 rounds are too few to tell how often/);
  assert.equal(calibration(calmRounds(9, 38), { seed: 1 }), null);
  assert.equal(calibration([], { seed: 1 }), null);
});

test('what has no logarithm is refused with its place', () => {
  const rounds = calmRounds(20, 39);
  assert.throws(() => calibration(rounds.with(3, { first: 0, second: 5 }), { seed: 1 }), {
    name: 'RangeError',
    message: 'calibration: first of round 3 of 20 is 0, expected a positive number',
  });
  assert.throws(() => calibration(rounds.with(4, { first: 1, second: Number.NaN }), { seed: 1 }), /second of round 4 of 20 is NaN/);
  assert.throws(() => calibration(rounds, { seed: 1, subCampaignRounds: [0] }), /a size is 0, expected a positive integer/);
});
