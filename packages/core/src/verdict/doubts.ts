// Reasons against naming a winner, or against calling two protocols equivalent.
import type { ComparisonVerdict } from '../schemas/comparison.ts';
import { counted, grouped, intervalWords, listed, protocolName, quantileName, wholePercent } from '../text/numbers.ts';
import { metrics, metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { Doubt } from '../vocabulary/verdict.ts';
import type { Compared } from './comparison.ts';
import { aloneIn, mayFailMore } from './failures.ts';
import type { Modes } from './modes.ts';
import type { BothModes, Circumstances } from './verdict.ts';

/** Share of rounds that the measurement itself lost, or that were unfit; beyond it, the remaining ones are a selection. */
export const maxLostShare = 0.2;
/** Share of h3's visits. */
export const maxOverrunShare = 0.5;

/**
 * (not-loaded is none of these doubts: it replaces everything else for a page that never loaded, see `decide`.)
 *
 * - unfinished: rounds are pending, or were cancelled.
 * - too-few-rounds: no data of so few could reach the level, and equivalence is not shown either.
 * - fails-more: the winner failed in rounds in which the other loaded, and the test does not show that it fails less; if the two are
 *   equivalent, one failed in more rounds than the other.
 * - slow-loads: the two are equivalent, but differ by more than the margin at the upper quartile or decile.
 * - two-modes: unless every mode of the winner lies below every mode of the loser.
 * - link: it was off or drifted.
 * - invalid-visits: more than a fifth of the rounds is lost, without a value and without a failure of the page: the remaining ones are a
 *   selection.
 * - metric-missing: more than a fifth of the rounds has no value of a metric that ends with the visit, on one side or both.
 * - receive-drops: h3 is slower, or no faster, while most of its visits lost datagrams in the browser's own buffer.
 * - parity, little-h3, saturated, refused: see `pageDoubts`; parity also if a winner owes its lead to objects that it alone lost
 *   (`winnerLacks`).
 *
 * @param winner the protocol that the test favours, if any.
 */
export function doubtsOf(comparison: Compared, circumstances: Circumstances, winner: Protocol | null): ComparisonVerdict['doubts'] {
  const { rounds, metric, candidate, baseline } = comparison;
  const { minRounds, lostRounds, finishedRounds, linkDoubt, overrunShare, unfinished } = circumstances;
  const equivalent = comparison.equivalence?.equivalent === true;
  const doubts: ComparisonVerdict['doubts'] = [];
  const add = (doubt: Doubt, words: string) => doubts.push({ doubt, words });

  const lost = finishedRounds - rounds;
  const missing = lost - lostRounds.candidate - lostRounds.baseline;
  const isMissing = metrics[metric].endsWithVisit && finishedRounds > 0 && missing / finishedRounds > maxLostShare;
  if (unfinished) add('unfinished', 'Not all rounds are done; an earlier verdict would be wrong more often than it claims.');
  else if (rounds < minRounds && winner === null && !equivalent && !(isMissing && (rounds === 0 || finishedRounds >= minRounds)))
    add('too-few-rounds', tooFewWords(rounds, circumstances));
  if (failsMore(comparison, winner)) add('fails-more', comparison.failures.words);
  if (slowLoadsDiffer(comparison)) add('slow-loads', slowLoadsWords(comparison));
  const modes = winner === null ? null : circumstances.modes();
  if (modes !== null && !modesAgree(modes, winner === candidate)) add('two-modes', modesWords(comparison, modes));
  if (linkDoubt !== null) add('link', linkDoubt);
  for (const [protocol, unmeasured] of [
    [candidate, lostRounds.candidate],
    [baseline, lostRounds.baseline],
  ] as const) {
    if (finishedRounds === 0 || unmeasured / finishedRounds <= maxLostShare) continue;
    const share = `${unmeasured} of ${counted(finishedRounds, 'round')}`;
    add('invalid-visits', `Not measured over ${protocolName(protocol)}: ${share}; the remaining ones may not be representative.`);
  }
  if (finishedRounds > 0 && lost / finishedRounds > maxLostShare && !doubts.some(({ doubt }) => doubt === 'invalid-visits')) {
    const remaining = lost < finishedRounds ? '; the remaining rounds may not be representative' : '';
    const words = `In ${lost} of ${counted(finishedRounds, 'round')} ${metricTitle(metric)} is missing over one protocol or both${remaining}.`;
    if (isMissing) add('metric-missing', `${words} ${whyMissing(metric)}`);
    else add('invalid-visits', words);
  }
  if (overrunShare >= maxOverrunShare && ((winner !== null && winner !== 'h3') || equivalent)) {
    add('receive-drops', overrunWords(overrunShare));
  }
  doubts.push(...circumstances.pageDoubts);
  const lacks = winner === null || circumstances.pageDoubts.some(({ doubt }) => doubt === 'parity') ? null : circumstances.winnerLacks();
  if (lacks !== null) add('parity', lacks);
  return doubts;
}

const whyMissing = (metric: Compared['metric']): string =>
  `${metric === 'largestContentfulPaint' ? 'Browsers report none where all content is in a frame; it' : 'It'} is left out where the visits of a round could not be watched equally long${metric === 'speedIndex' ? ', where the picture moved when a visit ended, or where it was white' : ''}: the visits’ pages say which. More rounds do not help; onLoad is not affected.`;

/** @param share of the visits over HTTP/3 */
export const overrunWords = (share: number): string =>
  `In ${wholePercent(share)} of the visits over ${protocolName('h3')} datagrams were lost in the browser’s full receive buffer: a limit of the machine, not of the network.`;

function failsMore({ failures, candidate, equivalence }: Compared, winner: Protocol | null): boolean {
  const alone = aloneIn(failures);
  if (equivalence?.equivalent === true) return alone.candidate !== alone.baseline;
  return winner !== null && mayFailMore(failures, winner === candidate ? 'candidate' : 'baseline');
}

/** Shown like equivalence, on the other side of the margin. */
function slowLoadsDiffer({ equivalence }: Compared): boolean {
  if (equivalence === null || equivalence.slowLoads === null) return false;
  const { slowLoads, margin } = equivalence;
  return slowLoads.low > margin || slowLoads.high < 1 / (1 + margin) - 1;
}

function slowLoadsWords({ equivalence, metric, candidate, baseline }: Compared): string {
  const { p = 0, low = 0, high = 0 } = equivalence?.slowLoads ?? {};
  const where = `${metricTitle(metric)} over ${protocolName(candidate)} is ${intervalWords(low, high)} than over ${protocolName(baseline)}`;
  return `At the ${quantileName(p)} ${where}: slow visits differ by more than the margin.`;
}

/** With n pairs the signed-rank test's p is never below 2 ÷ 2ⁿ, so fewer than these never reach the level. */
export function minRoundsAt(level: number): number {
  return Math.ceil(1 - Math.log2(level) - 1e-9);
}

function tooFewWords(rounds: number, { planned, minRounds, soleRounds }: Circumstances): string {
  const among = planned === 1 ? '' : ` for ${counted(planned, 'comparison')}`;
  const sole = soleRounds > minRounds ? `, or ${soleRounds} if no other shows a difference` : '';
  return `Needs at least ${counted(minRounds, 'round')}${among}${sole}; has ${grouped(rounds)}.`;
}

/** Whether the winner's every mode lies below the loser's every mode. Without two modes there is nothing to disagree. */
function modesAgree({ candidate, baseline }: BothModes, candidateWins: boolean): boolean {
  if (!candidate?.bimodal && !baseline?.bimodal) return true;
  const [winner, loser] = candidateWins ? [candidate, baseline] : [baseline, candidate];
  const [ofWinner, ofLoser] = [centres(winner), centres(loser)];
  return ofWinner.length === 0 || ofLoser.length === 0 || Math.max(...ofWinner) < Math.min(...ofLoser);
}

const centres = (modes: Modes | null): number[] => modes?.modes.map(({ centre }) => centre) ?? [];

/** Every compared metric is a time. */
function modesWords({ metric, candidate, baseline }: Compared, modes: BothModes): string {
  const sides = [
    { protocol: candidate, its: modes.candidate },
    { protocol: baseline, its: modes.baseline },
  ].flatMap(({ protocol, its }) =>
    its?.bimodal === true
      ? [`over ${protocolName(protocol)} around ${listed(centres(its).map((centre) => `${Math.round(centre)}`))} ms`]
      : [],
  );
  return `${metricTitle(metric)} has two modes, ${listed(sides)}: which protocol is faster depends on the mode.`;
}
