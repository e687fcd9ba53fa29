// Corrections for many comparisons beside those of R, on families of 1 to 1,000 p-values: the largest difference of each.
// Takes TT. node bench statistics/families [FAMILIES, default 1000]; needs R (apt-get install r-base-core).
import { execFileSync } from 'node:child_process';
import type { Families } from '../../packages/core/fixtures/statistics/oracles.ts';
import { adjustPValues, closedSimes } from '../../packages/core/src/math/adjust.ts';

const folder = new URL('../../packages/core/fixtures/statistics', import.meta.url);
const made = execFileSync('Rscript', ['make-families.R', process.argv[2] ?? '1000'], { cwd: folder, maxBuffer: 1e9, encoding: 'utf8' });
const { madeBy, level, families }: Families & { madeBy: string } = JSON.parse(made);

const largest = { hommel: 0, holm: 0, 'benjamini-hochberg': 0 };
let others = 0;
for (const { ps, hommel, holm, benjaminiHochberg, mostNull, least, leastOfHalf } of families) {
  for (const [how, expected] of [
    ['hommel', hommel],
    ['holm', holm],
    ['benjamini-hochberg', benjaminiHochberg],
  ] as const) {
    for (const [i, p] of adjustPValues(ps, how).entries()) largest[how] = Math.max(largest[how], Math.abs(p - (expected[i] as number)));
  }
  const closed = closedSimes(ps);
  const places = [...ps.keys()];
  const even = places.filter((place) => place % 2 === 0);
  const bounds = [closed.mostNull(level), closed.leastDifferent(places, level), closed.leastDifferent(even, level)];
  others += Number(bounds.join() !== [mostNull, least, leastOfHalf].join());
}
const values = families.reduce((sum, { ps }) => sum + ps.length, 0);
console.log(`${families.length} families, ${values} p-values, ${madeBy}. Largest difference of adjusted p-values:`);
console.table(largest);
console.log(`Families of which the most that are null or the least that differ are others than by definition: ${others}.`);
