// Pages that no visit loaded: not a question of statistics, but of what is wrong with them.
import type { NotLoaded, SlotResults } from '../schemas/results.ts';
import { counted } from '../text/numbers.ts';
import { type InvalidReason, invalidReasons, kindOf } from '../vocabulary/reason.ts';

/**
 * Why none of these visits loaded its page, by reason. What the measurement itself failed at, and then repeated, says nothing of the page, unless there
 * was nothing else.
 *
 * @param slots of one group, of one protocol in it, or of several groups
 * @returns null: a visit is valid, or there is none at all
 */
export function notLoaded(slots: readonly Pick<SlotResults, 'valid' | 'invalid'>[]): NotLoaded | null {
  const all = slots.flatMap(({ invalid }) => invalid);
  if (all.length === 0 || slots.some(({ valid }) => valid > 0)) return null;
  const ofPage = all.filter(({ reason }) => kindOf(reason) !== 'measurement');
  const counts = new Map<InvalidReason, number>();
  for (const { reason, count } of ofPage.length > 0 ? ofPage : all) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const reasons = [...counts].map(([reason, count]) => ({ reason, count }));
  reasons.sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
  const visits = reasons.reduce((sum, { count }) => sum + count, 0);
  const why = reasons.map(
    ({ reason, count }, i) => `${invalidReasons[reason]} (${count}${i === 0 ? ` of ${counted(visits, 'visit')}` : ''})`,
  );
  return { reasons, words: `could not be ${ofPage.length > 0 ? 'loaded' : 'measured'}: ${why.join('; ')}` };
}
