// Loads that failed because of the page or its protocol: their rate, and a test of whether one protocol fails more often.

import { proportion, signTestP } from '../math/proportion.ts';
import type { Comparison } from '../schemas/comparison.ts';
import type { FailureRate } from '../schemas/results.ts';
import { counted, percent, protocolName, pWords } from '../text/numbers.ts';
import type { Protocol } from '../vocabulary/protocol.ts';

export type Failures = Comparison['failures'];

/** How often loads fail, with its exact interval. */
export function failureRate(failed: number, loads: number): FailureRate {
  return loads === 0 ? { failed, loads, share: null, low: null, high: null } : { failed, loads, ...proportion(failed, loads) };
}

/**
 * Does one protocol fail more often than another? A round in which both loaded, or both failed, says nothing about that; in the others, if
 * both are equally likely to fail, either one is equally likely to be the one that did. So the test is exact whatever rounds share
 * (McNemar, "Note on the Sampling Error of the Difference Between Correlated Proportions or Percentages", Psychometrika 12, 1947; exact:
 * the sign test).
 *
 * @param candidate and
 * @param baseline by round: 1 failed, 0 loaded, NaN neither.
 */
export function failuresOf(
  candidate: readonly number[],
  baseline: readonly number[],
  protocols: { candidate: Protocol; baseline: Protocol },
): Failures {
  const counts = { rounds: 0, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 } };
  for (const [round, one] of candidate.entries()) {
    const other = baseline[round] as number;
    if (Number.isNaN(one + other)) {
      if (one === 1) counts.unpaired.candidate += 1;
      if (other === 1) counts.unpaired.baseline += 1;
      continue;
    }
    counts.rounds += 1;
    counts.candidate += one;
    counts.baseline += other;
    counts.both += one * other;
  }
  const [onlyCandidate, onlyBaseline] = [counts.candidate - counts.both, counts.baseline - counts.both];
  const p = signTestP(onlyCandidate, onlyBaseline);
  return { ...counts, p, words: wordsOf({ ...counts, p }, protocols) };
}

function wordsOf(
  { rounds, candidate, baseline, both, unpaired, p }: Omit<Failures, 'words'>,
  protocols: { candidate: Protocol; baseline: Protocol },
): string {
  const beside = (['candidate', 'baseline'] as const).flatMap((side) => {
    const other = side === 'candidate' ? protocols.baseline : protocols.candidate;
    const count = unpaired[side];
    return count === 0
      ? []
      : [`${protocolName(protocols[side])} failed in ${counted(count, 'round')} in which ${protocolName(other)} was not measured.`];
  });
  return [pairedWords({ rounds, candidate, baseline, both, p }, protocols), ...beside].filter((part) => part !== '').join(' ');
}

function pairedWords(
  { rounds, candidate, baseline, both, p }: Omit<Failures, 'words' | 'unpaired'>,
  protocols: { candidate: Protocol; baseline: Protocol },
): string {
  if (rounds === 0) return '';
  if (candidate + baseline === 0) return `No visit failed in ${counted(rounds, 'round')}; ${unseen(rounds)}`;
  const of = (protocol: Protocol, count: number) => `${protocolName(protocol)} failed in ${count === 0 ? 'none' : count}`;
  const together = both === 0 ? '' : both === candidate && both === baseline ? ', in the same ones' : `, in ${both} of them both did`;
  const sure = p === null ? '' : ` (${pWords(p, 0.05)})`;
  return `Of ${counted(rounds, 'round')} ${of(protocols.candidate, candidate)}, ${of(protocols.baseline, baseline)}${together}${sure}.`;
}

/** In one campaign of twenty with this many rounds, a protocol that fails in this share of loads shows no failure. */
const unseen = (rounds: number): string => `a protocol that fails in ${percent(1 - 0.05 ** (1 / rounds), 2)} of visits may show none.`;

/**
 * Whether a would-be winner may fail more than the other. By times alone, a protocol that is a little faster when it loads would win
 * although it fails: worst ranks weigh a failure no more than the largest difference.
 *
 * It does not if the winner never failed alone, or if the test shows that the other one fails more. So a protocol that failed in more
 * rounds is never named faster. A round in which the other was not measured counts as one in which it loaded.
 */
export function mayFailMore(failures: Failures, winner: 'candidate' | 'baseline'): boolean {
  const alone = aloneIn(failures);
  const [own, other] = winner === 'candidate' ? [alone.candidate, alone.baseline] : [alone.baseline, alone.candidate];
  return own > 0 && !(other > own && failures.p !== null && failures.p <= alpha);
}

const alpha = 0.05;

/** Rounds in which only one failed, including those in which the other was not measured. */
export const aloneIn = ({ candidate, baseline, both, unpaired }: Failures): { candidate: number; baseline: number } => ({
  candidate: candidate - both + unpaired.candidate,
  baseline: baseline - both + unpaired.baseline,
});
