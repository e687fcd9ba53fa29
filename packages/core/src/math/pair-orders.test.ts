import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hodgesLehmannShift, pseudomedian } from './hodges-lehmann.ts';
import { differencesAt, walshAveragesAt } from './pair-orders.ts';
import { type RandomSource, randomSource } from './random.ts';

const shapes: Record<string, (random: RandomSource) => number> = {
  'of any size': (random) => random() * 1000,
  tied: (random) => Math.floor(random() * 4),
  'in two far groups': (random) => (random() < 0.5 ? 1 : 1e6) * (1 + random()),
  'next to one another': (random) => 1 + Math.floor(random() * 3) * Number.EPSILON,
  'of all magnitudes': (random) => (random() < 0.5 ? -1 : 1) * 10 ** (600 * random() - 300),
  'nearly all equal': (random) => (random() < 0.01 ? random() : 7),
  'as large as numbers get': (random) => (random() < 0.5 ? -1 : 1) * Number.MAX_VALUE,
};
const sizes = [
  [1, 1],
  [1, 2],
  [1, 20_000],
  [20_000, 1],
  [2, 2],
  [7, 5],
  [60, 60],
  [113, 71],
  [211, 190],
] as const;

const sorted = (values: number[]) => Float64Array.from(values).sort();
/** Some of the places in n values, the first, the last and the middle among them. */
const placesIn = (n: number, random: RandomSource) => [0, n - 1, (n - 1) >> 1, n >> 1, ...[0, 0, 0].map(() => Math.floor(random() * n))];

for (const [shape, draw] of Object.entries(shapes)) {
  test(`pairs of values ${shape} are those at the same places when all are written down and sorted`, () => {
    const random = randomSource(20261121);
    for (const [m, n] of sizes) {
      const [x, y] = [m, n].map((size) => Array.from({ length: size }, () => draw(random))) as [number[], number[]];
      const differences = sorted(x.flatMap((first) => y.map((second) => first - second)));
      const places = placesIn(m * n, random);
      assert.deepEqual(
        differencesAt(x, y, places),
        places.map((place) => differences[place]),
        `${m} and ${n}`,
      );
      const values = [...x, ...y].slice(0, 250);
      const averages = sorted(values.flatMap((first, i) => values.slice(i).map((second) => (first + second) / 2)));
      const inAverages = placesIn(averages.length, random);
      assert.deepEqual(
        walshAveragesAt(values, inAverages),
        inAverages.map((place) => averages[place]),
        `${values.length}`,
      );
    }
  });
}

test('samples whose pairs no machine could write down have a shift and a centre', () => {
  // 10¹⁰ differences: of each pair of these, as many are below 5 as above.
  const up = Array.from({ length: 100_001 }, (_, i) => i);
  const { estimate, interval } = hodgesLehmannShift(
    up.map((value) => value + 5),
    up,
  );
  assert.equal(estimate, 5);
  assert.ok(interval !== null && interval.low < 5 && interval.low + interval.high === 10);
  assert.equal(pseudomedian(up).estimate, 50_000);
});
