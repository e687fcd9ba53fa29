// A verdict with its numbers, in a sentence or two, the same for CLI, API and dashboard.

import type { ComparisonVerdict, Doubt, VerdictOutcome } from '../schemas/comparison.ts';
import type { Compared } from '../verdict/comparison.ts';
import { percent as rounded } from '../verdict/parity.ts';
import { quantilesFor } from '../verdict/quantile-shifts.ts';
import type { Circumstances } from '../verdict/verdict.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { differenceWords, sizeWords } from './difference.ts';
import { confidenceWords, counted, endsOf, grouped, intervalWords, listed, protocolName, pWords, quantileName } from './numbers.ts';
import { percent } from './quantities.ts';

/**
 * The claim, what is to be known with it, and last what speaks against naming a winner: the dashboard lists that by itself.
 * @param winner for whom the test speaks, whether or not the verdict names it.
 */
export function verdictWords(
  outcome: VerdictOutcome,
  comparison: Compared,
  circumstances: Circumstances,
  winner: Protocol | null,
  doubts: ComparisonVerdict['doubts'],
): string {
  const { h3Shares } = circumstances;
  const against = outcome === 'inconclusive' ? doubts : [];
  // Two slots of HTTP/2 say nothing about another protocol, whatever differs between them.
  if (h3Shares?.objects === 0) {
    const others = against.filter(({ doubt }) => doubt !== 'little-h3').map(({ words }) => words);
    return ['No comparison: in the median visit that was to use HTTP/3 nothing came over it.', ...others].join(' ');
  }
  const isSaid = (doubt: Doubt) => doubts.some((one) => one.doubt === doubt);
  const { failures } = comparison;
  const facts = [
    ...(failures.candidate + failures.baseline + failures.unpaired.candidate + failures.unpaired.baseline > 0 && !isSaid('fails-more')
      ? [failures.words]
      : []),
    ...(h3Shares !== null && !isSaid('little-h3')
      ? [`${rounded(h3Shares.objects)} of the objects and ${rounded(h3Shares.bytes)} of the bytes came over HTTP/3 (medians).`]
      : []),
  ];
  return [
    claimWords(outcome, comparison, circumstances, winner, isSaid('slow-loads')),
    ...facts,
    ...against.map(({ words }) => words),
  ].join(' ');
}

/** Such as: The page could not be loaded: a host name did not resolve (9 of 9 visits). No comparison: the page never loaded over HTTP/3: … */
export function notLoadedWords({ protocol, words }: NonNullable<Circumstances['notLoaded']>): string {
  return protocol === null ? `The page ${words}.` : `No comparison: over ${protocolName(protocol)} the page ${words}.`;
}

function claimWords(
  outcome: VerdictOutcome,
  comparison: Compared,
  circumstances: Circumstances,
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
    return isSlow ? `Alike typically, not in slow visits: ${inside}.` : alikeWords(inside, comparison);
  }
  if (outcome === 'not-shown-yet') return notYetWords(comparison, circumstances);
  if (outcome === 'inconclusive') return undecidedWords(comparison, circumstances, winner, numbers);
  const { adjustment, comparisons, notLoaded } = circumstances;
  // No load, no time: what the test is of are its failures.
  const difference = notLoaded?.protocol ? `the page never loaded over ${protocolName(notLoaded.protocol)}` : differenceWords(comparison);
  const isShare = adjustment === 'benjamini-hochberg' && comparisons > 1;
  const share = isShare ? ` Of the winners named among ${grouped(comparisons)} comparisons at most 5 % are false, on average.` : '';
  return `${protocolName(winner ?? candidate)} is faster: ${difference} (${numbers}).${share}`;
}

/** What is shown of the centre says nothing of a slow minority. */
function alikeWords(inside: string, { equivalence, rounds }: Compared): string {
  const slow = equivalence?.slowLoads ?? null;
  if (slow === null) {
    const why = quantilesFor(rounds).length === 0 ? `${counted(rounds, 'round')} tell too little` : 'too many failed to tell';
    return `Typically no difference that matters: ${inside}; of slow visits ${why}.`;
  }
  const [where, there] = [`at the ${quantileName(slow.p)}`, intervalWords(slow.low, slow.high)];
  if (!slow.within) return `Typically no difference that matters: ${inside}; of slow visits that isn’t shown: ${where} ${there}.`;
  if (slow.p === 0.9) return `No difference that matters, typically and ${where}: ${inside}; ${where} ${there}.`;
  const open = `of the slowest tenth ${counted(rounds, 'round')} tell too little`;
  return `Typically, and ${where}, no difference that matters: ${inside}; ${where} ${there}; ${open}.`;
}

/** Such as: In all 8 rounds onLoad over HTTP/3 was higher than over HTTP/2, typically by 52 %. Among 9 comparisons 8 rounds can’t exclude chance … */
function notYetWords(comparison: Compared, { planned, looks, level, enoughRounds, notLoaded }: Circumstances): string {
  const { metric, candidate, baseline, rounds, signedRank } = comparison;
  const [p, adjustedP] = [signedRank?.p ?? 1, signedRank?.adjustedP ?? 1];
  const size = sizeWords(comparison);
  const by = size === null ? '' : `, typically by ${size}`;
  const side = (signedRank?.rankBiserial ?? 0) < 0 ? 'lower' : 'higher';
  const [loaded, never] = notLoaded?.protocol === baseline ? [candidate, baseline] : [baseline, candidate];
  const seen = notLoaded?.protocol
    ? `In all ${counted(rounds, 'round')} the page failed over ${protocolName(never)} and loaded over ${protocolName(loaded)}.`
    : `In all ${counted(rounds, 'round')} ${metricTitle(metric)} over ${protocolName(candidate)} was ${side} than over ${protocolName(baseline)}${by}.`;
  const among = planned > 1 ? `Among ${counted(planned, 'comparison')} so few` : looks > 1 ? 'By this look so few' : 'So few';
  const ps = adjustedP > p ? `${pWords(p, level)} by itself, ${pWords(adjustedP, level).replace('p = ', '')} corrected` : pWords(p, level);
  return `${seen} ${among} can’t exclude chance (${ps}); ${counted(enoughRounds, 'round')} could.`;
}

function undecidedWords(comparison: Compared, { level }: Circumstances, winner: Protocol | null, numbers: string): string {
  const { metric, candidate, baseline, shift, shiftConfidence, signedRank } = comparison;
  if (winner !== null) return `No winner is named, although ${differenceWords(comparison)} (${numbers}).`;
  const what = `It can’t be told whether ${metricTitle(metric)} differs between ${protocolName(candidate)} and ${protocolName(baseline)}`;
  if (signedRank === null) return `${what}: no round has both.`;
  const [ends, of] = [shift && endsOf(shift), `${confidenceWords(shiftConfidence)} interval: `];
  const found = `${ends === null ? '' : `${of}${intervalWords(...ends)}; `}${numbers}`;
  return signedRank.adjustedP <= level
    ? `${what} (${found}): in so many rounds it does not that the typical difference is 0.`
    : `${what} (${found}).`;
}

/** Such as: 20 rounds, p = 0.00021 corrected for 12 comparisons. */
function numbersOf({ rounds, signedRank }: Compared, { level, comparisons, looks }: Circumstances): string {
  const others = [...(comparisons > 1 ? [counted(comparisons, 'comparison')] : []), ...(looks > 1 ? [counted(looks, 'look')] : [])];
  const corrected = others.length === 0 ? '' : ` corrected for ${listed(others)}`;
  return `${counted(rounds, 'round')}, ${pWords(signedRank?.adjustedP ?? 1, level)}${corrected}`;
}
