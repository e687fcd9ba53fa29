// Intervals beside the true shift: how often each holds it, and how often the test of equivalence errs.
// Takes 1 minute. node bench statistics/coverage [REPETITIONS, default 2000]
//
// Simulated rounds of h2 and h3 with known medians, of five shapes; a round's visits share from nothing to nearly all of their noise. Seeded.
import { bootstrapIntervals, equivalence, hodgesLehmannShift, proportion, pseudomedian } from '../../packages/core/src/math/index.ts';
import { normalCdf } from '../../packages/core/src/math/probability.ts';
import { normal, random, t3Scale } from '../shared/shapes.ts';

const repetitions = Number(process.argv[2] ?? 2000);
/** Few rounds cost little, and their coverage is the closest to what is wanted. */
const repetitionsOf = (n: number) => (n <= 6 ? 3 : 1) * repetitions;
const sizes = [5, 6, 10, 20, 50];
const correlations = [0, 0.5, 0.9];

type Round = { candidate: number; baseline: number };
type Shape = {
  /** One round without a difference between the protocols. */
  draw: (correlation: number) => [baseline: number, candidate: number];
  /** The true medians. */
  medians: [baseline: number, candidate: number];
};

function correlated(correlation: number): [number, number] {
  const shared = normal();
  return [shared, correlation * shared + Math.sqrt(1 - correlation ** 2) * normal()];
}

const both = (median: number, of: (z: number) => number): Shape => ({
  draw: (correlation) => correlated(correlation).map(of) as [number, number],
  medians: [median, median],
});

/** 300 ms ± 15, and a share of the visits one round trip of 100 ms later. */
function twoModes(lateBaseline: number, lateCandidate: number): Shape {
  const medianOf = (late: number): number => {
    let [below, above] = [200, 500];
    while (above - below > 1e-9) {
      const middle = (below + above) / 2;
      const share = (1 - late) * normalCdf((middle - 300) / 15) + late * normalCdf((middle - 400) / 15);
      if (share < 0.5) below = middle;
      else above = middle;
    }
    return below;
  };
  return {
    draw: (correlation) => {
      const [first, second] = correlated(correlation);
      const luck = random();
      const other = random() < correlation ? luck : random();
      return [300 + 15 * first + (luck < lateBaseline ? 100 : 0), 300 + 15 * second + (other < lateCandidate ? 100 : 0)];
    },
    medians: [medianOf(lateBaseline), medianOf(lateCandidate)],
  };
}

const shapes: Record<string, Shape> = {
  'normal, 10 %': both(1000, (z) => 1000 * (1 + 0.1 * z)),
  'log-normal, σ 0.5': both(1000, (z) => 1000 * Math.exp(0.5 * z)),
  't, 3 df, 5 %': {
    draw: (correlation) => {
      const scale = t3Scale();
      return correlated(correlation).map((z) => Math.max(1, 1000 * (1 + (0.05 * z) / scale))) as [number, number];
    },
    medians: [1000, 1000],
  },
  '30 % late, both': twoModes(0.3, 0.3),
  '50 % late, both': twoModes(0.5, 0.5),
};

const roundsOf = ({ draw }: Shape, correlation: number, n: number, factor: number): Round[] =>
  Array.from({ length: n }, () => {
    const [baseline, candidate] = draw(correlation);
    return { baseline, candidate: factor * candidate };
  });
const logRatios = (rounds: readonly Round[]) => rounds.map(({ candidate, baseline }) => Math.log(candidate / baseline));

type Interval = { low: number; high: number } | null | undefined;
type Trial = (n: number) => { interval: Interval; truth: number };

const percent = (share: number) => (100 * share).toFixed(1).padStart(5);
const header = (title: string) => console.log(`\n${title.padEnd(34)}${sizes.map((n) => `n = ${n}`.padStart(22)).join('')}`);
let lowest = 1;

/** Coverage with its 95 % interval, and the mean width. */
function covered(name: string, trial: Trial): void {
  const cells = sizes.map((n) => {
    let [hits, width, intervals] = [0, 0, 0];
    for (let i = 0; i < repetitionsOf(n); i++) {
      const { interval, truth } = trial(n);
      if (!interval) continue;
      intervals++;
      width += interval.high - interval.low;
      if (interval.low <= truth + 1e-9 && interval.high >= truth - 1e-9) hits++;
    }
    if (intervals === 0) return 'too few'.padStart(22);
    const { share, low, high } = proportion(hits, intervals);
    lowest = Math.min(lowest, share);
    const average = width / intervals;
    return `${percent(share)} (${percent(low)}–${percent(high)}) ${average < 10 ? average.toFixed(2) : average.toFixed(0)}`.padStart(22);
  });
  console.log(`${name.padEnd(34)}${cells.join('')}`);
}

function section(
  title: string,
  rows: Record<string, Shape>,
  trialOf: (shape: Shape, correlation: number) => Trial,
  shared = correlations,
): void {
  header(title);
  lowest = 1;
  for (const [name, shape] of Object.entries(rows)) {
    for (const correlation of shared) covered(`${name}, shared ${correlation}`, trialOf(shape, correlation));
  }
  console.log(`lowest: ${percent(lowest)} %`);
}

const deltaTrial =
  (shape: Shape, correlation: number): Trial =>
  (n) => {
    const [baseline, candidate] = [shape.medians[0], 0.9 * shape.medians[1]];
    const truth = (candidate - baseline) / Math.max(candidate, baseline);
    return { interval: bootstrapIntervals(roundsOf(shape, correlation, n, 0.9), { seed: 1 })?.delta, truth };
  };

console.log(
  `Coverage of 95 % intervals over ${repetitions} repetitions (three times as many of 5 and 6 rounds), %: share (its own 95 % interval) mean width. HTTP/3 takes 0.9 of the time.`,
);
section('H3-Delta, bootstrap by rounds', shapes, deltaTrial);
section('Pseudomedian of log-ratios', shapes, (shape, correlation) => (n) => ({
  interval: pseudomedian(logRatios(roundsOf(shape, correlation, n, 0.9))).interval,
  truth: Math.log(0.9),
}));
section(
  'Shift of unpaired samples, −30 ms',
  shapes,
  (shape) => (n) => {
    const rounds = roundsOf(shape, 0, n, 1);
    return {
      interval: hodgesLehmannShift(
        rounds.map(({ candidate }) => candidate - 30),
        rounds.map(({ baseline }) => baseline),
      ).interval,
      truth: -30,
    };
  },
  [0],
);
section(
  'The limit: H3-Delta, shares differ',
  { '40 %, 30 % late': twoModes(0.4, 0.3), '50 %, 40 % late': twoModes(0.5, 0.4), '60 %, 40 % late': twoModes(0.6, 0.4) },
  deltaTrial,
);

header('Equivalent within 5 %, share');
for (const [words, factor] of [
  ['ratio 1.05 (wanted: at most 5)', 1.05],
  ['ratio 1 / 1.05 (at most 5)', 1 / 1.05],
  ['ratio 1 (power)', 1],
] as const) {
  for (const [name, deviation] of [
    ['2 %', 0.02],
    ['5 %', 0.05],
  ] as const) {
    const cells = sizes.map((n) => {
      const draw = () => Math.log(factor) + deviation * normal();
      const equivalent = Array.from(
        { length: repetitions },
        () => equivalence(Array.from({ length: n }, draw))?.equivalent === true,
      ).filter(Boolean).length;
      const { share, low, high } = proportion(equivalent, repetitions);
      return `${percent(share)} (${percent(low)}–${percent(high)})`.padStart(22);
    });
    console.log(`${`${words}, noise ${name}`.padEnd(34)}${cells.join('')}`);
  }
}
