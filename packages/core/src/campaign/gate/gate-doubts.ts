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
import type { FirstLookCell } from '../measured.ts';

type Reasons = GateCheck['reasons'];

/**
 * Of a page that kept itself from being measured over a protocol: why; null: it did not.
 */
export function unmeasuredDoubt(cell: FirstLookCell, protocol: Protocol): Reasons[number] | null {
  const lost = lostVisits(cell.slots, protocol, cell.rounds.numbers.length);
  return isUnmeasured(lost) ? { reason: 'unmeasured', words: `Not measured: ${lostVisitsWords(lost, [protocol])}` } : null;
}

/** @param values that each protocol of the question has, one for each round. */
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
 * Of the rounds of one protocol: why the remaining ones may not be representative; null: nothing speaks against it. A load that failed because of the page is an
 * outcome, and is not lost; nor are the rounds of a site that was given up, since no load of it succeeded.
 */
export function lossWords(cell: FirstLookCell, metric: MetricName, protocol: Protocol, count: number): string | null {
  const expected = cell.slots.some(({ counted: { valid } }) => valid > 0) ? cell.planned : cell.rounds.numbers.length;
  if (count / expected >= 1 - maxLostShare) return null;
  return `Only ${count} of ${counted(expected, 'round')} have ${metricTitle(metric)} over ${protocolName(protocol)}; they may not be representative.`;
}

/** Of a relation between two protocols: why its loads are no comparison of them. */
export const relationDoubts = (cell: FirstLookCell, candidate: Protocol, baseline: Protocol): Reasons =>
  pageDoubts(cell, cell.rounds.places, { candidate, baseline }).flatMap(({ doubt, words }) =>
    doubt === 'parity' || doubt === 'little-h3' || doubt === 'saturated' || doubt === 'refused' ? [{ reason: doubt, words }] : [],
  );

/** What looks like the protocol's doing and is the machine's: null where it isn't, or does not matter to this outcome. */
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
