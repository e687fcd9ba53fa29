import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../math/random.ts';
import { samples } from '../testing/proves.ts';
import { type Compared, compare, logRatios, type Pair, pairedTest } from './comparison.ts';

const pairsOf = (candidate: readonly number[], baseline: readonly number[]): Pair[] =>
  candidate.map((value, round) => ({ candidate: value, baseline: baseline[round] as number }));

function comparedOf(candidate: readonly number[], baseline: readonly number[], pairs = pairsOf(candidate, baseline)): Compared {
  const samples = { candidateValues: candidate, baselineValues: baseline, pairs, confirmatory: true };
  return compare({ metric: 'onLoad', candidate: 'h3', baseline: 'h2', ...samples }, { margin: 0.05, seed: 1 });
}

const closeTo = (actual: number | null | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-12, `${actual}, expected ${expected}`);

test('rounds in which h3 takes nine tenths of the time are told so by every number', () => {
  const h2 = [1000, 1100, 1200, 1300, 1400, 1500];
  const found = comparedOf(
    h2.map((ms) => 0.9 * ms),
    h2,
  );
  closeTo(found.delta?.value, -0.1);
  closeTo(found.delta?.low, -0.1);
  closeTo(found.medianDifference?.value, -125);
  closeTo(found.relativeMedianDifference, -0.1);
  for (const share of [found.shift?.value, found.shift?.low, found.shift?.high, found.equivalence?.low]) closeTo(share, -0.1);
  // All six differences have one sign, and all are tied at 3.5: 2 of the 64 sign patterns are as extreme.
  assert.deepEqual(found.signedRank, {
    p: 2 / 64,
    familyP: 2 / 64,
    adjustedP: 2 / 64,
    statistic: 0,
    rankBiserial: -1,
    category: 'large',
    method: 'exact',
  });
  assert.equal(found.equivalence?.equivalent, false);
  assert.equal(found.rounds, 6);
  assert.equal(found.confidence, 0.95);
});

test('exchanging the protocols turns every sign, and leaves p and equivalence as they are', () => {
  const random = randomSource(4);
  for (let i = 0; i < 50; i++) {
    const [first, second] = [1, 2].map(() => Array.from({ length: 8 }, () => 100 + Math.round(900 * random()))) as [number[], number[]];
    const [there, back] = [comparedOf(first, second), comparedOf(second, first)];
    closeTo(back.delta?.value, -(there.delta?.value ?? 0));
    closeTo(back.hodgesLehmannShift?.low, -(there.hodgesLehmannShift?.high ?? 0));
    closeTo((1 + (there.shift?.value ?? 0)) * (1 + (back.shift?.value ?? 0)), 1);
    closeTo((1 + (there.shift?.low ?? 0)) * (1 + (back.shift?.high ?? 0)), 1);
    closeTo(back.signedRank?.rankBiserial, -(there.signedRank?.rankBiserial ?? 0));
    assert.equal(back.signedRank?.p, there.signedRank?.p);
    assert.equal(back.mannWhitney?.p, there.mannWhitney?.p);
    assert.equal(back.equivalence?.equivalent, there.equivalence?.equivalent);
  }
});

test('the unit does not matter', () => {
  const [h3, h2] = [
    [310, 290, 305, 420, 280, 333, 301],
    [320, 300, 290, 480, 310, 350, 299],
  ];
  const inSeconds = (ms: number[]) => ms.map((value) => value / 1000);
  const [byMs, bySeconds] = [comparedOf(h3, h2), comparedOf(inSeconds(h3), inSeconds(h2))];
  closeTo(bySeconds.shift?.value, byMs.shift?.value ?? 0);
  closeTo(bySeconds.delta?.low, byMs.delta?.low ?? 0);
  assert.deepEqual(bySeconds.signedRank, byMs.signedRank);
});

test('shift and rank-biserial correlation never have opposite signs, with ties and rounds without a difference too', () => {
  const random = randomSource(5);
  for (let i = 0; i < samples(1_000, 3_000); i++) {
    const n = 1 + Math.floor(20 * random());
    // Whole milliseconds around 20: many ties, many zeros.
    const draw = () => Array.from({ length: n }, () => 18 + Math.floor(5 * random()));
    const { shift, signedRank } = comparedOf(draw(), draw());
    assert.ok((shift?.value ?? 0) * (signedRank?.rankBiserial ?? 0) > -1e-12, JSON.stringify({ shift, signedRank }));
  }
});

test('without ties the test rejects exactly where the interval of the shift leaves out 0', () => {
  const random = randomSource(6);
  let rejections = 0;
  for (let i = 0; i < 500; i++) {
    const n = 6 + Math.floor(15 * random());
    const { shift, signedRank } = comparedOf(
      Array.from({ length: n }, () => 90 + 20 * random()),
      Array.from({ length: n }, () => 93 + 20 * random()),
    );
    const rejects = (signedRank?.p ?? 1) <= 0.05;
    if (rejects) rejections++;
    assert.equal((shift?.low ?? -1) > 0 || (shift?.high ?? 1) < 0, rejects);
  }
  assert.ok(rejections > 50);
});

test('where a round has a 0 there are no ratios: differences are tested, and there is neither shift nor equivalence', () => {
  const found = comparedOf([0, 10, 20, 30, 40, 50], [5, 20, 35, 50, 65, 80]);
  assert.equal(found.signedRank?.p, 2 / 64);
  assert.equal(found.signedRank?.rankBiserial, -1);
  assert.equal(found.shift, null);
  assert.equal(found.equivalence, null);
  assert.ok(found.delta !== null && found.medianDifference !== null && found.hodgesLehmannShift !== null);
  assert.equal(logRatios(pairsOf([0], [1])), null);
  assert.equal(logRatios([]), null);
});

test('where all is 0 nothing differs, and what would divide by it is null', () => {
  const found = comparedOf([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]);
  assert.equal(found.signedRank?.p, 1);
  assert.equal(found.signedRank?.rankBiserial, 0);
  assert.equal(found.delta, null);
  assert.equal(found.relativeMedianDifference, null);
  assert.deepEqual(found.medianDifference, { value: 0, low: 0, high: 0 });
});

test('visits without a partner in their round count for the medians and not for the test', () => {
  const found = comparedOf([100, 200, 900], [300, 400], [{ candidate: 100, baseline: 300 }]);
  assert.equal(found.rounds, 1);
  assert.equal(found.delta?.value, (200 - 350) / 350);
  assert.equal(found.signedRank?.p, 1);
  assert.deepEqual([found.delta?.low, found.shift?.low, found.equivalence], [null, null, null]);
});

test('a share of a median of 0 is no 0 ms', () => {
  const found = comparedOf([113], [100, 0, 0], [{ candidate: 113, baseline: 100 }]);
  closeTo(found.shift?.value, 0.13);
  assert.equal(found.shiftAtMedian, null);
});

test('without values on one side there is nothing but their absence', () => {
  const { confidence, confirmatory, ...found } = comparedOf([], [100, 200], []);
  assert.deepEqual([confidence, confirmatory], [0.95, true]);
  assert.deepEqual(found, {
    metric: 'onLoad',
    candidate: 'h3',
    baseline: 'h2',
    rounds: 0,
    failures: { rounds: 0, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 }, p: null, words: '' },
    delta: null,
    deltaClass: null,
    deltaClassIsSure: false,
    medianDifference: null,
    relativeMedianDifference: null,
    shift: null,
    shiftAtMedian: null,
    shiftConfidence: 0.95,
    hodgesLehmannShift: null,
    signedRank: null,
    mannWhitney: null,
    equivalence: null,
    byQuantile: null,
    practical: false,
  });
  assert.equal(pairedTest([]), null);
});

test('practical significance takes all three: p, the correlation, and a tenth between the medians', () => {
  const baseline = Array.from({ length: 12 }, (_, i) => 1000 + i);
  const by = (factor: number) =>
    comparedOf(
      baseline.map((ms) => ms * factor),
      baseline,
    ).practical;
  assert.deepEqual([by(0.89), by(1.11), by(0.91), by(1.09)], [true, true, false, false]);
  // A tenth apart, and too few to be sure.
  assert.equal(comparedOf([890, 891], [1000, 1001]).practical, false);
});

test('what cannot be a time is refused', () => {
  assert.throws(() => comparedOf([-1, 5], [1, 2], []), /a value of h3 is -1, expected a number, not negative/);
  assert.throws(() => comparedOf([1, 5], [Number.NaN, 2], []), RangeError);
});

test('below visits that failed a share has no end, and none that looks like a number', () => {
  const none = Number.POSITIVE_INFINITY;
  const h2 = Array.from({ length: 12 }, (_, round) => (round % 4 === 0 ? 1000 : none));
  const pairs = h2.map((baseline, round) => ({ candidate: 900 + round, baseline }));
  const found = comparedOf(
    pairs.map(({ candidate }) => candidate),
    h2,
    pairs,
  );
  assert.deepEqual(found.shift, { value: null, low: null, high: null, unbounded: { value: 'below', low: 'below', high: 'below' } });
  assert.deepEqual([found.equivalence?.low, found.equivalence?.equivalent], [null, false]);
});
