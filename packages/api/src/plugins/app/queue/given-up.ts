import { type InvalidReason, invalidReasons, transientReasons } from '@pronghorn/core';

/** So many finished rounds without a valid visit, and a site is given up. */
export const roundsBeforeGivingUp = 3;

/**
 * Why a site is given up, in words, or null when it should be tried on.
 * @param invalid every visit of its finished rounds; none was valid.
 */
export function givenUpReason(invalid: readonly { reason: InvalidReason; detail: string }[]): string | null {
  const last = invalid.at(-1);
  if (!last || invalid.some(({ reason }) => transientReasons.has(reason))) return null;
  const counts = Map.groupBy(invalid, ({ reason }) => reason);
  const found = [...counts].map(
    ([reason, visits]) => `${reason} (${invalidReasons[reason]}) in ${visits.length} of ${invalid.length} visits`,
  );
  return `The site was given up: the first ${roundsBeforeGivingUp} finished rounds have no valid visit, and trying again will not help: ${found.join(', ')}. Last: ${last.detail || 'no detail'}`;
}
