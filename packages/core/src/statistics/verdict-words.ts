// A verdict with its numbers, in a sentence or two, the same for CLI, API and dashboard.
import { percent } from '../conditions/words.ts';
import type { ComparisonVerdict, VerdictOutcome } from '../schemas/comparison.ts';
import type { Protocol } from '../schemas/vocabulary.ts';
import type { Compared } from './comparison.ts';
import { metricTitle } from './metric-title.ts';
import type { Circumstances } from './verdict.ts';
import { changeWords, confidenceWords, counted, intervalWords, listed, protocolName, pWords } from './words.ts';

/** @param winner for whom the test speaks, whether or not the verdict names it. */
export function verdictWords(
  outcome: VerdictOutcome,
  comparison: Compared,
  circumstances: Circumstances,
  winner: Protocol | null,
  doubts: ComparisonVerdict['doubts'],
): string {
  const { metric, candidate, baseline, rounds, equivalence } = comparison;
  const title = metricTitle(metric);
  const numbers = numbersOf(comparison, circumstances);
  if (outcome === 'equivalent' && equivalence !== null) {
    const { low, high, confidence, margin } = equivalence;
    const where = `${title} over ${protocolName(candidate)} is ${intervalWords(low, high)} than over ${protocolName(baseline)}`;
    const sure = `(${confidenceWords(confidence)} interval, ${counted(rounds, 'round')})`;
    return `No difference that matters: ${where} ${sure}, inside the margin of ${percent(margin)}.`;
  }
  if (outcome !== 'inconclusive') {
    return `${protocolName(winner ?? candidate)} is faster: ${differenceWords(comparison, winner)} (${numbers}).`;
  }
  return [undecidedWords(comparison, circumstances, winner, numbers), ...doubts.map(({ words }) => words)].join(' ');
}

function undecidedWords(comparison: Compared, { level }: Circumstances, winner: Protocol | null, numbers: string): string {
  const { metric, candidate, baseline, signedRank } = comparison;
  if (winner !== null) return `No winner is named, although ${differenceWords(comparison, winner)} (${numbers}).`;
  const what = `It can’t be told whether ${metricTitle(metric)} differs between ${protocolName(candidate)} and ${protocolName(baseline)}`;
  if (signedRank === null) return `${what}: no round has both.`;
  return signedRank.adjustedP <= level ? `${what} (${numbers}): in most rounds it does not.` : `${what} (${numbers}).`;
}

/** Where a metric is 0 in some round there is no ratio to tell. */
function differenceWords({ metric, candidate, baseline, shift }: Compared, winner: Protocol | null): string {
  const much = shift === null ? (winner === candidate ? 'lower' : 'higher') : changeWords(shift.value);
  return `${metricTitle(metric)} over ${protocolName(candidate)} is ${much} than over ${protocolName(baseline)}`;
}

/** Such as: 95 % interval: 8.1 to 12 % lower; 20 rounds, p = 0.00021 corrected for 12 comparisons. */
function numbersOf({ shift, confidence, rounds, signedRank }: Compared, { level, comparisons, looks }: Circumstances): string {
  const interval =
    shift === null || shift.low === null || shift.high === null
      ? ''
      : `${confidenceWords(confidence)} interval: ${intervalWords(shift.low, shift.high)}; `;
  const others = [...(comparisons > 1 ? [counted(comparisons, 'comparison')] : []), ...(looks > 1 ? [counted(looks, 'look')] : [])];
  const corrected = others.length === 0 ? '' : ` corrected for ${listed(others)}`;
  return `${interval}${counted(rounds, 'round')}, ${pWords(signedRank?.adjustedP ?? 1, level)}${corrected}`;
}
