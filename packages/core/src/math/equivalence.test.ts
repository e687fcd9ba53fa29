import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneSampleCases } from '../../fixtures/statistics/oracles.ts';
import { equivalence, pseudomedian } from './hodges-lehmann.ts';

test('equivalent is what both one-sided tests of R’s wilcox.test reject the contrary of', () => {
  const cases = oneSampleCases.filter(({ r }) => r.equivalent !== null);
  assert.ok(cases.length >= 50);
  assert.ok(cases.some(({ r }) => r.equivalent) && cases.some(({ r }) => !r.equivalent));
  for (const { kind, values, r } of cases) assert.equal(equivalence(values)?.equivalent, r.equivalent, `${kind}, n = ${values.length}`);
});

test('the interval is the one of the pseudomedian at 1 − 2 alpha', () => {
  const values = [0.01, -0.02, 0.03, 0.005, -0.01, 0.002, 0.012];
  assert.deepEqual(equivalence(values), { equivalent: true, ...pseudomedian(values, 0.9).interval, margin: 0.05, confidence: 0.9 });
  assert.deepEqual(equivalence(values, { margin: 0.01 })?.equivalent, false);
});

test('an interval that touches the bound is not inside', () => {
  const bound = Math.log1p(0.05);
  assert.equal(equivalence([bound, bound, bound, bound, bound])?.equivalent, false);
  assert.equal(equivalence([0, 0, 0, 0, 0])?.equivalent, true);
});

test('exchanging the protocols changes no answer', () => {
  for (const { values } of oneSampleCases.filter((sample) => sample.values.length >= 5)) {
    const mirrored = equivalence(values.map((value) => -value));
    assert.equal(mirrored?.equivalent, equivalence(values)?.equivalent);
  }
});

test('too few rounds have no answer', () => {
  assert.equal(equivalence([0, 0, 0, 0]), null);
  assert.equal(equivalence([0, 0, 0, 0, 0], { alpha: 0.025 }), null);
});

test('margins and alphas that mean nothing are refused', () => {
  for (const margin of [0, -0.1, Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => equivalence([0], { margin }), /margin is/);
  for (const alpha of [0, 0.5, Number.NaN]) assert.throws(() => equivalence([0], { alpha }), /alpha is/);
  assert.throws(() => equivalence([]), RangeError);
});
