// The band of differences by quantile beside the true ones: how often it holds all, and whether "equivalent" sees a slow minority.
// Takes TT. node bench statistics/quantile-shifts [REPETITIONS, default 400]
//
// Made-up rounds of log-normal times, whose visits share half of their noise. Seeded.
import { madeCampaign, madeVisits } from '../../packages/core/fixtures/made-campaign.ts';
import { type AnsweredCell, answerQuestion, measure } from '../../packages/core/src/campaign/index.ts';
import { normalCdf, normalQuantile } from '../../packages/core/src/math/probability.ts';
import { slowLoads } from '../../packages/core/src/verdict/by-quantile.ts';
import type { Pair } from '../../packages/core/src/verdict/comparison.ts';
import { anyQuantileP, type QuantileShifts, quantileShifts } from '../../packages/core/src/verdict/quantile-shifts.ts';
import { quantilesFor } from '../../packages/core/src/vocabulary/index.ts';
import { normal } from '../shared/shapes.ts';

const repetitions = Number(process.argv[2] ?? 400);
const sizes = [20, 30, 50, 100];
const grids = { quartiles: quantilesFor(20), deciles: quantilesFor(50) };
const margin = 0.05;

/** The logarithms of one side's times: their quantile function, of which both sides are drawn. */
interface Side {
  quantile: (p: number) => number;
}
const spread = (deviation: number): Side => ({ quantile: (p) => deviation * normalQuantile(p) });
/** A share of visits takes so much longer. */
const late = (share: number, by: number, deviation = 0.1): Side => {
  const cdf = (x: number) => (1 - share) * normalCdf(x / deviation) + share * normalCdf((x - by) / deviation);
  return {
    quantile: (p) => {
      let [low, high] = [-9 * deviation, by + 9 * deviation];
      for (let step = 0; step < 40; step++) {
        const middle = (low + high) / 2;
        if (cdf(middle) < p) low = middle;
        else high = middle;
      }
      return (low + high) / 2;
    },
  };
};
const rounded = ({ quantile }: Side, step: number): Side => ({ quantile: (p) => Math.round(quantile(p) / step) * step });

/** Of a round: the luck of both visits, correlated by a half. */
function pairOf(h3: Side, h2: Side): Pair {
  const shared = Math.SQRT1_2 * normal();
  const timeOf = ({ quantile }: Side) => 1000 * Math.exp(quantile(Math.min(1 - 1e-12, normalCdf(shared + Math.SQRT1_2 * normal()))));
  return { candidate: timeOf(h3), baseline: timeOf(h2) };
}
const roundsOf = (h3: Side, h2: Side, n: number) => Array.from({ length: n }, () => pairOf(h3, h2));

const differing: Record<string, [h3: Side, h2: Side]> = {
  equal: [spread(0.1), spread(0.1)],
  'spread × 1.5': [spread(0.15), spread(0.1)],
  'late by 40 %: 30 %, 15 %': [late(0.3, 0.34), late(0.15, 0.34)],
  'the same, in two clear modes': [late(0.3, 0.34, 0.03), late(0.15, 0.34, 0.03)],
  'ties (steps of 4 %)': [rounded(spread(0.1), 0.04), rounded(spread(0.1), 0.04)],
};
const alike: Record<string, Side> = {
  normal: spread(0.1),
  'late by 40 %: 15 %': late(0.15, 0.34),
  'ties (steps of 4 %)': rounded(spread(0.1), 0.04),
  'heavy tail': { quantile: (p) => -0.1 * Math.log(1 - p) ** 3 * -0.1 },
};

/** Share of the runs with its 95 % interval (Wilson). */
function shareWords(happens: () => boolean, runs = repetitions): string {
  let count = 0;
  for (let run = 0; run < runs; run++) if (happens()) count++;
  return ofRuns(count, runs);
}
function ofRuns(count: number, runs: number): string {
  const [z, share] = [1.96, count / runs];
  const centre = (share + (z * z) / (2 * runs)) / (1 + (z * z) / runs);
  const half = (z * Math.sqrt((share * (1 - share)) / runs + (z * z) / (4 * runs * runs))) / (1 + (z * z) / runs);
  const percent = (value: number) => (100 * value).toFixed(1);
  return `${percent(share)} (${percent(centre - half)}–${percent(centre + half)})`.padStart(20);
}
const header = (title: string, columns: readonly string[]) =>
  console.log(`\n${title.padEnd(60)}${columns.map((column) => column.padStart(20)).join('')}`);
const ofSizes = sizes.map((n) => `${n} rounds`);
let seed = 0;
const shiftsOf = (pairs: readonly Pair[], ps: readonly number[]) => quantileShifts(pairs, ps, seed++ % 50) as QuantileShifts;

for (const [grid, ps] of Object.entries(grids)) {
  header(`The 95 % band holds all ${grid}, %`, ofSizes);
  for (const [name, [h3, h2]] of Object.entries(differing)) {
    const truths = ps.map((p) => h3.quantile(p) - h2.quantile(p));
    const cells = sizes.map((n) =>
      shareWords(() => {
        const { shifts, bandReach } = shiftsOf(roundsOf(h3, h2, n), ps);
        const reach = bandReach(0.05);
        return shifts.every(({ shift, se }, i) => Math.abs(shift - (truths[i] as number)) <= reach * se + 1e-9);
      }),
    );
    console.log(name.padEnd(60) + cells.join(''));
  }
}

header('“Some quantile differs” where none does, % (at most 5)', ofSizes);
for (const [name, side] of Object.entries(alike)) {
  const cells = sizes.map((n) => shareWords(() => (anyQuantileP(roundsOf(side, side, n), quantilesFor(n), seed++ % 50) as number) <= 0.05));
  console.log(name.padEnd(60) + cells.join(''));
}
header('The same where some do', ofSizes);
for (const [name, [h3, h2]] of Object.entries({
  ...differing,
  'h3 late by 42 % in 10 %': [late(0.1, 0.35, 0.05), spread(0.05)] as const,
})) {
  if (name === 'equal' || name.startsWith('ties') || name.startsWith('the same')) continue;
  const cells = sizes.map((n) => shareWords(() => (anyQuantileP(roundsOf(h3, h2, n), quantilesFor(n), seed++ % 50) as number) <= 0.05));
  console.log(name.padEnd(60) + cells.join(''));
}

header('“Slow loads within the margin” where they are at it, % (at most 5)', ofSizes);
for (const deviation of [0.02, 0.05, 0.1]) {
  const cells = sizes.map((n) => {
    const p = quantilesFor(n).at(-1) as number;
    const wider = spread(deviation + Math.log1p(margin) / normalQuantile(p));
    return shareWords(() => slowLoads(shiftsOf(roundsOf(wider, spread(deviation), n), quantilesFor(n)), 0.05, margin)?.within === true);
  });
  console.log(`times spread by ${100 * deviation} %`.padEnd(60) + cells.join(''));
}

const pages: Record<string, [h3: Side, h2: Side]> = {
  'equal, spread 3 %': [spread(0.03), spread(0.03)],
  'equal, spread 5 %': [spread(0.05), spread(0.05)],
  'equal, spread 10 %': [spread(0.1), spread(0.1)],
  'h3 42 % slower in 10 %, spread 3 %': [late(0.1, 0.35, 0.03), spread(0.03)],
  'h3 42 % slower in 10 %, spread 5 %': [late(0.1, 0.35, 0.05), spread(0.05)],
  'h3 42 % slower in 20 %, spread 3 %': [late(0.2, 0.35, 0.03), spread(0.03)],
};
header('“Equivalent”, %', ['by typical loads', 'and upper decile', 'and upper quartile', 'typically', 'open by slow loads']);
for (const [name, [h3, h2]] of Object.entries(pages)) {
  for (const n of sizes) {
    const runs = Math.ceil(repetitions / 2);
    const counts = { before: 0, upperDecile: 0, upperQuartile: 0, typically: 0, open: 0 };
    for (let run = 0; run < runs; run++) {
      const rounds = roundsOf(h3, h2, n).map(({ candidate, baseline }) => [baseline, candidate]);
      const campaign = madeCampaign({ rounds: n, margin, seed: seed++ % 50 });
      const [{ comparison }] = [...answerQuestion(measure(campaign, madeVisits(rounds)), { complete: true, resamples: 100 })] as [
        AnsweredCell,
      ];
      const { equivalence = null, verdict } = comparison ?? {};
      if (!equivalence?.equivalent) continue;
      counts.before++;
      if (verdict?.outcome !== 'equivalent') counts.open++;
      else if (equivalence.slowLoads?.within) counts[equivalence.slowLoads.p === 0.9 ? 'upperDecile' : 'upperQuartile']++;
      else counts.typically++;
    }
    const cells = Object.values(counts).map((count) => ofRuns(count, runs));
    console.log(`${name}, ${n} rounds`.padEnd(60) + cells.join(''));
  }
}
