// A verdict with its numbers in a sentence or two, the same for the command line, the API and the dashboard.

import type { Comparison, ComparisonVerdict, VerdictOutcome } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { Adjustment } from '../vocabulary/choices.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { type Doubt, quantilesFor } from '../vocabulary/verdict.ts';
import {
  changeWords,
  confidenceWords,
  counted,
  endsOf,
  estimatedValue,
  grouped,
  intervalWords,
  listed,
  percent,
  protocolName,
  pWords,
  quantileName,
  type Sides,
  shareWords,
  wholePercent,
} from './numbers.ts';

type Compared = Omit<Comparison, 'verdict'>;

/** The facts about a comparison and its campaign that its sentences need. */
export interface VerdictFacts {
  adjustment: Adjustment;
  /** Number of comparisons that are corrected together. */
  comparisons: number;
  /** Planned number of comparisons: some may never be shown, and take no part. */
  planned: number;
  /** Looks that adjustedP is corrected for; 1 if the number of rounds is fixed. */
  looks: number;
  /** An adjustedP at or below it names a winner. */
  level: number;
  /** With this many rounds, all on one side, a difference is shown beside the other comparisons as they are. */
  enoughRounds: number;
  /** Why no visit over one of the protocols, or over both (null), loaded the page, from `notLoaded`; null: each loaded it. */
  notLoaded: { protocol: Protocol | null; words: string } | null;
  /** Median shares that came over HTTP/3 in the visits that should use it; null: unknown, or there are none. */
  h3Shares: { objects: number; bytes: number } | null;
}

/**
 * The claim, then what to know about it, and last the doubts about naming a winner, which the dashboard lists by itself.
 * @param winner the protocol that the test favours, whether or not the verdict names it.
 */
export function verdictWords(
  outcome: VerdictOutcome,
  comparison: Compared,
  circumstances: VerdictFacts,
  winner: Protocol | null,
  doubts: ComparisonVerdict['doubts'],
): string {
  const { h3Shares } = circumstances;
  const against = outcome === 'inconclusive' ? doubts : [];
  // Two slots of HTTP/2 say nothing about another protocol, however they differ.
  if (h3Shares?.objects === 0) {
    const others = against.filter(({ doubt }) => doubt !== 'little-h3').map(({ words }) => words);
    return ['No comparison: the median visit that should use HTTP/3 received nothing over it.', ...others].join(' ');
  }
  const isSaid = (doubt: Doubt) => doubts.some((one) => one.doubt === doubt);
  const { failures } = comparison;
  const facts = [
    ...(failures.candidate + failures.baseline + failures.unpaired.candidate + failures.unpaired.baseline > 0 && !isSaid('fails-more')
      ? [failures.words]
      : []),
    ...(h3Shares !== null && !isSaid('little-h3')
      ? [`${wholePercent(h3Shares.objects)} of the objects and ${wholePercent(h3Shares.bytes)} of the bytes came over HTTP/3 (medians).`]
      : []),
  ];
  return [
    claimWords(outcome, comparison, circumstances, winner, isSaid('slow-loads')),
    ...facts,
    ...against.map(({ words }) => words),
  ].join(' ');
}

/** Such as: The page could not be loaded: a host name did not resolve (9 of 9 visits). No comparison: the page never loaded over HTTP/3: … */
export function notLoadedWords({ protocol, words }: NonNullable<VerdictFacts['notLoaded']>): string {
  return protocol === null ? `The page ${words}.` : `No comparison: over ${protocolName(protocol)} the page ${words}.`;
}

function claimWords(
  outcome: VerdictOutcome,
  comparison: Compared,
  circumstances: VerdictFacts,
  winner: Protocol | null,
  isSlow: boolean,
): string {
  const { metric, candidate, baseline, rounds, equivalence } = comparison;
  const title = metricTitle(metric);
  const numbers = numbersOf(comparison, circumstances);
  if (equivalence?.equivalent === true && (outcome === 'equivalent' || isSlow)) {
    const { confidence, margin } = equivalence;
    // Inside the margin both ends are numbers.
    const [low, high] = [equivalence.low ?? 0, equivalence.high ?? 0];
    const where = `${title} over ${protocolName(candidate)} is ${intervalWords(low, high)} than over ${protocolName(baseline)}`;
    const alone = circumstances.planned > 1 ? `; not corrected for ${counted(circumstances.planned, 'comparison')}` : '';
    const sure = `(${confidenceWords(confidence)} interval, ${counted(rounds, 'round')}${alone})`;
    const inside = `${where} ${sure}, inside the margin of ${percent(margin)}`;
    return isSlow ? `Equivalent in typical visits, not in slow ones: ${inside}.` : alikeWords(inside, comparison);
  }
  if (outcome === 'not-shown-yet') return notYetWords(comparison, circumstances);
  if (outcome === 'inconclusive') return undecidedWords(comparison, circumstances, winner, numbers);
  const { adjustment, comparisons, notLoaded } = circumstances;
  // Without a load there is no time: the test compares failures.
  const difference = notLoaded?.protocol ? `the page never loaded over ${protocolName(notLoaded.protocol)}` : differenceWords(comparison);
  const isShare = adjustment === 'benjamini-hochberg' && comparisons > 1;
  const share = isShare ? ` On average, at most 5 % of the winners named among ${grouped(comparisons)} comparisons are false.` : '';
  return `${protocolName(winner ?? candidate)} is faster: ${difference} (${numbers}).${share}`;
}

/** Equivalence of the centre says nothing about a slow minority. */
function alikeWords(inside: string, { equivalence, rounds }: Compared): string {
  const slow = equivalence?.slowLoads ?? null;
  if (slow === null) {
    const why =
      quantilesFor(rounds).length === 0
        ? `${counted(rounds, 'round')} say too little about slow visits`
        : 'too many visits failed to judge slow ones';
    return `Typically no difference that matters: ${inside}; ${why}.`;
  }
  const [where, there] = [`at the ${quantileName(slow.p)}`, intervalWords(slow.low, slow.high)];
  if (!slow.within) return `Typically no difference that matters: ${inside}; not shown for slow visits: ${where} ${there}.`;
  if (slow.p === 0.9) return `No difference that matters, typically and ${where}: ${inside}; ${where} ${there}.`;
  const open = `${counted(rounds, 'round')} say too little about the slowest tenth`;
  return `Typically, and ${where}, no difference that matters: ${inside}; ${where} ${there}; ${open}.`;
}

/**
 * Such as: Likely slower over HTTP/3, not proven: onLoad was higher than over HTTP/2 in all 8 rounds, typically by 52 %. 8 rounds can’t reach
 * 95 % over 9 comparisons (p = …); 9 can.
 */
function notYetWords(comparison: Compared, { planned, looks, level, enoughRounds, notLoaded }: VerdictFacts): string {
  const { metric, candidate, baseline, rounds, signedRank } = comparison;
  const [p, adjustedP] = [signedRank?.p ?? 1, signedRank?.adjustedP ?? 1];
  const size = sizeWords(comparison);
  const by = size === null ? '' : `, typically by ${size}`;
  const isLower = (signedRank?.rankBiserial ?? 0) < 0;
  const [loaded, never] = notLoaded?.protocol === baseline ? [candidate, baseline] : [baseline, candidate];
  const seen = notLoaded?.protocol
    ? `Not proven: in all ${counted(rounds, 'round')} the page failed over ${protocolName(never)} and loaded over ${protocolName(loaded)}.`
    : `Likely ${isLower ? 'faster' : 'slower'} over ${protocolName(candidate)}, not proven: ${metricTitle(metric)} was ${isLower ? 'lower' : 'higher'} than over ${protocolName(baseline)} in all ${counted(rounds, 'round')}${by}.`;
  const among = planned > 1 ? ` over ${counted(planned, 'comparison')}` : looks > 1 ? ' at this look' : '';
  const ps = adjustedP > p ? `${pWords(p, level)} by itself, ${pWords(adjustedP, level).replace('p = ', '')} corrected` : pWords(p, level);
  return `${seen} ${counted(rounds, 'round')} can’t reach ${confidenceWords(0.95)}${among} (${ps}); ${grouped(enoughRounds)} can.`;
}

function undecidedWords(comparison: Compared, { level }: VerdictFacts, winner: Protocol | null, numbers: string): string {
  const { metric, candidate, baseline, shift, shiftConfidence, signedRank } = comparison;
  if (winner !== null) return `No winner is named, although ${differenceWords(comparison)} (${numbers}).`;
  const [one, other] = [protocolName(candidate), protocolName(baseline)];
  if (signedRank === null) return `No comparison: no round has ${metricTitle(metric)} over both ${one} and ${other}.`;
  const [ends, of] = [shift && endsOf(shift), `${confidenceWords(shiftConfidence)} interval: `];
  const facts = `${ends === null ? '' : `${of}${intervalWords(...ends)}; `}${numbers}`;
  const what = `No clear difference in ${metricTitle(metric)} between ${one} and ${other} (${facts})`;
  return signedRank.adjustedP <= level ? `${what}: the two are equal in so many rounds that the typical difference is 0.` : `${what}.`;
}

/** Such as: 20 rounds, p = 0.00021 corrected for 12 comparisons. */
function numbersOf({ rounds, signedRank }: Compared, { level, comparisons, looks }: VerdictFacts): string {
  const others = [...(comparisons > 1 ? [counted(comparisons, 'comparison')] : []), ...(looks > 1 ? [counted(looks, 'look')] : [])];
  const corrected = others.length === 0 ? '' : ` corrected for ${listed(others)}`;
  return `${counted(rounds, 'round')}, ${pWords(signedRank?.adjustedP ?? 1, level)}${corrected}`;
}

/** The part of a comparison that describes a difference. */
export type Difference = Pick<
  Comparison,
  'metric' | 'candidate' | 'baseline' | 'shift' | 'shiftAtMedian' | 'shiftConfidence' | 'signedRank'
>;

/**
 * The difference as part of a sentence: the page finishes loading 96 ms (9.2 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 4.2 to
 * 11 %.
 *
 * The per cent are the shift, which verdict and interval use; the milliseconds are `shiftAtMedian`, so that the two can't contradict each
 * other. Without milliseconds, the per cent are used alone.
 */
export function differenceWords(difference: Difference): string {
  const { metric, candidate, baseline } = difference;
  const sure = sureWords(difference);
  const claim = `${subjectOf(metric)} ${amountWords(difference)} over ${protocolName(candidate)} than over ${protocolName(baseline)}`;
  return sure === null ? claim : `${claim}; ${sure}`;
}

/** The candidate's difference without the protocols: 96 ms (9.2 %) sooner; 95 % sure it is 4.2 to 11 %. Null if there is no shift. */
export function candidateDifference(difference: Difference): string | null {
  if (difference.shift === null) return null;
  return [amountWords(difference), sureWords(difference)].filter((words) => words !== null).join('; ');
}

/** 96 ms (9.2 %) sooner: the candidate's difference. An unknown shift, because a value is 0, has only its side. */
export function amountWords(difference: Difference): string {
  const { metric, shift, signedRank } = difference;
  const [below, above] = sidesOf(metric);
  if (shift === null) return (signedRank?.rankBiserial ?? 0) < 0 ? below : above;
  const size = sizeWords(difference);
  const share = estimatedValue(shift);
  return size === null ? changeWords(share, [below, above]) : `${size} ${share < 0 ? below : above}`;
}

/** 96 ms (9.2 %), without its side; null if there is no shift, or it is unbounded. */
export function sizeWords({ shift, shiftAtMedian }: Pick<Difference, 'shift' | 'shiftAtMedian'>): string | null {
  if (shift?.value == null) return null;
  const share = shareWords(shift.value);
  return shiftAtMedian === null ? share : `${millisecondWords(shiftAtMedian)} (${share})`;
}

/** Of several differences on one side from the smallest to the largest: 8.1 to 25 %; of one as `sizeWords`. Null if none has a number. */
export function sizesWords(differences: readonly Pick<Difference, 'shift' | 'shiftAtMedian'>[]): string | null {
  const [first, ...others] = differences.filter(({ shift }) => shift?.value != null);
  if (first === undefined) return null;
  if (others.length === 0) return sizeWords(first);
  const shares = [first, ...others].map(({ shift }) => shift?.value ?? 0);
  return intervalWords(Math.min(...shares), Math.max(...shares), ['', '']);
}

/**
 * 95 % sure it is 4.2 to 11 %; if the sign is open: between 2 % sooner and 3 % later. The confidence is the one of the verdict.
 * @returns null if there are too few rounds for it, or both ends are unbounded
 */
export function sureWords({ metric, shift, shiftConfidence }: Difference): string | null {
  const ends = shift && endsOf(shift);
  if (shift === null || ends === null || !ends.some(Number.isFinite)) return null;
  const isOneSided = ends.every((end) => Math.sign(end) === Math.sign(estimatedValue(shift)));
  return `${confidenceWords(shiftConfidence)} sure it is ${intervalWords(...ends, isOneSided ? ['', ''] : sidesOf(metric))}`;
}

/** The words before the amount, if they are not “… is”; the amount of a moment is sooner or later. */
const moments: Partial<Record<MetricName, string>> = {
  onLoad: 'the page finishes loading',
  loadEventEnd: 'the load event ends',
  domContentLoaded: 'DOMContentLoaded comes',
  ttfb: 'the first byte comes',
  documentHeaders: 'the document’s headers come',
  firstPaint: 'the first paint comes',
  firstContentfulPaint: 'First Contentful Paint comes',
  largestContentfulPaint: 'Largest Contentful Paint comes',
  firstVisualChange: 'the first visual change comes',
  lastVisualChange: 'the last visual change comes',
  linkedDownload: 'all linked assets are there',
};

const subjectOf = (metric: MetricName): string => moments[metric] ?? `${metricTitle(metric)} is`;
export const sidesOf = (metric: MetricName): Sides => (metric in moments ? ['sooner', 'later'] : ['lower', 'higher']);

/** 0.63 ms, 96 ms, 1.23 s. */
function millisecondWords(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 999.5) return `${Number((size / 1000).toPrecision(3))} s`;
  return `${size < 9.95 ? Number(size.toPrecision(2)) : Math.round(size)} ms`;
}

/** What numbers of forced HTTP/3 hold for, without its full stop. */
export const forcedSentence =
  'HTTP/3 was forced from the first request: what a visitor gets whose browser already knows that the host speaks it. ' +
  'A first visitor of a host without an HTTPS record begins over HTTP/2';
