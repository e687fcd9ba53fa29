// What corrections for the number of comparisons cost and keep: campaigns of 1 to 1,000 cells (a site under a condition), rounds whose log-ratios differ by
// 0.1, of every fifth cell with two modes (0.25 more or less in 15 % of rounds each). How often a campaign names any cell falsely (a wrong side
// counts), which share of the cells that truly differ it names, and how many rounds that takes. With the seeded numbers of shapes.ts.
// node bench/statistics/corrections.ts [REPETITIONS of nine cells; fewer of more]

import { proportion, signedRankTest } from '../../packages/core/src/index.ts';
import { adjustments } from '../../packages/core/src/schemas/campaign.ts';
import { adjustPValues } from '../../packages/core/src/statistics/adjust.ts';
import { closedSimes } from '../../packages/core/src/statistics/closed-simes.ts';
import { normal, random } from './shapes.ts';

const repetitions = Number(process.argv[2] ?? 4000);
const level = 0.05;

interface Drawn {
  p: number;
  /** Of the rounds: above or below. */
  side: number;
  shift: number;
}

function drawn(shift: number, cell: number, rounds: number): Drawn {
  const twoModes = cell % 5 === 4;
  const logs = Array.from({ length: rounds }, () => {
    const luck = twoModes ? random() : 0.5;
    return shift + 0.1 * normal() + (luck < 0.15 ? -0.25 : luck >= 0.85 ? 0.25 : 0);
  });
  const { p, rankBiserial } = signedRankTest(logs);
  return { p, side: Math.sign(rankBiserial), shift };
}

/** Cells of which the first so many differ by as much. */
const campaign = (cells: number, differ: number, shift: number, rounds: number) =>
  Array.from({ length: cells }, (_, cell) => drawn(cell < differ ? shift : 0, cell, rounds));

function simulate(cells: number, differ: number, shift: number, rounds: number, runs: number) {
  const counts = Object.fromEntries(adjustments.map((how) => [how, { wrong: 0, found: 0, named: 0 }])) as Record<
    (typeof adjustments)[number],
    { wrong: number; found: number; named: number }
  >;
  let [least, leastWrong] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const made = campaign(cells, differ, shift, rounds);
    const ps = made.map(({ p }) => p);
    for (const how of adjustments) {
      const named = adjustPValues(ps, how).flatMap((p, cell) => (p <= level ? [made[cell] as Drawn] : []));
      const right = named.filter((one) => one.shift !== 0 && one.side === Math.sign(one.shift)).length;
      counts[how].found += right;
      counts[how].named += named.length;
      counts[how].wrong += Number(right < named.length);
      if (how !== 'benjamini-hochberg') continue;
      const places = made.flatMap((one, cell) => (named.includes(one) ? [cell] : []));
      const bound = closedSimes(ps).leastDifferent(places, level);
      least += bound;
      leastWrong += Number(bound > named.filter((one) => one.shift !== 0).length);
    }
  }
  return { counts, least: least / runs, leastWrong };
}

const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const rate = (count: number, runs: number) => {
  const { low, high } = proportion(count, runs);
  return `${percent(count / runs)} [${percent(low)}, ${percent(high)}]`;
};
const runsOf = (cells: number) => Math.max(40, Math.round((repetitions * 9) / cells));

console.log(`Any cell named falsely, in per cent of campaigns (95 % interval of the simulation), and share named of those that differ.`);
const rows = [];
for (const [cells, differ, shift, rounds] of [
  ...[8, 10, 15, 20].flatMap((n) => [[9, 9, 0.1, n] as const, [9, 1, 0.1, n] as const]),
  ...[10, 15, 20].flatMap((n) => [[60, 60, 0.1, n] as const, [60, 6, 0.1, n] as const]),
  ...[20, 50].flatMap((n) => [[1000, 1000, 0.1, n] as const, [1000, 100, 0.1, n] as const]),
  ...[6, 7, 8].flatMap((n) => [[9, 9, 0.4, n] as const, [9, 5, 0.4, n] as const]),
  ...[6, 8, 10].map((n) => [60, 60, 0.4, n] as const),
  ...[10, 20, 50].map((n) => [9, 0, 0, n] as const),
  ...[10, 20].map((n) => [60, 0, 0, n] as const),
] as [number, number, number, number][]) {
  const runs = runsOf(cells);
  const { counts, least, leastWrong } = simulate(cells, differ, shift, rounds, runs);
  const power = (how: keyof typeof counts) => (differ === 0 ? '–' : percent(counts[how].found / (runs * differ)));
  rows.push({
    cells: `${cells}, ${differ} differ by ${shift}`,
    rounds,
    'Holm names': power('holm'),
    'Hommel names': power('hommel'),
    'BH names': power('benjamini-hochberg'),
    'Holm wrong': rate(counts.holm.wrong, runs),
    'Hommel wrong': rate(counts.hommel.wrong, runs),
    'BH, at least': least.toFixed(1),
    'bound wrong': rate(leastWrong, runs),
  });
}
console.table(rows);

console.log('Rounds that name 80 % of the cells that differ by 0.1, all or one of them:');
const needed = (cells: number, differ: number, how: (typeof adjustments)[number]): number => {
  const enough = (rounds: number) => {
    const runs = Math.max(20, Math.round(20_000 / cells));
    return simulate(cells, differ, 0.1, rounds, runs).counts[how].found / (runs * differ) >= 0.8;
  };
  let [low, high] = [5, 64];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
};
console.table(
  [1, 9, 60, 1000].map((cells) => ({
    cells,
    'Holm, all differ': needed(cells, cells, 'holm'),
    'Hommel, all differ': needed(cells, cells, 'hommel'),
    ...(cells === 1 ? {} : { 'Holm, a tenth differs': needed(cells, Math.ceil(cells / 10), 'holm') }),
    ...(cells === 1 ? {} : { 'Hommel, a tenth differs': needed(cells, Math.ceil(cells / 10), 'hommel') }),
  })),
);
