import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreement } from './agreement.ts';

// Peak expiratory flow of 17 people by two meters (l/min): the example of Bland & Altman, Lancet 1986, table 1, first measurements.
const wright = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427];
const mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451];
const pairs = mini.map((value, i) => [value, wright[i] ?? 0] as const);
const near = (value: number | undefined, expected: number, by: number) =>
  assert.ok(Math.abs((value ?? Number.NaN) - expected) <= by, `${value}, expected ${expected}`);

test('bias, limits and their intervals are those of Bland and Altman’s example', () => {
  const found = agreement(pairs);
  near(found?.bias, -2.1, 0.05);
  near(found?.interval.low, -22, 0.1);
  near(found?.interval.high, 17.8, 0.1);
  // They took ±2 s, 79.7 to 75.5, and √(3/n) s for a limit's standard error: −114.3 to −45.1.
  near(found?.limits.low, -2.1 - 1.96 * 38.8, 0.3);
  near(found?.limits.high, -2.1 + 1.96 * 38.8, 0.3);
  near(found?.limitIntervals.low.low, -114.3, 4);
  near(found?.limitIntervals.low.high, -45.1, 4);
});

test('exchanging the two turns all round', () => {
  const [one, other] = [agreement(pairs), agreement(pairs.map(([a, b]) => [b, a] as const))];
  near(other?.bias, -(one?.bias ?? 0), 1e-12);
  near(other?.limits.high, -(one?.limits.low ?? 0), 1e-12);
});

test('two differences have no limits, and what is not finite is refused', () => {
  assert.equal(agreement(pairs.slice(0, 2)), null);
  assert.throws(() => agreement([...pairs, [1, Number.POSITIVE_INFINITY]]), /not finite/);
});
