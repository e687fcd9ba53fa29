import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equivalence } from './hodges-lehmann.ts';
import { roundsToSettle, smallestDetectable } from './power.ts';
import { type RandomSource, randomSource } from './random.ts';
import { signedRankTest } from './signed-rank.ts';

const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
/** Log-ratios of rounds, symmetric about 0: calm, with outliers, with two modes. */
const noises: Record<string, (random: RandomSource) => number> = {
  normal: (random) => 0.05 * normal(random),
  'heavy tails': (random) => (0.03 * normal(random)) / (random() < 0.15 ? 0.1 : 1),
  'two modes': (random) => 0.02 * normal(random) + (random() < 0.3 ? 0.15 * (random() < 0.5 ? -1 : 1) : 0),
};
const draw = (noise: (random: RandomSource) => number, n: number, shift: number, random: RandomSource) =>
  Array.from({ length: n }, () => shift + noise(random));
const shareOf = (repetitions: number, settled: () => boolean) =>
  Array.from({ length: repetitions }, settled).filter(Boolean).length / repetitions;

for (const [name, noise] of Object.entries(noises)) {
  test(`so many rounds find a difference with the power that was asked for (${name})`, () => {
    const random = randomSource(1);
    const seen = draw(noise, 400, 0, random);
    for (const shift of [0.1, -0.05, 0.02]) {
      const { total } = roundsToSettle(seen, { shift }) ?? {};
      assert.ok(total);
      const powerOf = (rounds: number) => shareOf(500, () => signedRankTest(draw(noise, rounds, shift, random)).p <= 0.05);
      assert.ok(powerOf(total) > 0.75, `${total} rounds at ${shift}: ${powerOf(total)}`);
      // It is no more than three rounds off.
      assert.ok(powerOf(total - 4) < 0.83, `${total - 4} rounds at ${shift}: ${powerOf(total - 4)}`);
    }
  });

  test(`a shift that so many rounds detect is detected with the power that was asked for (${name})`, () => {
    const random = randomSource(2);
    const null_ = draw(noise, 400, 0, random);
    for (const rounds of [6, 10, 30]) {
      const { logShift } = smallestDetectable(null_, { rounds, seed: 3 }) ?? {};
      assert.ok(logShift);
      const found = shareOf(400, () => signedRankTest(draw(noise, rounds, logShift, random)).p <= 0.05);
      assert.ok(found > 0.72 && found < 0.88, `${rounds} rounds, ${logShift}: ${found}`);
    }
  });
}

test('so many rounds find equivalence, where it takes fewer than a difference', () => {
  const random = randomSource(4);
  const seen = draw(noises.normal as (random: RandomSource) => number, 400, 0, random);
  for (const shift of [0, 0.01, -0.02]) {
    const plan = roundsToSettle(seen, { shift, margin: 0.05 });
    assert.equal(plan?.settles, 'equivalence');
    const n = plan?.total ?? 0;
    const found = shareOf(
      400,
      () => equivalence(draw(noises.normal as (random: RandomSource) => number, n, shift, random))?.equivalent ?? false,
    );
    assert.ok(found > 0.73 && found < 0.93, `${n} rounds at ${shift}: ${found}`);
  }
  assert.equal(roundsToSettle(seen, { shift: 0.1, margin: 0.05 })?.settles, 'difference');
});

test('rounds that all agree to the digit need six, the fewest that reach 0.05, and one more is asked for at least', () => {
  assert.deepEqual(roundsToSettle([0.1, 0.1, 0.1]), { total: 6, more: 3, settles: 'difference', maxRounds: 1000 });
  assert.equal(roundsToSettle(Array(8).fill(0.1))?.more, 1);
  assert.equal(roundsToSettle([0.1, 0.1, 0.1], { alpha: 0.01 })?.total, 8);
});

test('five rounds on one side do not make the sixth certain', () => {
  const [steady, spread] = [roundsToSettle([0.1, 0.11, 0.1, 0.12, 0.1]), roundsToSettle([0.01, 0.3, 0.02, 0.5, 0.1])];
  assert.equal(steady?.total, 6);
  assert.ok((spread?.total ?? 0) > 10, `${spread?.total}`);
});

test('no difference takes more rounds than there are', () => {
  assert.deepEqual(roundsToSettle([-0.1, 0.1, -0.2, 0.2], { maxRounds: 500 }), { total: null, more: null, settles: null, maxRounds: 500 });
  assert.equal(roundsToSettle([0.1, 0.2, -0.05, 0.2], { maxRounds: 5 })?.total, null);
  assert.equal(roundsToSettle([0, 0, 0])?.total, null);
});

test('the plan does not depend on which protocol is the first, and larger shifts take fewer rounds', () => {
  const random = randomSource(5);
  const seen = draw(noises['heavy tails'] as (random: RandomSource) => number, 30, 0.02, random);
  const mirrored = seen.map((value) => -value);
  assert.deepEqual(roundsToSettle(seen, { margin: 0.05 }), roundsToSettle(mirrored, { margin: 0.05 }));
  const totals = [0.005, 0.01, 0.02, 0.04, 0.08, 0.3].map((shift) => roundsToSettle(seen, { shift, maxRounds: 100_000 })?.total ?? 0);
  assert.deepEqual(
    totals,
    totals.toSorted((a, b) => b - a),
  );
  assert.ok(totals.every((total) => total >= 6));
});

test('two rounds are no base for a plan', () => {
  assert.equal(roundsToSettle([0.1, 0.2]), null);
});

test('the smallest detectable shift is the same for the same seed, proportional to the noise, and given as a ratio too', () => {
  const random = randomSource(6);
  const noise = draw(noises.normal as (random: RandomSource) => number, 60, 0, random);
  const options = { rounds: 12, seed: 7, repetitions: 500 };
  const found = smallestDetectable(noise, options);
  assert.deepEqual(smallestDetectable(noise, options), found);
  assert.ok(found && Math.abs(found.relative - (Math.exp(found.logShift) - 1)) < 1e-15);
  const doubled = smallestDetectable(
    noise.map((value) => 2 * value),
    options,
  );
  assert.ok(Math.abs((doubled?.logShift ?? 0) - 2 * found.logShift) < 1e-12);
  const more = smallestDetectable(noise, { ...options, rounds: 48 });
  assert.ok(more && more.logShift < found.logShift);
});

test('five rounds detect nothing at 0.05, however large it is', () => {
  assert.equal(smallestDetectable([0.01, -0.01], { rounds: 5, seed: 1 }), null);
  assert.ok(smallestDetectable([0.01, -0.01], { rounds: 5, seed: 1, alpha: 0.1 }));
});

test('what can’t be planned with is refused', () => {
  for (const options of [
    { alpha: 0 },
    { alpha: 0.5 },
    { power: 1 },
    { shift: Number.NaN },
    { margin: 0 },
    { maxRounds: 0 },
    { maxRounds: 1.5 },
  ]) {
    assert.throws(
      () => roundsToSettle([0.1, 0.2, 0.3], options),
      { name: 'RangeError', message: /^rounds to settle: / },
      JSON.stringify(options),
    );
  }
  assert.throws(() => roundsToSettle([]), RangeError);
  assert.throws(() => roundsToSettle([1, 2, Number.NaN]), RangeError);
  assert.throws(() => smallestDetectable([0, 0], { rounds: 10, seed: 1 }), /all differences are 0/);
  assert.throws(() => smallestDetectable([0.1], { rounds: 0, seed: 1 }), /rounds is 0, expected a positive integer/);
  assert.throws(() => smallestDetectable([], { rounds: 10, seed: 1 }), RangeError);
});
