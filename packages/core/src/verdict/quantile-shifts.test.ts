import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { relativelyWithin, within } from '../../fixtures/statistics/oracles.ts';
import { quantilesFor } from '../vocabulary/verdict.ts';
import { failed } from './counted-visits.ts';
import { anyQuantileP, quantileShifts } from './quantile-shifts.ts';

type Case = Record<'candidate' | 'baseline' | 'ps' | 'shifts' | 'se', number[]> & { kind: string; bandReach: number; p: number };
const { cases }: { cases: Case[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/quantile-shifts.json', import.meta.url), 'utf8'),
);
const pairsOf = ({ candidate, baseline }: Pick<Case, 'candidate' | 'baseline'>) =>
  candidate.map((value, round) => ({ candidate: value, baseline: baseline[round] as number }));
const shiftsOf = (...made: Parameters<typeof quantileShifts>) => quantileShifts(...made) ?? assert.fail();

test('quantiles are those of SciPy’s hdquantiles', () => {
  assert.equal(cases.length, 16);
  for (const one of cases) {
    const { shifts } = shiftsOf(pairsOf(one), one.ps, 1);
    for (const [i, { p, shift, isKnown }] of shifts.entries()) {
      assert.ok(isKnown && p === one.ps[i]);
      assert.ok(within(shift, one.shifts[i] as number, 1e-11), `${one.kind}, ${one.candidate.length} rounds, ${p}: ${shift}`);
    }
  }
});

test('standard errors, band and p are those of NumPy’s own resamples, but for the chance of drawing', () => {
  for (const one of cases) {
    const name = `${one.kind}, ${one.candidate.length} rounds`;
    // A quantile that few resamples carry into the other mode has a spread that takes many to find.
    const tolerance = one.kind === 'late' ? 0.2 : 0.08;
    const { shifts, bandReach } = shiftsOf(pairsOf(one), one.ps, 1);
    for (const [i, { se }] of shifts.entries())
      assert.ok(relativelyWithin(se, one.se[i] as number, tolerance), `${name}: se ${se}, ${one.se[i]}`);
    assert.ok(relativelyWithin(bandReach(0.05), one.bandReach, tolerance), `${name}: reach ${bandReach(0.05)}, ${one.bandReach}`);
    const p = anyQuantileP(pairsOf(one), one.ps, 1) ?? assert.fail();
    assert.ok(Math.abs(p - one.p) < 0.002 + 4 * Math.sqrt((one.p * (1 - one.p)) / 1000), `${name}: p ${p}, ${one.p}`);
  }
});

test('exchanging the protocols turns the shifts round and leaves p as it is', () => {
  for (const one of cases) {
    const [pairs, turned] = [pairsOf(one), pairsOf({ candidate: one.baseline, baseline: one.candidate })];
    const [{ shifts }, others] = [shiftsOf(pairs, one.ps, 1), shiftsOf(turned, one.ps, 1).shifts];
    for (const [i, { shift, se }] of shifts.entries()) {
      assert.ok(within(-shift, others[i]?.shift as number, 1e-12) && within(se, others[i]?.se as number, 1e-12));
    }
    assert.equal(anyQuantileP(pairs, one.ps, 1), anyQuantileP(turned, one.ps, 1));
  }
});

test('without any difference there is no shift, no band and no doubt', () => {
  const pairs = Array.from({ length: 20 }, (_, round) => ({ candidate: 100 + round, baseline: 100 + round }));
  const { shifts, bandReach } = shiftsOf(pairs, [0.5], 1);
  assert.ok(Math.abs(shifts[0]?.shift as number) < 1e-12);
  assert.ok(Number.isFinite(bandReach(0.05)));
  const constant = pairs.map(() => ({ candidate: 100, baseline: 100 }));
  assert.deepEqual(shiftsOf(constant, [0.5], 1).shifts, [{ p: 0.5, shift: 0, se: 0, isKnown: true }]);
  assert.equal(anyQuantileP(constant, [0.5], 1), 1);
});

test('quartiles take 20 rounds, deciles 50', () => {
  assert.deepEqual(
    [19, 20, 49, 50].map((rounds) => quantilesFor(rounds).length),
    [0, 3, 3, 9],
  );
  assert.equal(quantileShifts([{ candidate: 1, baseline: 1 }], quantilesFor(1), 1), null);
});

/** So many of the loads over the candidate fail. */
const failing = (rounds: number, failures: number) =>
  Array.from({ length: rounds }, (_, round) => ({
    candidate: round < failures ? failed : 1000 + 7 * ((round * 13) % rounds),
    baseline: 1000 + 9 * ((round * 17) % rounds),
  }));

test('a quantile is known where fewer loads fail than lie above it, shown at 5 %', () => {
  const known = (rounds: number, failures: number) =>
    shiftsOf(failing(rounds, failures), quantilesFor(rounds), 1)
      .shifts.filter(({ isKnown }) => isKnown)
      .map(({ p }) => p);
  // R: pbinom(k, n, 1 - p) is 0.024 for 1 of 20 at 0.75, 0.091 for 2, 0.058 for 6 at 0.5 and 0.021 for 5; of 50 at 0.9 0.034 for 1, 0.112 for 2.
  assert.deepEqual(known(20, 1), [0.25, 0.5, 0.75]);
  assert.deepEqual(known(20, 2), [0.25, 0.5]);
  assert.deepEqual(known(20, 5), [0.25, 0.5]);
  assert.deepEqual(known(20, 6), [0.25]);
  assert.equal(known(50, 1).at(-1), 0.9);
  assert.equal(known(50, 2).at(-1), 0.8);
});

test('how long a failed load is taken for moves no quantile that is known by more than a hundredth', () => {
  const pairs = failing(50, 1);
  const loaded = pairs.map(({ candidate, baseline }) => ({ candidate: candidate === failed ? 60_000 : candidate, baseline }));
  const [lower, upper] = [shiftsOf(pairs, [0.5, 0.8], 1).shifts, shiftsOf(loaded, [0.5, 0.8], 1).shifts];
  for (const [i, { shift }] of lower.entries()) assert.ok(Math.abs(shift - (upper[i]?.shift as number)) < 0.01);
});

test('a value of 0 has no logarithm; where every load failed there is nothing', () => {
  assert.equal(quantileShifts([...failing(20, 0), { candidate: 0, baseline: 3 }], [0.5], 1), null);
  assert.equal(anyQuantileP([{ candidate: 0, baseline: 3 }], [0.5], 1), null);
  assert.equal(quantileShifts([{ candidate: failed, baseline: failed }], [0.5], 1), null);
});
