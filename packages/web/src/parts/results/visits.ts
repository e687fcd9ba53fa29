// Which visits a list shows, what it says of each, and which two are put side by side. Pure.
import type { Visit } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { invalidKinds } from '../../text/vocabulary.ts';

export const verdictFilters = ['all', 'counted', 'not counted', 'failed', 'invalid'] as const;
export type VerdictFilter = (typeof verdictFilters)[number];

/** The shown ones in the order of their rounds, as far as a group's go together. */
export function filteredVisits(
  visits: readonly Visit[],
  { protocol, verdict }: { protocol: '' | Protocol; verdict: VerdictFilter },
): Visit[] {
  return visits.filter((visit) => (protocol === '' || visit.protocol === protocol) && fits(visit, verdict));
}

function fits({ outcome, counted }: Visit, verdict: VerdictFilter): boolean {
  switch (verdict) {
    case 'all':
      return true;
    case 'counted':
      return counted;
    case 'not counted':
      return outcome.verdict === 'valid' && !counted;
    case 'failed':
      return outcome.verdict === 'invalid' && invalidKinds[outcome.reason] === 'failure';
    case 'invalid':
      return outcome.verdict === 'invalid';
  }
}

const uncounted = ', not counted: its round was not finished, or tried again';

/** Of an invalid one the reason: a chip before it says of which kind it is. */
export function verdictOfVisit({ outcome, counted, netlog }: Pick<Visit, 'outcome' | 'counted' | 'netlog'>): string {
  if (netlog !== undefined) return `${outcome.verdict === 'valid' ? 'valid' : outcome.reason}, not counted: an extra visit with a netlog`;
  if (outcome.verdict === 'valid') return `valid${counted ? '' : uncounted}`;
  return `${outcome.reason}${counted || invalidKinds[outcome.reason] !== 'failure' ? '' : uncounted}`;
}

/** At most two: a third takes the place of the one that was chosen first; one that is chosen is given up. */
export function chosenPair(chosen: readonly string[], id: string): string[] {
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2);
}
