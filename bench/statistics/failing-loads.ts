// Gates and verdicts where 0 to 20 % of the loads fail, of all protocols or of one: how often they err at their limits and beside them.
// Takes TT. node bench statistics/failing-loads [REPETITIONS, default 1000]
//
// Made-up campaigns, each through the functions that the product calls. Seeded.
import { type MadeRound, madeCampaign, madeUp, madeVisits, spread } from '../../packages/core/fixtures/made-campaign.ts';
import { answerQuestion, checkGate, measure } from '../../packages/core/src/campaign/index.ts';
import { proportion, randomSource } from '../../packages/core/src/math/index.ts';
import { normalQuantile } from '../../packages/core/src/math/probability.ts';
import type { Comparison } from '../../packages/core/src/schemas/index.ts';

const repetitions = Number(process.argv[2] ?? 1000);
const random = randomSource(16);
const none = Number.POSITIVE_INFINITY;
const percent = (share: number) => Number((100 * share).toFixed(1));

function rate(happens: readonly boolean[]): string {
  const { share, low, high } = proportion(happens.filter(Boolean).length, happens.length);
  return `${percent(share)} [${percent(low)}, ${percent(high)}]`.padEnd(20);
}
const wholePage = {
  ...{ requests: 60, finishedBytes: 1_000_000, ipv6Share: 0, h3Share: 1, h3ByteShare: 1 },
  ...{ documentAddress: '192.0.2.1', ownShare: 0.4, refused: 0, cutShort: 0 },
};
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

console.log(`Shares in % with their 95 % interval; ${repetitions} campaigns each\n`);

console.log('Gate onLoad p90 <= 2.5 s, 100 rounds, times spread by 10 %, so many loads fail');
for (const failing of [0, 0.02, 0.05, 0.09, 0.12, 0.2]) {
  // At the limit: 90 % of all loads come in time. Where more than 10 % fail there is no such page: its p90 is none.
  const possible = failing < 0.1;
  for (const [where, factor] of possible
    ? ([
        ['at the limit', 1],
        ['10 % below', 1 / 1.1],
        ['10 % above', 1.1],
      ] as const)
    : ([['times far below', 0.4]] as const)) {
    const level = 2500 / (possible ? Math.exp(0.1 * normalQuantile(0.9 / (1 - failing))) : 1);
    const outcomes = times(repetitions, () => {
      const visit = () => (random() < failing ? ('load-timeout' as const) : { onLoad: level * factor * spread(random, 0.1) });
      return checkGate({ assertions: ['onLoad p90 h3 <= 2.5 s'] }, madeUp(visit, { rounds: 100, protocols: ['h3'] })).outcome;
    });
    console.log(
      `${percent(failing)} % fail, ${where}`.padEnd(34),
      'pass',
      rate(outcomes.map((one) => one === 'pass')),
      'fail',
      rate(outcomes.map((one) => one === 'fail')),
    );
  }
}

console.log('\nGate onLoad h3 <= h2 + 5 %, 30 rounds, times spread by 10 %');
for (const [h2, h3] of [
  [0, 0],
  [0.05, 0.05],
  [0.1, 0.1],
  [0.2, 0.2],
  [0, 0.1],
  [0, 0.2],
  [0.1, 0],
  [0.2, 0],
] as const) {
  for (const [where, factor] of [
    ['at the margin', 1.05],
    ['equal', 1],
  ] as const) {
    const outcomes = times(repetitions, () => {
      const visit = ({ protocol }: { protocol: string }) => {
        if (random() < (protocol === 'h3' ? h3 : h2)) return 'quic-error' as const;
        return { onLoad: 1000 * (protocol === 'h3' ? factor : 1) * spread(random, 0.1) };
      };
      return checkGate({ assertions: ['onLoad h3 <= h2 + 5 %'] }, madeUp(visit, { rounds: 30 })).outcome;
    });
    console.log(
      `h2 fails in ${percent(h2)}, h3 in ${percent(h3)} %, ${where}`.padEnd(46),
      'pass',
      rate(outcomes.map((one) => one === 'pass')),
      'fail',
      rate(outcomes.map((one) => one === 'fail')),
    );
  }
}

console.log('\nGate failedShare <= 2 %');
for (const [rounds, failing] of [
  [100, 0.02],
  [200, 0.02],
  [400, 0.02],
  [200, 0],
  [200, 0.005],
  [200, 0.05],
  [200, 0.1],
  [50, 0.1],
] as const) {
  const outcomes = times(repetitions, () => {
    const visit = () => (random() < failing ? ('connection-error' as const) : { onLoad: 1000 });
    return checkGate({ assertions: ['failedShare h3 <= 2 %'] }, madeUp(visit, { rounds, protocols: ['h3'] })).outcome;
  });
  console.log(
    `${rounds} rounds, ${percent(failing)} % fail`.padEnd(34),
    'pass',
    rate(outcomes.map((one) => one === 'pass')),
    'fail',
    rate(outcomes.map((one) => one === 'fail')),
  );
}

interface Made {
  rounds: number;
  /** Of h3's time to h2's. */
  ratio: number;
  h2: number;
  h3: number;
  /** Of the log-ratios. */
  noise?: number;
}

/** The answer to a campaign's question. */
function answer({ rounds, ratio, h2, h3, noise = 0.1 }: Made): Comparison {
  const load = (failing: number, level: number) => (random() < failing ? none : level * spread(random, noise / Math.SQRT2));
  const made = times(rounds, (): MadeRound => [load(h2, 1000), load(h3, 1000 * ratio)]);
  const [group] = answerQuestion(measure(madeCampaign({ rounds }), madeVisits(made)), { complete: true, resamples: 100 });
  return group?.comparison as Comparison;
}

function verdicts(title: string, cases: readonly Made[]): void {
  console.log(`\n${title}`);
  for (const made of cases) {
    const found = times(repetitions, () => answer(made));
    const named = (outcome: string) => found.map(({ verdict }) => verdict.outcome === outcome);
    const wrongly = found.filter(
      ({ verdict: { outcome }, failures: { candidate, baseline } }) =>
        (outcome === 'h3-faster' && candidate > baseline) || (outcome === 'h2-faster' && baseline > candidate),
    );
    const label = `${made.rounds} rounds, h3 ÷ h2 ${made.ratio}, fail: h2 ${percent(made.h2)}, h3 ${percent(made.h3)} %`;
    const doubted = found.map(({ verdict }) => verdict.doubts.some(({ doubt }) => doubt === 'fails-more'));
    console.log(
      label.padEnd(56),
      'h3',
      rate(named('h3-faster')),
      'h2',
      rate(named('h2-faster')),
      'equivalent',
      rate(named('equivalent')),
      'fails-more',
      rate(doubted),
      `named though it failed more: ${wrongly.length}`,
    );
  }
}

const sizes = [10, 20, 50];

console.log('\nLoads that lose one object and take 30 % less by that, spread 10 %; else h3 ÷ h2 as said');
for (const [rounds, lost] of [10, 20, 50, 100].flatMap((rounds) => [0.05, 0.1, 0.14, 0.18, 0.3].map((lost) => [rounds, lost] as const)))
  lostObjects({ rounds, ratio: 1, h2: 0, h3: lost });
for (const rounds of sizes) {
  lostObjects({ rounds, ratio: 1, h2: 0.1, h3: 0.1 });
  for (const lost of [0, 0.05, 0.1]) lostObjects({ rounds, ratio: 0.85, h2: lost, h3: lost });
}

/** @param made h2 and h3: shares of loads that lack something */
function lostObjects(made: Made): void {
  const outcomes = times(repetitions, () => {
    const lacks = times(made.rounds, () => [random() < made.h2, random() < made.h3] as const);
    const load = (level: number, lacking: boolean) => level * (lacking ? 0.7 : 1) * spread(random, 0.1 / Math.SQRT2);
    const visits = madeVisits(lacks.map(([h2, h3]): MadeRound => [load(1000, h2), load(1000 * made.ratio, h3)]));
    const known = visits.map((visit) => {
      const lacking = lacks[visit.roundNumber - 1]?.[visit.slot as 0 | 1] === true;
      return visit.verdict === 'valid' ? { ...visit, page: { ...wholePage, failedRequests: Number(lacking) } } : visit;
    });
    const [group] = answerQuestion(measure(madeCampaign({ rounds: made.rounds }), known), { complete: true, resamples: 100 });
    return group?.comparison?.verdict.outcome;
  });
  const named = (outcome: string) => rate(outcomes.map((one) => one === outcome));
  const label = `${made.rounds} rounds, h3 ÷ h2 ${made.ratio}, lose: h2 ${percent(made.h2)}, h3 ${percent(made.h3)} %`;
  console.log(label.padEnd(56), 'h3', named('h3-faster'), 'h2', named('h2-faster'));
}
verdicts(
  'No difference: neither may be named in more than 5 %',
  sizes.flatMap((rounds) => [0, 0.05, 0.1, 0.2].map((failing) => ({ rounds, ratio: 1, h2: failing, h3: failing }))),
);
verdicts(
  'h3 is 5 % faster (spread 5 %) and fails more',
  sizes.flatMap((rounds) => [0, 0.02, 0.05, 0.1, 0.15, 0.2].map((h3) => ({ rounds, ratio: 0.95, h2: 0, h3, noise: 0.05 }))),
);
verdicts(
  'Both fail, h3 more',
  sizes.flatMap((rounds) => [
    { rounds, ratio: 0.95, h2: 0.05, h3: 0.15, noise: 0.05 },
    { rounds, ratio: 0.8, h2: 0.05, h3: 0.2 },
  ]),
);
verdicts(
  'h3 is 20 % faster, and both fail as often',
  sizes.flatMap((rounds) => [0, 0.02, 0.05, 0.1].map((failing) => ({ rounds, ratio: 0.8, h2: failing, h3: failing }))),
);
verdicts(
  'h2 fails, h3 does not',
  sizes.flatMap((rounds) => [0.05, 0.1, 0.2].map((h2) => ({ rounds, ratio: 1, h2, h3: 0 }))),
);
verdicts(
  'At the margin of 5 %: equivalent in 5 % at most',
  sizes.flatMap((rounds) =>
    [
      [0, 0],
      [0.1, 0.1],
      [0.2, 0.2],
      [0, 0.1],
    ].map(([h2 = 0, h3 = 0]) => ({ rounds, ratio: 1.05, h2, h3, noise: 0.05 })),
  ),
);
