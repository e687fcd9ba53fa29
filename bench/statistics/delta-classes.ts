// H3-Delta's classes beside the true ones: the share of sites that noise alone puts beyond ±0.1, and how often a sure class is wrong.
// Takes 15 seconds. node bench statistics/delta-classes [SITES of each row, default 1000]
//
// Visits are log-normal; those of a round share half of their noise, or nothing. Seeded.

import { noiseBeyond } from '../../packages/core/src/campaign/across/delta-distribution.ts';
import { bootstrapIntervals } from '../../packages/core/src/math/bootstrap.ts';
import { proportion } from '../../packages/core/src/math/index.ts';
import { median } from '../../packages/core/src/math/quantile.ts';
import { deltaOfMedians, liesWithin, siteClass } from '../../packages/core/src/verdict/h3-delta.ts';
import { normal } from '../shared/shapes.ts';

const sites = Number(process.argv[2] ?? 1000);
/** Medians of h3 are exp(shift) of h2's. */
const shifts = { none: 0, 'H3-Delta −0.05': Math.log(0.95), 'H3-Delta −0.2': Math.log(0.8) };
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const pairsOf = (rounds: number, stdev: number, shared: number, shift: number) =>
  Array.from({ length: rounds }, () => {
    const common = Math.sqrt(shared) * normal();
    const one = () => Math.exp(stdev * (common + Math.sqrt(1 - shared) * normal()));
    return { candidate: one() * Math.exp(shift), baseline: one() };
  });
const deltaOf = (pairs: ReturnType<typeof pairsOf>) =>
  deltaOfMedians(median(pairs.map(({ candidate }) => candidate)), median(pairs.map(({ baseline }) => baseline))) ?? 0;

const rows = [];
for (const [stdev, shared] of [
  [0.1, 0],
  [0.2, 0],
  [0.3, 0],
  [0.3, 0.5],
] as const) {
  for (const rounds of [3, 5, 10, 20]) {
    const row: Record<string, string | number> = { 'visits differ by': stdev, 'shared in a round': shared, rounds };
    let seed = 0;
    for (const [name, shift] of Object.entries(shifts)) {
      let [beyond, separate, sure, wrong] = [0, 0, 0, 0];
      const truth = siteClass(Math.expm1(shift));
      for (let site = 0; site < sites; site++) {
        const pairs = pairsOf(rounds, stdev, shared, shift);
        const delta = deltaOf(pairs);
        beyond += Number(siteClass(delta) !== 'within');
        separate += noiseBeyond(pairs, ++seed) ?? 0;
        // This many draws suffice for shares.
        const interval = bootstrapIntervals(pairs, { seed: 1, resamples: 500 })?.delta ?? null;
        if (!liesWithin(interval, siteClass(delta))) continue;
        sure++;
        wrong += Number(siteClass(delta) !== truth);
      }
      if (shift === 0) {
        const { low, high } = proportion(beyond, sites);
        row['beyond by noise'] = `${percent(beyond / sites)} [${percent(low)}, ${percent(high)}]`;
      }
      row[`separate: ${name}`] = percent(separate / sites);
      row[`sure, wrongly: ${name}`] = `${percent(sure / sites)}, ${percent(wrong / sites)}`;
    }
    rows.push(row);
  }
}
console.table(rows);
