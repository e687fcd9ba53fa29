import { invalidReasons, isLasting, kindOf } from '@pronghorn/core/vocabulary';
import type { InvalidTry } from '../visits/visits-repository.ts';

/** So many finished rounds without a valid visit, and a site is given up. */
export const roundsBeforeGivingUp = 3;

/**
 * Why a site is given up, in words, or null when it should be tried on. What the measurement itself failed at before, and then repeated, says nothing of the
 * site; a slot that has nothing else is still to be tried.
 *
 * @param invalid every visit of its finished rounds, in the order of their arrival; none was valid.
 */
export function givenUpReason(invalid: readonly InvalidTry[]): string | null {
  const ofSlots = Map.groupBy(invalid, ({ roundId, slot }) => `${roundId} ${slot}`);
  const telling = [...ofSlots.values()].map((tries) => tries.find(({ reason }) => kindOf(reason) !== 'measurement'));
  const last = telling.at(-1);
  if (last === undefined || !telling.every((one) => one !== undefined && isLasting(one.reason))) return null;
  const counts = Map.groupBy(
    telling.flatMap((one) => one ?? []),
    ({ reason }) => reason,
  );
  const found = [...counts].map(
    ([reason, visits]) => `${reason} (${invalidReasons[reason]}) in ${visits.length} of ${telling.length} visits`,
  );
  return `The site was given up: the first ${roundsBeforeGivingUp} finished rounds have no valid visit, and trying again will not help: ${found.join(', ')}. Last: ${last.detail || 'no detail'}`;
}
