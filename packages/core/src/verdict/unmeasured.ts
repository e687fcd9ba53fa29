// Pages that could not be measured because of themselves: down, blocked, or another page than was requested.

import type { NotLoaded, SlotResults } from '../schemas/results.ts';
import { counted, listed, protocolName } from '../text/numbers.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { type InvalidReason, invalidReasons, kindOf } from '../vocabulary/reason.ts';
import type { SlotVisits } from './cell-samples.ts';

/** The visits of one protocol, in the finished rounds of a cell, that the page kept from being valid. */
export interface LostVisits {
  /** Over all reasons; each visit has one. */
  lost: number;
  /** The number of visits if all were valid. */
  expected: number;
  /** With the number of visits for each; most frequent first. */
  reasons: readonly { reason: InvalidReason; count: number /** Of one of them; empty: none is known. */; detail: string }[];
}

/**
 * Whether a page was not measured, which is no question of statistics: if it kept more than half of its visits from being valid, its times
 * are unknown. Failures of the measurement itself don't count, and a page without a finished round is not to blame.
 */
export const isUnmeasured = ({ lost, expected }: Pick<LostVisits, 'lost' | 'expected'>): boolean => 2 * lost > expected;

/** @param rounds finished */
export function lostVisits(slots: readonly SlotVisits[], protocol: Protocol, rounds: number): LostVisits {
  const counts = { lost: 0, expected: 0 };
  const reasons = new Map<InvalidReason, { count: number; detail: string }>();
  for (const slot of slots) {
    if (slot.protocol !== protocol) continue;
    let unfit = 0;
    for (const [reason, count] of slot.invalid) {
      if (kindOf(reason) === 'measurement') continue;
      if (kindOf(reason) === 'unfit') unfit += count;
      const before = reasons.get(reason);
      reasons.set(reason, { count: (before?.count ?? 0) + count, detail: before?.detail || (slot.details?.get(reason) ?? '') });
    }
    counts.expected += rounds;
    counts.lost += slot.counted.failed + Math.min(unfit, rounds - slot.counted.count);
  }
  return { ...counts, reasons: [...reasons].map(([reason, one]) => ({ reason, ...one })).sort((a, b) => b.count - a.count) };
}

/**
 * 6 of 6 visits over HTTP/3 are not valid: The document’s status is 503; expected 200.
 *
 * @param protocols to name
 */
export function lostVisitsWords({ lost, expected, reasons }: LostVisits, protocols: readonly Protocol[]): string {
  const [first, ...others] = reasons.map(({ reason, detail, count }) => {
    const why = detail === '' ? `${reason}, ${invalidReasons[reason]}` : detail.replace(/\.$/, '').slice(0, maxDetail);
    return reasons.length === 1 ? why : `${why} (${count})`;
  });
  const over = protocols.length === 0 ? '' : ` over ${listed(protocols.map(protocolName))}`;
  const visits = `${lost} of ${counted(expected, 'visit')}${over} ${lost === 1 ? 'is' : 'are'} not valid`;
  return `${visits}${first === undefined ? '' : `: ${listed([first, ...others.slice(0, 2)])}`}.`;
}

/** Details contain URLs of any length. */
const maxDetail = 300;

/**
 * Why none of these visits loaded its page, by reason. Failures of the measurement itself, which were repeated, say nothing about the page,
 * unless there are no others.
 *
 * @param slots of one cell, of one protocol in it, or of several cells
 * @returns null: a visit is valid, or there is none at all
 */
export function notLoaded(slots: readonly Pick<SlotResults, 'valid' | 'invalid'>[]): NotLoaded | null {
  const all = slots.flatMap(({ invalid }) => invalid);
  if (all.length === 0 || slots.some(({ valid }) => valid > 0)) return null;
  const ofPage = all.filter(({ reason }) => kindOf(reason) !== 'measurement');
  const counts = new Map<InvalidReason, number>();
  for (const { reason, count } of ofPage.length > 0 ? ofPage : all) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const reasons = reasonCounts(counts);
  const visits = reasons.reduce((sum, { count }) => sum + count, 0);
  const why = reasons.map(
    ({ reason, count }, i) => `${invalidReasons[reason]} (${count}${i === 0 ? ` of ${counted(visits, 'visit')}` : ''})`,
  );
  return { reasons, words: `could not be ${ofPage.length > 0 ? 'loaded' : 'measured'}: ${why.join('; ')}` };
}

/** Reasons with the number of visits of each, the most frequent first. */
export const reasonCounts = (counts: ReadonlyMap<InvalidReason, number>): { reason: InvalidReason; count: number }[] =>
  [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
