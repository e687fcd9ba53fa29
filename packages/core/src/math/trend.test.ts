import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeSeries, within } from '../../fixtures/statistics/oracles.ts';
import { randomSource } from './random.ts';
import { trend } from './trend.ts';

test('τ, p and slope agree with R', () => {
  assert.ok(timeSeries.length >= 100);
  for (const { kind, values, ...expected } of timeSeries) {
    const found = trend(values);
    const name = `${kind}, n = ${values.length}`;
    assert.ok(found, name);
    assert.ok(within(found.tau, expected.tau), `${name}: τ is ${found.tau}, R’s is ${expected.tau}`);
    assert.ok(within(found.p, expected.p), `${name}: p is ${found.p}, R’s is ${expected.p}`);
    assert.ok(within(found.slope, expected.slope), `${name}: slope is ${found.slope}, R’s is ${expected.slope}`);
  }
});

test('values backwards in time have the opposite trend', () => {
  for (const { values } of timeSeries) {
    const [forwards, backwards] = [trend(values), trend(values.toReversed())];
    assert.equal(backwards?.p, forwards?.p);
    assert.ok(within(backwards?.tau ?? Number.NaN, -(forwards?.tau ?? 0), 1e-15));
    assert.ok(within(backwards?.slope ?? Number.NaN, -(forwards?.slope ?? 0), 1e-12));
  }
});

test('ten values without a trend look like one as often as the level says', () => {
  const random = randomSource(11);
  const repeats = 4000;
  const ps = Array.from({ length: repeats }, () => trend(Array.from({ length: 10 }, random))?.p ?? 0);
  for (const level of [0.05, 0.2]) {
    const share = ps.filter((p) => p <= level).length / repeats;
    assert.ok(share < level + 4 * Math.sqrt(level / repeats) && share > level / 2, `p ≤ ${level} in ${share}`);
  }
});

test('what cannot have a trend has none, and what is no sample is refused', () => {
  assert.equal(trend([1, 2]), null);
  assert.equal(trend([5, 5, 5, 5]), null);
  assert.deepEqual(trend([1, 2, 3])?.tau, 1);
  assert.throws(() => trend([]), { name: 'RangeError', message: /trend of an empty sample/ });
  assert.throws(() => trend([1, 2, Number.NaN]), RangeError);
});
