import assert from 'node:assert/strict';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { close, describedSamples, fixture, within } from '../../fixtures/statistics/oracles.ts';
import { quantile } from '../math/quantile.ts';
import { Summary } from '../schemas/results.ts';
import { boxOf, cvClassOf, summarise, summariseLoads } from './summary.ts';

test('a summary agrees with NumPy', () => {
  for (const { name, values, mean, stdev } of fixture.samples) {
    const summary = summarise(values);
    assert.ok(close(summary.mean, mean), name);
    assert.ok(stdev === null ? summary.stdev === null : close(summary.stdev ?? Number.NaN, stdev), name);
    assert.deepEqual([summary.n, summary.min, summary.max], [values.length, Math.min(...values), Math.max(...values)], name);
    const quantiles = [summary.p5, summary.median, summary.p75, summary.p90, summary.p95, summary.p99];
    assert.deepEqual(
      quantiles,
      [0.05, 0.5, 0.75, 0.9, 0.95, 0.99].map((p) => quantile(values, p)),
      name,
    );
  }
});

test('a summary of hundreds of samples agrees with NumPy, SciPy and R', () => {
  assert.ok(describedSamples.length >= 150);
  for (const { kind, values, r, ...numpy } of describedSamples) {
    const summary = summarise(values);
    const { p10, p25, median, p75, p90, p95, p99 } = summary;
    for (const said of [numpy, r]) {
      const what = `${kind}, n = ${values.length}`;
      assert.ok(within(summary.mean, said.mean), what);
      assert.ok(said.stdev === null ? summary.stdev === null : within(summary.stdev ?? Number.NaN, said.stdev), what);
      assert.ok(within(summary.iqr, said.iqr), what);
      for (const [i, quantile] of [p10, p25, median, p75, p90, p95, p99].entries()) {
        assert.ok(within(quantile, said.quantiles[i] as number), what);
      }
    }
  }
});

test('the box has its whiskers at p10 and p90', () => {
  const values = Array.from({ length: 11 }, (_, i) => 10 * i);
  assert.deepEqual(boxOf(summarise(values)), { whiskerLow: 10, lowerQuartile: 25, median: 50, upperQuartile: 75, whiskerHigh: 90 });
});

test('the class of a coefficient of variation holds up to its limit, whatever the sign', () => {
  const classes = [0, 0.1, 0.1001, 0.15, 0.1501, 0.2, -0.2, 0.2001, -3].map(cvClassOf);
  assert.deepEqual(classes, [
    'highly-consistent',
    'highly-consistent',
    'consistent',
    'consistent',
    'sufficiently-consistent',
    'sufficiently-consistent',
    'sufficiently-consistent',
    'inconsistent',
    'inconsistent',
  ]);
  assert.equal(cvClassOf(null), null);
  assert.equal(summarise([7]).cvClass, null);
  assert.equal(summarise([7, 7, 7]).cvClass, 'highly-consistent');
});

test('mean and standard deviation keep the digits that NIST certifies for NumAcc2 and NumAcc3', () => {
  // https://www.itl.nist.gov/div898/strd/univ/homepage.html: 1001 values whose differences are small beside their size.
  const numAcc = (middle: number, low: number, high: number) => [middle, ...Array.from({ length: 1000 }, (_, i) => (i % 2 ? high : low))];
  const second = summarise(numAcc(1.2, 1.1, 1.3));
  assert.ok(close(second.mean, 1.2, 1e-14) && close(second.stdev ?? 0, 0.1, 1e-13), JSON.stringify(second));
  const third = summarise(numAcc(1000000.2, 1000000.1, 1000000.3));
  assert.ok(close(third.mean, 1000000.2, 1e-14) && close(third.stdev ?? 0, 0.1, 1e-8), JSON.stringify(third));
});

test('one value has no spread, and a mean of 0 no coefficient of variation', () => {
  assert.deepEqual([summarise([5]).stdev, summarise([5]).cv], [null, null]);
  assert.equal(summarise([-1, 1]).cv, null);
  assert.equal(summarise([1, 3]).cv, Math.SQRT2 / 2);
});

test('a summary is what its schema says', () => {
  for (const { values } of fixture.samples) assert.ok(Schema.Compile(Summary).Check(summariseLoads(values, 60_000)));
});

test('no summary is made of nothing, or of what is not finite', () => {
  assert.throws(() => summarise([]), { name: 'RangeError', message: 'summary of an empty sample, expected at least one value' });
  assert.throws(() => summarise([1, Number.POSITIVE_INFINITY]), /summary: value 1 of 2 is Infinity/);
});

test('a load that failed is above all others: quantiles among such are not known, and there is no mean', () => {
  const found = summariseLoads([100, 200, 300, Number.POSITIVE_INFINITY], 60_000);
  assert.deepEqual([found.n, found.min, found.median, found.p25, found.p75, found.max], [4, 100, 250, 175, null, null]);
  assert.deepEqual([found.mean, found.stdev, found.cv, found.cvClass, found.iqr], [null, null, null, null, null]);
  assert.equal(found.censored?.count, 1);
  assert.equal(
    found.censored?.words,
    '1 of 4 visits failed and would have taken at least 60 s: values among them are unknown, and there is no mean.',
  );
  assert.throws(() => summarise([1, Number.POSITIVE_INFINITY]), RangeError);
});

test('a quantile among visits that failed is no less than one that was measured', () => {
  const { p75, censored } = summariseLoads([90_000, 100_000, 110_000, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], 60_000);
  assert.deepEqual([p75, censored?.atLeastMs], [null, 110_000]);
});
