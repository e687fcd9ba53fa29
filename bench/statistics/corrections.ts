// Corrections for many comparisons beside none: false names, power and rounds in campaigns of 1 to 1,000 cells.
// Takes TT. node bench statistics/corrections [REPETITIONS of nine cells, default 4000; fewer of more cells]
//
// A cell is a site under a condition. Log-ratios of rounds spread by 0.1; every fifth cell has two more modes, 0.25 above and below, in 15 % of
// its rounds each. A wrong side counts as false. Benjamini–Hochberg also prints the share of false names, campaigns until settled included. Seeded.

import { adjustPValues, closedSimes } from '../../packages/core/src/math/adjust.ts';
import { equivalence } from '../../packages/core/src/math/hodges-lehmann.ts';
import { proportion, signedRankTest } from '../../packages/core/src/math/index.ts';
import { planLooks, sequentialP } from '../../packages/core/src/verdict/index.ts';
import { adjustments } from '../../packages/core/src/vocabulary/choices.ts';
import { normal, random } from '../shared/shapes.ts';

const repetitions = Number(process.argv[2] ?? 4000);
const level = 0.05;

interface Drawn {
  p: number;
  /** Of the rounds: above or below. */
  side: number;
  shift: number;
}

function logRatios(shift: number, cell: number, rounds: number): number[] {
  const twoModes = cell % 5 === 4;
  return Array.from({ length: rounds }, () => {
    const luck = twoModes ? random() : 0.5;
    return shift + 0.1 * normal() + (luck < 0.15 ? -0.25 : luck >= 0.85 ? 0.25 : 0);
  });
}

function drawn(shift: number, cell: number, rounds: number): Drawn {
  const { p, rankBiserial } = signedRankTest(logRatios(shift, cell, rounds));
  return { p, side: Math.sign(rankBiserial), shift };
}

/** Cells of which the first so many differ by as much. */
const campaign = (cells: number, differ: number, shift: number, rounds: number) =>
  Array.from({ length: cells }, (_, cell) => drawn(cell < differ ? shift : 0, cell, rounds));

function simulate(cells: number, differ: number, shift: number, rounds: number, runs: number) {
  const counts = Object.fromEntries(adjustments.map((how) => [how, { wrong: 0, found: 0, named: 0, falseShare: 0 }])) as Record<
    (typeof adjustments)[number],
    { wrong: number; found: number; named: number; falseShare: number }
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
      counts[how].falseShare += named.length === 0 ? 0 : (named.length - right) / named.length;
    }
    const bound = closedSimes(ps).leastDifferent([...ps.keys()], level);
    least += bound;
    leastWrong += Number(bound > differ);
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
  const { counts } = simulate(cells, differ, shift, rounds, runs);
  const power = (how: keyof typeof counts) => (differ === 0 ? '–' : percent(counts[how].found / (runs * differ)));
  rows.push({
    cells: `${cells}, ${differ} differ by ${shift}`,
    rounds,
    'Holm names': power('holm'),
    'Hommel names': power('hommel'),
    'Holm wrong': rate(counts.holm.wrong, runs),
    'Hommel wrong': rate(counts.hommel.wrong, runs),
  });
}
console.table(rows);

console.log(
  'Cells named, of which falsely by Benjamini–Hochberg (mean share), and how many differ at least, as a campaign’s first sentence says:',
);
const large = [];
for (const [cells, runs] of [
  [60, repetitions / 2],
  [1000, repetitions / 10],
] as const) {
  for (const differ of [cells, cells / 2, cells / 10, 0]) {
    for (const rounds of [10, 15, 20]) {
      const { counts, least, leastWrong } = simulate(cells, differ, 0.1, rounds, runs);
      const { hommel, 'benjamini-hochberg': bh } = counts;
      large.push({
        cells: `${cells}, ${differ} differ by 0.1`,
        rounds,
        'Hommel names': (hommel.named / runs).toFixed(1),
        'BH names': (bh.named / runs).toFixed(1),
        'of them falsely': percent(bh.falseShare / runs),
        'at least': least.toFixed(1),
        'which is too many': rate(leastWrong, runs),
      });
    }
  }
}
console.table(large);

/** A cell gets no more rounds once it is named, or equivalent within 5 %. */
function untilSettled(cells: number, differ: number, shift: number) {
  const looks = planLooks({ rounds: 6, maximumRounds: 60 });
  const all = Array.from({ length: cells }, (_, cell) => ({
    ...{ logs: logRatios(cell < differ ? shift : 0, cell, 60), shift: cell < differ ? shift : 0 },
    ...{ ps: [] as number[], isSettled: false, isNamed: false, side: 0, rounds: 0 },
  }));
  for (const look of looks) {
    for (const cell of all) {
      if (cell.isSettled) continue;
      const logs = cell.logs.slice(0, look.rounds);
      const { p, rankBiserial } = signedRankTest(logs);
      cell.ps.push(p);
      Object.assign(cell, { side: Math.sign(rankBiserial), rounds: look.rounds });
      cell.isSettled = equivalence(logs, { margin: 0.05, alpha: look.level })?.equivalent === true;
    }
    const adjusted = adjustPValues(
      all.map(({ ps }) => sequentialP(looks, ps)),
      'benjamini-hochberg',
    );
    for (const [i, cell] of all.entries()) {
      if (!cell.isSettled && (adjusted[i] as number) <= level) Object.assign(cell, { isSettled: true, isNamed: true });
    }
  }
  const ps = all.map((cell) => sequentialP(looks, cell.ps));
  const named = all.filter(({ isNamed }) => isNamed);
  const right = named.filter((cell) => cell.shift !== 0 && cell.side === Math.sign(cell.shift)).length;
  const bound = closedSimes(ps).leastDifferent([...ps.keys()], level);
  const rounds = all.reduce((sum, cell) => sum + cell.rounds, 0) / cells;
  return { named: named.length, falseShare: named.length === 0 ? 0 : 1 - right / named.length, bound, isWrong: bound > differ, rounds };
}
console.log('The same until settled: looks from 6 rounds to 60.');
console.table(
  [120, 60, 12, 0].map((differ) => {
    const runs = Math.round(repetitions / 10);
    const made = Array.from({ length: runs }, () => untilSettled(120, differ, 0.1));
    const mean = (of: (one: (typeof made)[number]) => number) => made.reduce((sum, one) => sum + of(one), 0) / runs;
    return {
      cells: `120, ${differ} differ by 0.1`,
      'rounds of a cell': mean(({ rounds }) => rounds).toFixed(1),
      'BH names': mean(({ named }) => named).toFixed(1),
      'of them falsely': percent(mean(({ falseShare }) => falseShare)),
      'at least': mean(({ bound }) => bound).toFixed(1),
      'which is too many': rate(made.filter(({ isWrong }) => isWrong).length, runs),
    };
  }),
);

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
