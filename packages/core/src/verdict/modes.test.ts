import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../../fixtures/statistics/oracles.ts';
import { type RandomSource, randomSource } from '../math/random.ts';
import { findModes } from './modes.ts';

const normal = (random: RandomSource) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const sample = (n: number, draw: () => number) => Array.from({ length: n }, draw);

test('p is the smallest gap probability times the gaps tried', () => {
  // 6 values leave one gap to try, between 3 and 3, with 2 spacings of the 2 on each side: 1.13 above, 0.57 below; the gap is 9.
  const found = findModes([20.13, 10.07, 10.5, 19, 10.0, 19.57]);
  const [below, above] = [0.5 + 0.01, 1.13 + 0.01];
  const gap = 19 - 10.5 - 0.01;
  assert.ok(within(found?.p ?? 9, Math.max((below / (below + gap)) ** 2, (above / (above + gap)) ** 2)));
  assert.deepEqual(found?.modes, [
    { centre: 10.07, share: 0.5 },
    { centre: 19.57, share: 0.5 },
  ]);
});

test('two modes are found with their centres and shares, and a straggler hides nothing', () => {
  const random = randomSource(20260206);
  const values = sample(30, () => 300 + 4 * normal(random) + (random() < 0.4 ? 50 : 0));
  for (const straggler of [[], [5000]]) {
    const found = findModes([...values, ...straggler]);
    assert.equal(found?.bimodal, true);
    const [lower, upper] = found?.modes ?? [];
    assert.ok(Math.abs((lower?.centre ?? 0) - 300) < 3 && Math.abs((upper?.centre ?? 0) - 350) < 3, JSON.stringify(found));
    assert.ok(within((lower?.share ?? 0) + (upper?.share ?? 0), 1));
  }
});

test('where two modes are not shown, one of all values is told', () => {
  const random = randomSource(20260207);
  const found = findModes(sample(21, () => 100 + normal(random)));
  assert.equal(found?.bimodal, false);
  assert.equal(found?.modes.length, 1);
  assert.equal(found?.modes[0]?.share, 1);
});

test('of distributions with one mode at most 5 % are taken for two, also those with heavy tails', () => {
  const random = randomSource(20260208);
  const unimodal: Record<string, () => number> = {
    uniform: random,
    'log-normal': () => Math.exp(normal(random)),
    Pareto: () => (1 - random()) ** (-1 / 1.5),
    'peak and plateau': () => random() * (random() < 0.4 ? 1 : 100),
  };
  for (const [name, draw] of Object.entries(unimodal)) {
    for (const n of [6, 10, 20, 50]) {
      const alarms = sample(2000, () => 0).filter(() => findModes(sample(n, draw))?.bimodal).length;
      assert.ok(alarms / 2000 <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / 2000), `${name}, n = ${n}: ${alarms} of 2000`);
    }
  }
});

test('unit and side do not matter', () => {
  const random = randomSource(20260209);
  const values = sample(15, () => normal(random) + (random() < 0.5 ? 6 : 0));
  const p = findModes(values)?.p ?? 9;
  assert.ok(within(findModes(values.map((value) => 7 - 1e3 * value))?.p ?? 0, p));
});

test('what rounding does is no second mode', () => {
  assert.equal(findModes([5, 5, 5, 5, 6, 6, 6, 6, 6])?.bimodal, false);
  assert.equal(findModes([0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2])?.bimodal, false);
  assert.equal(findModes([100, 100, 100, 100, 100, 200, 200, 200, 200, 200])?.bimodal, true);
});

test('a steady page whose paint times are multiples of 4 ms, or of a frame, has one mode', () => {
  const random = randomSource(3);
  for (const [step, deviation, count] of [
    [4, 2, 50],
    [4, 4, 50],
    [4, 6, 20],
    [1000 / 60, 8, 20],
    [1000 / 60, 16, 50],
  ] as const) {
    const flagged = Array.from({ length: 200 }, () =>
      findModes(Array.from({ length: count }, () => Math.round((500 + deviation * normal(random)) / step) * step)),
    ).filter((found) => found?.bimodal === true).length;
    assert.ok(flagged <= 4, `${flagged} of 200 at ${step} ms, σ ${deviation} ms, ${count} values`);
  }
});

test('a round trip more is found on such a grid too', () => {
  const times = [500, 504, 508, 504, 500, 512, 504, 508, 500, 504, 508, 504, 600, 604, 608, 600, 604, 604, 600, 608];
  assert.equal(findModes(times)?.bimodal, true);
});

test('a constant has one mode', () => {
  assert.deepEqual(findModes([3, 3, 3, 3, 3, 3, 3]), { bimodal: false, p: 1, modes: [{ centre: 3, share: 1 }] });
  assert.equal(findModes(sample(8, () => Math.PI))?.p, 1);
});

test('fewer than six values cannot tell', () => {
  assert.equal(findModes([1, 1, 1, 900, 900]), null);
  assert.notEqual(findModes([1, 1, 1, 900, 900, 900]), null);
});

test('an empty sample and a value that is not finite are refused', () => {
  assert.throws(() => findModes([]), RangeError);
  assert.throws(() => findModes([1, Number.NaN]), /modes: value 1 of 2 is NaN/);
});
