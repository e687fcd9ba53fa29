import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource, shuffle } from './random.ts';

/** Chi-squared of counts against equal shares. */
const chiSquared = (counts: readonly number[]) => {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
};

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, randomSource(seed));
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
});

test('a seed keeps its numbers over releases, or stored campaigns could not be repeated', () => {
  // MT19937's reference implementation starts with 3499211612, 581869302 for the seed 5489.
  const random = randomSource(5489);
  assert.equal(random(), ((3499211612 % 2 ** 26) * 2 ** 27 + (581869302 % 2 ** 27)) / 2 ** 53);
});

test('numbers lie in [0, 1) and spread evenly', () => {
  const random = randomSource(1);
  const bins = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) {
    const value = random();
    assert.ok(value >= 0 && value < 1);
    const bin = Math.floor(value * 10);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  assert.ok(chiSquared(bins) < 27.9, `${bins}`); // 9 degrees of freedom, p = 0.001
});

test('neighbouring seeds give every order of three slots equally often', () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 1200; seed++) {
    const order = shuffle(['h1', 'h2', 'h3'], randomSource(seed)).join();
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 6);
  assert.ok(chiSquared([...counts.values()]) < 20.5, `${[...counts]}`); // 5 degrees of freedom, p = 0.001
});

test('a shuffle keeps every item once and leaves its input alone', () => {
  const items = Object.freeze(Array.from({ length: 50 }, (_, i) => i));
  const shuffled = shuffle(items, randomSource(3));
  assert.notDeepEqual(shuffled, items);
  assert.deepEqual(
    shuffled.toSorted((a, b) => a - b),
    items,
  );
  assert.deepEqual(shuffle([], randomSource(3)), []);
});

test('a seed that is no 32-bit integer is refused', () => {
  for (const seed of [0.5, Number.NaN, 2 ** 32, -(2 ** 31) - 1]) assert.throws(() => randomSource(seed), RangeError);
});
