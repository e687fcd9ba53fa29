// Reasons that keep a check from passing and from failing, whatever its numbers are.
import type { CampaignState } from '../../schemas/campaign.ts';
import type { GateCheck } from '../../schemas/gate-answer.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { counted, protocolName } from '../../text/numbers.ts';
import { overrunShare } from '../../verdict/cell-comparisons.ts';
import { maxLostShare, maxOverrunShare, overrunWords } from '../../verdict/doubts.ts';
import { pageDoubts } from '../../verdict/parity.ts';
import { isUnmeasured, lostVisits, lostVisitsWords } from '../../verdict/unmeasured.ts';
import { metricTitle } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { type InvalidReason, invalidReasons } from '../../vocabulary/reason.ts';
import type { FirstLookCell } from '../measured/measured.ts';

type Reasons = GateCheck['reasons'];

/**
 * Why a page could not be measured over a protocol because of itself; null: it was measured.
 */
export function unmeasuredDoubt(cell: FirstLookCell, protocol: Protocol): Reasons[number] | null {
  const lost = lostVisits(cell.slots, protocol, cell.rounds.numbers.length);
  return isUnmeasured(lost) ? { reason: 'unmeasured', words: `Not measured: ${lostVisitsWords(lost, [protocol])}` } : null;
}

/** @param values number of values of each protocol of the question, one for each round. */
export function measurementDoubts(
  cell: FirstLookCell,
  state: CampaignState,
  metric: MetricName,
  values: readonly { protocol: Protocol; count: number }[],
): Reasons {
  const reasons: Reasons = [];
  if (state !== 'done') reasons.push({ reason: 'unfinished', words: `The campaign is ${state}: not all of its rounds are done.` });
  for (const { protocol, count } of values) {
    if (count > 0) continue;
    reasons.push({ reason: 'nothing-measured', words: nothingWords(cell, metric, protocol) });
  }
  if (reasons.length > 0) return reasons;
  if (cell.linkDoubt !== null) reasons.push({ reason: 'link', words: cell.linkDoubt });
  for (const { protocol, count } of values) {
    const words = lossWords(cell, metric, protocol, count);
    if (words !== null) reasons.push({ reason: 'invalid-visits', words });
  }
  return reasons;
}

/**
 * Why the remaining rounds of one protocol may not be representative; null: nothing speaks against them. A load that failed because of the
 * page is an outcome and not lost; nor are the rounds of an abandoned site, because none of its loads succeeded.
 */
export function lossWords(cell: FirstLookCell, metric: MetricName, protocol: Protocol, count: number): string | null {
  const expected = cell.slots.some(({ counted: { valid } }) => valid > 0) ? cell.planned : cell.rounds.numbers.length;
  if (count / expected >= 1 - maxLostShare) return null;
  return `Only ${count} of ${counted(expected, 'round')} have ${metricTitle(metric)} over ${protocolName(protocol)}; they may not be representative.`;
}

/** Why the loads of two protocols are not comparable. @param question with the relative difference that counts as none */
export const relationDoubts = (cell: FirstLookCell, question: { candidate: Protocol; baseline: Protocol; margin: number }): Reasons =>
  pageDoubts(cell, cell.rounds.places, question).flatMap(({ doubt, words }) =>
    doubt === 'parity' || doubt === 'little-h3' || doubt === 'saturated' || doubt === 'refused' ? [{ reason: doubt, words }] : [],
  );

/** An effect of the machine that looks like one of the protocol: null if there is none. */
export function receiveDropsDoubt(cell: FirstLookCell): Reasons[number] | null {
  const share = overrunShare(cell);
  if (share < maxOverrunShare) return null;
  return { reason: 'receive-drops', words: overrunWords(share) };
}

function nothingWords(cell: FirstLookCell, metric: MetricName, protocol: Protocol): string {
  const what = `There is no ${metricTitle(metric)} over ${protocolName(protocol)}`;
  const [most] = ofProtocol(cell, protocol).sort(([, a], [, b]) => b - a);
  if (most === undefined) return `${what}${cell.rounds.numbers.length === 0 ? ': no round is finished.' : '.'}`;
  return `${what}: ${counted(most[1], 'visit')} ended as ${most[0]}, ${invalidReasons[most[0]]}.`;
}

function ofProtocol({ slots }: FirstLookCell, protocol: Protocol): [InvalidReason, number][] {
  const counts = new Map<InvalidReason, number>();
  for (const slot of slots) {
    if (slot.protocol !== protocol) continue;
    for (const [reason, count] of slot.invalid) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts];
}
