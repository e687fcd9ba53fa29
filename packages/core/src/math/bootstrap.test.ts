import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrapCases, within } from '../../fixtures/statistics/oracles.ts';
import { bootstrapIntervals, h3DeltaInterval } from './bootstrap.ts';
import { randomSource } from './random.ts';

const paired = ({ h2, h3 }: { h2: number[]; h3: number[] }) => h2.map((baseline, i) => ({ baseline, candidate: h3[i] as number }));

test('up to 6 rounds the intervals are those of all resamples, which NumPy counted one by one', () => {
  for (const { kind, confidence, delta, difference, ...rounds } of bootstrapCases.exact) {
    const found = bootstrapIntervals(paired(rounds), { seed: 1, confidence });
    const what = `${kind}, ${rounds.h2.length} rounds, ${confidence}`;
    assert.deepEqual([found?.method, found?.resamples], ['exact', rounds.h2.length ** rounds.h2.length], what);
    const bothZero = found?.delta === null;
    if (!bothZero) assert.ok(within(found?.delta?.low ?? 9, delta[0]) && within(found?.delta?.high ?? 9, delta[1]), what);
    const { low, high } = found?.medianDifference ?? { low: 9, high: 9 };
    assert.ok(within(low, difference[0]) && within(high, difference[1]), what);
  }
});

test('beyond, the ends lie where 200,000 resamples by NumPy let 2,000 lie', () => {
  for (const { kind, confidence, delta, difference, ...rounds } of bootstrapCases.monteCarlo) {
    for (const seed of [1, 2, 3]) {
      const found = bootstrapIntervals(paired(rounds), { seed, confidence });
      assert.deepEqual([found?.method, found?.resamples], ['monte-carlo', 2000]);
      for (const [interval, [lowFrom, lowTo, highFrom, highTo]] of [
        [found?.delta, delta],
        [found?.medianDifference, difference],
      ] as const) {
        if (!interval) continue;
        const what = `${kind}, ${rounds.h2.length} rounds: [${interval.low}, ${interval.high}]`;
        assert.ok(interval.low >= lowFrom - 1e-9 && interval.low <= lowTo + 1e-9, what);
        assert.ok(interval.high >= highFrom - 1e-9 && interval.high <= highTo + 1e-9, what);
      }
    }
  }
});

const random = randomSource(20260205);
const drawn = (n: number) => Array.from({ length: n }, () => ({ h2: 300 + 200 * random() ** 2, h3: 280 + 200 * random() ** 2 }));

test('a seed decides the interval, whatever was asked before', () => {
  const rounds = drawn(12);
  const before = h3DeltaInterval(rounds, { seed: 7 });
  for (let seed = 100; seed < 120; seed++) h3DeltaInterval(rounds, { seed });
  assert.deepEqual(h3DeltaInterval(rounds, { seed: 7 }), before);
  const ends = new Set(Array.from({ length: 10 }, (_, seed) => h3DeltaInterval(rounds, { seed, resamples: 100 })?.low));
  assert.ok(ends.size > 1);
});

test('the order of the rounds does not matter where all resamples are counted', () => {
  const rounds = drawn(5);
  assert.deepEqual(h3DeltaInterval(rounds.toReversed(), { seed: 1 }), h3DeltaInterval(rounds, { seed: 1 }));
});

test('exchanging the protocols mirrors the interval', () => {
  for (const n of [5, 6, 13]) {
    const rounds = drawn(n);
    const there = h3DeltaInterval(rounds, { seed: 4 });
    const back = h3DeltaInterval(
      rounds.map(({ h2, h3 }) => ({ h2: h3, h3: h2 })),
      { seed: 4 },
    );
    assert.ok(within(back?.low ?? 9, -(there?.high ?? 9)) && within(back?.high ?? 9, -(there?.low ?? 9)), `n = ${n}`);
  }
});

test('rounds that differ by one factor have an interval of one point', () => {
  const rounds = [5, 9, 2, 7, 4, 6, 8, 1].map((h2) => ({ h2, h3: h2 / 2 }));
  for (const n of [5, 6, 7, 8]) {
    const found = h3DeltaInterval(rounds.slice(0, n), { seed: 1 });
    assert.deepEqual([found?.low, found?.high], [-0.5, -0.5]);
  }
});

test('too few rounds for the confidence have no interval', () => {
  const first = (n: number, confidence: number) => h3DeltaInterval(drawn(n), { seed: 1, confidence });
  assert.equal(h3DeltaInterval([], { seed: 1 }), null);
  assert.deepEqual([first(4, 0.95), first(3, 0.9), first(7, 0.99)], [null, null, null]);
  for (const [n, confidence] of [
    [5, 0.95],
    [4, 0.9],
    [8, 0.99],
  ] as const)
    assert.notEqual(first(n, confidence), null);
});

test('where both medians are 0 H3-Delta has no interval; the difference has', () => {
  const rounds = [0, 0, 0, 5, 9].map((candidate) => ({ candidate, baseline: 0 }));
  assert.equal(bootstrapIntervals(rounds, { seed: 1 })?.delta, null);
  assert.deepEqual(bootstrapIntervals(rounds, { seed: 1 })?.medianDifference, { low: 0, high: 9 });
  assert.equal(
    h3DeltaInterval(
      rounds.map(() => ({ h2: 0, h3: 0 })),
      { seed: 1 },
    ),
    null,
  );
});

test('values and options that mean nothing are refused by name', () => {
  const rounds = drawn(5);
  assert.throws(() => h3DeltaInterval([...rounds, { h2: 1, h3: -1 }], { seed: 1 }), {
    name: 'RangeError',
    message: 'bootstrap: round 5 has -1 for candidate, expected a number, not negative',
  });
  assert.throws(() => h3DeltaInterval([{ h2: Number.NaN, h3: 1 }], { seed: 1 }), RangeError);
  assert.throws(() => h3DeltaInterval(rounds, { seed: 1, confidence: 1 }), /confidence is 1/);
  assert.throws(() => h3DeltaInterval(rounds, { seed: 1, resamples: 99.5 }), /resamples is 99.5/);
  assert.throws(() => h3DeltaInterval(drawn(9), { seed: 0.5 }), /seed is 0.5/);
});
