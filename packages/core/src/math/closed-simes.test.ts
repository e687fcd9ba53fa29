import assert from 'node:assert/strict';
import { test } from 'node:test';
import { families } from '../../fixtures/statistics/oracles.ts';
import { adjustPValues, closedSimes } from './adjust.ts';
import { randomSource } from './random.ts';

const random = randomSource(11);
/** As signed ranks of few rounds give them: many alike, some very small. */
const family = (size: number) => Array.from({ length: size }, () => Math.max(2 ** -9, Math.ceil(random() ** 3 * 40) / 40));

const simes = (ps: readonly number[]) => Math.min(...ps.toSorted((a, b) => a - b).map((p, i) => (ps.length * p) / (i + 1)));

/** All sets of comparisons, each by itself: what the shortcuts stand for. */
function byAllSets(ps: readonly number[]) {
  const sets = Array.from({ length: 2 ** ps.length - 1 }, (_, bits) => ps.flatMap((_, i) => ((bits + 1) & (1 << i) ? [i] : [])));
  const tested = sets.map((places) => ({ places, p: simes(places.map((place) => ps[place] as number)) }));
  return {
    adjusted: ps.map((_, i) => Math.max(...tested.filter(({ places }) => places.includes(i)).map(({ p }) => p))),
    mostNull: (level: number) => Math.max(0, ...tested.filter(({ p }) => p > level).map(({ places }) => places.length)),
    /** All of the choice but the largest part of it that may be null. */
    leastDifferent: (chosen: readonly number[], level: number) =>
      chosen.length -
      Math.max(0, ...tested.filter(({ p }) => p > level).map(({ places }) => places.filter((place) => chosen.includes(place)).length)),
  };
}

test('adjusted ps, the most that are null and the least that differ are those of a closed test of all sets', () => {
  for (let size = 1; size <= 8; size++) {
    for (let repetition = 0; repetition < 12; repetition++) {
      const ps = family(size);
      const [shortcut, whole] = [closedSimes(ps), byAllSets(ps)];
      for (const [i, p] of whole.adjusted.entries()) assert.ok(Math.abs(p - (shortcut.adjusted[i] as number)) < 1e-12, `${ps}: ${i}`);
      for (const level of [0.013, 0.051, 0.21]) {
        assert.equal(shortcut.mostNull(level), whole.mostNull(level), `${ps} at ${level}`);
        const choice = ps.flatMap((_, i) => (random() < 0.6 ? [i] : []));
        assert.equal(shortcut.leastDifferent(choice, level), whole.leastDifferent(choice, level), `${choice} of ${ps} at ${level}`);
      }
    }
  }
});

test('the most that are null and the least that differ of large families are those of their definitions, computed by R', () => {
  for (const [number, { ps, mostNull, least, leastOfHalf }] of families.families.entries()) {
    const found = closedSimes(ps);
    const places = [...ps.keys()];
    const even = places.filter((place) => place % 2 === 0);
    const bounds = [found.mostNull(families.level), ...[places, even].map((chosen) => found.leastDifferent(chosen, families.level))];
    assert.deepEqual(bounds, [mostNull, least, leastOfHalf], `family ${number}`);
  }
});

test('it names whatever Holm names', () => {
  for (let repetition = 0; repetition < 100; repetition++) {
    const ps = family(1 + Math.floor(random() * 40));
    const holm = adjustPValues(ps, 'holm');
    for (const [i, p] of closedSimes(ps).adjusted.entries()) assert.ok(p <= (holm[i] as number) + 1e-12 && p >= (ps[i] as number));
  }
});

test('eight rounds on one side in each of nine cells name all of them, where Holm names none', () => {
  const ps = Array(9).fill(2 ** -7);
  assert.deepEqual(new Set(closedSimes(ps).adjusted), new Set([2 ** -7]));
  assert.ok(adjustPValues(ps, 'holm').every((p) => p > 0.05));
});

test('none, one and only sure ones', () => {
  assert.deepEqual(closedSimes([]).adjusted, []);
  assert.equal(closedSimes([]).mostNull(0.05), 0);
  assert.deepEqual(closedSimes([0.3]).adjusted, [0.3]);
  assert.deepEqual(closedSimes([0, 0]).adjusted, [0, 0]);
  assert.deepEqual(closedSimes([1, 1, 1]).adjusted, [1, 1, 1]);
  assert.equal(closedSimes([0.001, 0.002, 0.9]).leastDifferent([0, 1, 2], 0.05), 2);
});
