import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalQuantile } from '../../math/probability.ts';
import { randomSource } from '../../math/random.ts';
import type { Pair } from '../../verdict/comparison.ts';
import { h3Delta } from '../../verdict/h3-delta.ts';
import { noiseBeyond } from './delta-distribution.ts';

const random = randomSource(3);
const normal = () => normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, random())));
/** Rounds of h3 and h2 whose logarithms differ by this much, and from round to round. */
const rounds = (n: number, stdev: number, shift = 0) =>
  Array.from({ length: n }, () => ({ candidate: Math.exp(shift + stdev * normal()), baseline: Math.exp(stdev * normal()) }));
const isBeyond = (pairs: readonly { candidate: number; baseline: number }[]) =>
  Math.abs(
    h3Delta(
      pairs.map(({ candidate }) => candidate),
      pairs.map(({ baseline }) => baseline),
    ) ?? 0,
  ) > 0.1;

test('of two rounds by hand: about their centre, twice as far, two of the four ways are beyond', () => {
  // ln ratios ±0.2 about 0 become ±0.4: one way round 1.22 and 1.22 stand against 0.82 and 0.82, the other way both medians are alike.
  const pairs = [0.2, -0.2].map((log) => ({ candidate: Math.exp(log / 2), baseline: Math.exp(-log / 2) }));
  assert.equal(noiseBeyond(pairs, 1), 0.5);
});

test('it is as often as without a difference H3-Delta lies there, whether there is one or not', () => {
  for (const [n, stdev] of [
    [5, 0.2],
    [12, 0.2],
    [10, 0.1],
  ] as const) {
    const samples = Array.from({ length: 300 }, () => rounds(n, stdev));
    const seen = samples.filter(isBeyond).length / samples.length;
    for (const shift of [0, -0.3]) {
      const told = samples.map((pairs) => pairs.map(({ candidate, baseline }) => ({ candidate: candidate * Math.exp(shift), baseline })));
      const mean = told.reduce((sum, pairs) => sum + (noiseBeyond(pairs, 7) ?? 0), 0) / told.length;
      assert.ok(Math.abs(mean - seen) < 0.08, `${n} rounds, ${stdev}, ${shift}: ${mean}, seen ${seen}`);
    }
  }
});

test('random ways agree with all of them', () => {
  const pairs = rounds(9, 0.2);
  // A tenth round that is a tie at the middle of both changes little.
  const ten = [...pairs, { candidate: 1, baseline: 1 }];
  assert.ok(Math.abs((noiseBeyond(pairs, 1) ?? 0) - (noiseBeyond(ten, 1) ?? 1)) < 0.25);
  assert.equal(noiseBeyond(ten, 5), noiseBeyond(ten, 5), 'the seed decides');
});

test('what truly differs is no noise where some visits failed either', () => {
  for (const [n, shift] of [
    [8, -0.4],
    [20, 0.4],
  ] as const) {
    const [first, second, ...others] = rounds(n, 0.02, shift);
    assert.equal(noiseBeyond([{ ...first, candidate: Number.POSITIVE_INFINITY } as Pair, second as Pair, ...others], 1), 0, `${n}: one`);
    const both = { candidate: Number.POSITIVE_INFINITY, baseline: Number.POSITIVE_INFINITY };
    assert.equal(noiseBeyond([both, { ...second, baseline: Number.POSITIVE_INFINITY } as Pair, ...others], 1), 0, `${n}: two`);
  }
});

test('zeros are exchanged as they are, as are loads of which most failed, and one round tells nothing', () => {
  const failing = [...rounds(4, 0.01), { candidate: Number.POSITIVE_INFINITY, baseline: 1 }];
  assert.equal(noiseBeyond(failing, 1), 0);
  assert.equal(noiseBeyond(Array(6).fill({ candidate: 0, baseline: 0 }), 1), 0);
  assert.equal(noiseBeyond(rounds(1, 0.1), 1), null);
  assert.equal(noiseBeyond([], 1), null);
});
