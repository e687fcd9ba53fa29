import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneSampleCases, twoSampleCases, within } from '../../fixtures/statistics/oracles.ts';
import { hodgesLehmannShift, type LocationEstimate, pseudomedian } from './hodges-lehmann.ts';
import { randomSource } from './random.ts';
import { signedRankTest } from './signed-rank.ts';

/** Beyond the exact distributions, the normal ones may lead to the next of the sorted averages or differences. */
function assertSame(actual: LocationEstimate, expected: LocationEstimate, what: string, sortedIfNormal?: number[]): void {
  assert.ok(within(actual.estimate, expected.estimate), `${what}: estimate ${actual.estimate}, R’s ${expected.estimate}`);
  assert.equal(actual.interval === null, expected.interval === null, what);
  if (actual.interval === null || expected.interval === null) return;
  for (const end of ['low', 'high'] as const) {
    const [found, wanted] = [actual.interval[end], expected.interval[end]];
    const place = (value: number) => (sortedIfNormal ?? []).findIndex((each) => within(each, value));
    const next = sortedIfNormal !== undefined && Math.abs(place(found) - place(wanted)) <= 1;
    assert.ok(within(found, wanted) || next, `${what}: ${end} ${found}, R’s ${wanted}`);
  }
}

test('pseudomedian and interval are those of R’s wilcox.test', () => {
  assert.ok(oneSampleCases.length >= 90);
  for (const { kind, values, r } of oneSampleCases) {
    const averages = values.flatMap((first, i) => values.slice(i).map((second) => (first + second) / 2));
    const sorted = values.length > 100 ? averages.sort((a, b) => a - b) : undefined;
    assertSame(pseudomedian(values), r.at95, `${kind}, n = ${values.length}, 95 %`, sorted);
    assertSame(pseudomedian(values, 0.9), r.at90, `${kind}, n = ${values.length}, 90 %`, sorted);
  }
});

test('shift and interval of two samples are those of R’s wilcox.test', () => {
  for (const { kind, x, y, r } of twoSampleCases) {
    const differences = x.flatMap((first) => y.map((second) => first - second));
    const sorted = differences.length > 900 ? differences.sort((a, b) => a - b) : undefined;
    assertSame(hodgesLehmannShift(x, y), r.at95, `${kind}, ${x.length} and ${y.length}, 95 %`, sorted);
    assertSame(hodgesLehmannShift(x, y, 0.85), r.at85, `${kind}, ${x.length} and ${y.length}, 85 %`, sorted);
  }
});

test('the interval holds exactly the centres that the signed-rank test does not reject', () => {
  const random = randomSource(20260203);
  for (const n of [6, 7, 10, 25, 60]) {
    const values = Array.from({ length: n }, () => random() ** 3 + random());
    const { low, high } = pseudomedian(values).interval ?? { low: Number.NaN, high: Number.NaN };
    const p = (centre: number) => signedRankTest(values.map((value) => value - centre)).p;
    const step = 1e-7;
    assert.ok(p(low + step) > 0.05 && p(high - step) > 0.05, `n = ${n}: inside`);
    assert.ok(p(low - step) <= 0.05 && p(high + step) <= 0.05, `n = ${n}: outside`);
  }
});

test('exchanging the samples, or the sign, mirrors estimate and interval', () => {
  const random = randomSource(20260204);
  const [x, y] = [17, 12].map((n) => Array.from({ length: n }, () => random() * 100)) as [number[], number[]];
  const mirrored = ({ estimate, interval }: LocationEstimate) => ({
    estimate: -estimate,
    interval: interval && { low: -interval.high, high: -interval.low },
  });
  assert.deepEqual(hodgesLehmannShift(y, x), mirrored(hodgesLehmannShift(x, y)));
  assert.deepEqual(pseudomedian(x.map((value) => -value)), mirrored(pseudomedian(x)));
});

test('too few values have an estimate and no interval', () => {
  assert.deepEqual(pseudomedian([3]), { estimate: 3, interval: null });
  assert.deepEqual(pseudomedian([1, 2, 3, 4, 5]).interval, null);
  assert.deepEqual(pseudomedian([1, 2, 3, 4, 5], 0.9).interval, { low: 1, high: 5 });
  assert.deepEqual(hodgesLehmannShift([5, 6, 7], [1, 2, 3]), { estimate: 4, interval: null });
});

test('a constant is its own estimate and interval', () => {
  assert.deepEqual(pseudomedian([2, 2, 2, 2, 2, 2]), { estimate: 2, interval: { low: 2, high: 2 } });
  assert.deepEqual(hodgesLehmannShift([5, 5, 5, 5], [5, 5, 5, 5]), { estimate: 0, interval: { low: 0, high: 0 } });
});

test('the samples are left as they are', () => {
  const values = Object.freeze([3, 1, 2, 9, 5, 4]);
  pseudomedian(values);
  hodgesLehmannShift(values, values);
});

test('empty samples, values that are no numbers and other confidences are refused', () => {
  assert.throws(() => pseudomedian([]), RangeError);
  assert.throws(() => hodgesLehmannShift([1], []), /shift: second sample of an empty sample/);
  for (const confidence of [0, 1, Number.NaN]) {
    assert.throws(() => pseudomedian([1], confidence), /expected a number in \(0, 1\)/);
    assert.throws(() => hodgesLehmannShift([1], [2], confidence), RangeError);
  }
});

test('values without bound move the ends by rank alone, and what nobody knows widens the interval on both sides', () => {
  const values = Array.from({ length: 20 }, (_, i) => i - 9.5);
  const [one, huge] = [pseudomedian([...values, Number.POSITIVE_INFINITY]), pseudomedian([...values, 1e9])];
  assert.deepEqual(one, huge);
  const unknown = pseudomedian([...values, Number.NaN]);
  assert.ok(unknown.interval && huge.interval);
  const [low, high] = [pseudomedian([...values, -1e9]).interval?.low ?? 0, huge.interval.high];
  assert.deepEqual(unknown.interval, { low, high });
  assert.deepEqual(pseudomedian(Array.from({ length: 6 }, () => Number.NaN)), {
    estimate: Number.NaN,
    interval: { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY },
  });
  assert.equal(
    hodgesLehmannShift([1, 2, Number.POSITIVE_INFINITY], [0, 1, 2]).estimate,
    hodgesLehmannShift([1, 2, 1e9], [0, 1, 2]).estimate,
  );
});
