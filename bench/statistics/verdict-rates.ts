// Verdicts where nothing differs, beside cells that differ: how often each names a winner or equivalence.
// Takes TT. node bench statistics/verdict-rates [REPETITIONS, default 2000]
//
// Made-up campaigns, each through `compareCells`: times of four shapes, with and without what a round's visits share; families of 12 comparisons;
// campaigns that are looked at after every round. coverage.ts has the intervals. Seeded.
import { type MadeRound, madeCampaign, madeVisits } from '../../packages/core/fixtures/made-campaign.ts';
import { proportion } from '../../packages/core/src/math/index.ts';
import type { Comparison, VerdictOutcome } from '../../packages/core/src/schemas/index.ts';
import { CountedVisits } from '../../packages/core/src/verdict/counted-visits.ts';
import { type ComparedCell, compareCells, isSettled, looksOf, type ResultVisit } from '../../packages/core/src/verdict/index.ts';
import { normal, random, t3Scale } from '../shared/shapes.ts';

const repetitions = Number(process.argv[2] ?? 2000);
const sizes = [6, 10, 20, 50];
const margin = 0.05;

/** Of one round without a difference between the protocols: h2 and h3, in ms. */
type Shape = (correlation: number) => [number, number];

function correlated(correlation: number): [number, number] {
  const shared = normal();
  const one = () => Math.sqrt(correlation) * shared + Math.sqrt(1 - correlation) * normal();
  return [one(), one()];
}

const shapes: Record<string, Shape> = {
  'normal, 10 %': (correlation) => correlated(correlation).map((z) => 1000 * (1 + 0.1 * z)) as [number, number],
  'log-normal, σ 0.5': (correlation) => correlated(correlation).map((z) => 1000 * Math.exp(0.5 * z)) as [number, number],
  't, 3 df, 5 %': (correlation) => correlated(correlation).map((z) => Math.max(1, 1000 * (1 + (0.05 * z) / t3Scale()))) as [number, number],
  'two modes, 30 % late': (correlation) => {
    const luck = random();
    return correlated(correlation).map((z) => 300 + 15 * z + ((random() < correlation ? luck : random()) < 0.3 ? 100 : 0)) as [
      number,
      number,
    ];
  },
};

const roundsOf = (shape: Shape, correlation: number, n: number, factor = 1): MadeRound[] =>
  Array.from({ length: n }, () => {
    const [h2, h3] = shape(correlation);
    return [h2, factor * h3];
  });

/** Log-ratios with this standard deviation. */
const noisy =
  (deviation: number): Shape =>
  () => [1000, 1000 * Math.exp(deviation * normal())];

/** The answer to a campaign's question at each of its sites. */
function answersOf({ sites, spec }: ReturnType<typeof madeCampaign>, visits: readonly ResultVisit[], complete = true): Comparison[] {
  const groups = new Map(sites.map(({ id }) => [id, newGroup()]));
  for (const visit of visits) {
    const group = groups.get(visit.siteId) as ReturnType<typeof newGroup>;
    group.finished.add(visit.roundNumber);
    if (visit.verdict === 'valid') group.slots[visit.slot]?.counted.add(visit);
  }
  const looks = looksOf(spec, sites.length);
  const compared = compareCells([...groups.values()], { ...spec, looks, complete, resamples: 100 });
  return [...compared].map((comparisons) => comparisons.find(({ confirmatory }) => confirmatory) as Comparison);
}

const newGroup = () =>
  ({
    slots: (['h2', 'h3'] as const).map((protocol) => ({ protocol, counted: new CountedVisits(), invalid: new Map() })),
    finished: new Set<number>(),
    linkDoubt: null,
  }) satisfies ComparedCell;

/** Of a campaign on one site. */
const answerOf = (rounds: readonly MadeRound[]): Comparison =>
  answersOf(madeCampaign({ rounds: rounds.length, margin }), madeVisits(rounds))[0] as Comparison;
const outcomeOf = (rounds: readonly MadeRound[]): VerdictOutcome => answerOf(rounds).verdict.outcome;
const namesWinner = (outcome: VerdictOutcome) => outcome.endsWith('faster');

const percent = (share: number) => (100 * share).toFixed(1);
let worst = { low: 0, words: 'none' };
/** Share of the repetitions in which it happens, with its 95 % interval (Clopper–Pearson). */
function shareWords(times: number, happens: () => boolean, row = ''): string {
  const count = Array.from({ length: times }, happens).filter(Boolean).length;
  const { share, low, high } = proportion(count, times);
  const words = `${percent(share)} (${percent(low)}–${percent(high)})`;
  if (row !== '' && low > worst.low) worst = { low, words: `${row}: ${words}` };
  return words.padStart(20);
}
const header = (title: string, columns: readonly string[]) =>
  console.log(`\n${title.padEnd(46)}${columns.map((column) => column.padStart(20)).join('')}`);
const ofSizes = (counts: readonly number[]) => counts.map((n) => `n = ${n}`);

function falseWinners(): void {
  header('A winner where there is none (at most 5)', ofSizes(sizes));
  for (const [name, shape] of Object.entries(shapes)) {
    for (const correlation of [0, 0.5]) {
      const row = `${name}, shared ${correlation}`;
      const cells = sizes.map((n) =>
        shareWords(repetitions, () => namesWinner(outcomeOf(roundsOf(shape, correlation, n))), `${row}, n = ${n}`),
      );
      console.log(row.padEnd(46) + cells.join(''));
    }
  }
}

/** Any false winner among 12 sites, of which the first ones differ by a fifth. */
function falseWinnersOfFamilies(): void {
  const [sites, campaigns] = [12, Math.ceil(repetitions / 4)];
  header(`Any false winner among ${sites} comparisons (at most 5)`, ofSizes([10, 20]));
  for (const [name, shape] of Object.entries(shapes)) {
    for (const different of [0, 6]) {
      const row = `${name}, ${different} of them differ`;
      const cells = [10, 20].map((n) =>
        shareWords(
          campaigns,
          () => {
            const visits = Array.from({ length: sites }, (_, site) =>
              madeVisits(roundsOf(shape, 0.5, n, site < different ? 0.8 : 1), { siteId: String(site + 1) }),
            );
            const answers = answersOf(madeCampaign({ sites, rounds: n, margin }), visits.flat());
            return answers.slice(different).some(({ verdict }) => namesWinner(verdict.outcome));
          },
          `${row}, n = ${n}`,
        ),
      );
      console.log(row.padEnd(46) + cells.join(''));
    }
  }
}

/** Cells without a difference that are called practically significant, and those that the unpaired test alone would call so. */
function falselyPractical(): void {
  header(
    'Called practical without a difference',
    sizes.flatMap((n) => [`n = ${n}`, 'unpaired alone']),
  );
  for (const [name, shape] of Object.entries(shapes)) {
    for (const correlation of [0, 0.5]) {
      const cells = sizes.flatMap((n) => {
        const answers = Array.from({ length: Math.ceil(repetitions / 2) }, () => answerOf(roundsOf(shape, correlation, n)));
        const alone = ({ mannWhitney, relativeMedianDifference: relative }: Comparison) =>
          (mannWhitney?.p ?? 1) < 0.05 && Math.abs(mannWhitney?.rankBiserial ?? 0) >= 0.3 && Math.abs(relative ?? 0) >= 0.1;
        return [(one: Comparison) => one.practical, alone].map((is) => {
          const found = answers.values();
          return shareWords(answers.length, () => is(found.next().value as Comparison));
        });
      });
      console.log(`${name}, shared ${correlation}`.padEnd(46) + cells.join(''));
    }
  }
}

/** Someone looks at the results after every round, until the campaign stops adding rounds. */
function falseWinnersUntilSettled(): void {
  const campaigns = Math.ceil(repetitions / 10);
  const campaign = madeCampaign({ rounds: 10, maximumRounds: 60, margin });
  header('Until settled, 10 to 60 rounds, looked at after each', ['a winner (≤ 5)', 'found, 10 % less']);
  for (const [name, shape] of Object.entries(shapes)) {
    const everNames = (factor: number) => (): boolean => {
      const rounds = roundsOf(shape, 0.5, 60, factor);
      for (let done = 1; done <= rounds.length; done++) {
        const visits = madeVisits(rounds.slice(0, done));
        const [answer] = answersOf(campaign, visits, done === rounds.length) as [Comparison];
        if (namesWinner(answer.verdict.outcome)) return true;
        if (isSettled({ comparisons: [answer], slots: [] })) return false;
      }
      return false;
    };
    console.log(name.padEnd(46) + shareWords(campaigns, everNames(1), `${name}, until settled`) + shareWords(campaigns, everNames(0.9)));
  }
}

function power(): void {
  const counts = [5, 10, 20, 50];
  const times = Math.ceil(repetitions / 2);
  const deviations = [0.05, 0.1, 0.2];
  const rows = (title: string, factor: number, outcome: VerdictOutcome) => {
    header(title, ofSizes(counts));
    for (const deviation of deviations) {
      const cells = counts.map((n) => shareWords(times, () => outcomeOf(roundsOf(noisy(deviation), 0, n, factor)) === outcome));
      console.log(`log-ratios differ by ${deviation}`.padEnd(46) + cells.join(''));
    }
  };
  rows('h3-faster, where h3 takes 10 % less', 0.9, 'h3-faster');
  rows('equivalent, where there is no difference', 1, 'equivalent');
  rows('equivalent, at the margin of 5 % (at most 5)', 1 + margin, 'equivalent');
}

console.log(
  `Share of verdicts with its 95 % interval, %; ${repetitions} campaigns, a quarter of 12 comparisons, a tenth until settled, half for power`,
);
falseWinners();
falseWinnersOfFamilies();
falselyPractical();
falseWinnersUntilSettled();
power();
console.log(`\nfalse winners, the row whose interval begins highest: ${worst.words}`);
