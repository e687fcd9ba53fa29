// Visits side by side, and the names that distinguish them.
import type { Metrics, Resource, Visit } from '@pronghorn/core/schemas';
import { protocolNames } from '../../text/vocabulary.ts';

export interface ShownVisit<Of extends Visit = Visit> {
  visit: Of;
  resources: readonly Resource[];
  /** Such as `HTTP/2`; two of one protocol: `HTTP/2 (A)` and `HTTP/2 (B)`. */
  name: string;
}

export function shownVisits<Of extends Visit>(visits: readonly Omit<ShownVisit<Of>, 'name'>[]): ShownVisit<Of>[] {
  const protocols = visits.map(({ visit }) => visit.protocol);
  return visits.map(({ visit, resources }, index) => {
    const name = protocolNames[visit.protocol];
    const isAlone = protocols.filter((protocol) => protocol === visit.protocol).length === 1;
    return { visit, resources, name: isAlone ? name : `${name} (${'AB'[index]})` };
  });
}

export const metricsOf = ({ outcome }: Pick<Visit, 'outcome'>): Metrics | null => (outcome.verdict === 'valid' ? outcome.metrics : null);

/**
 * The visits of the round that may stand beside this one, the most telling first: of another protocol, valid if there is one; an HTTP/3 visit's is
 * that over HTTP/2. Extra visits, which record a netlog, are slower than others: they are compared with each other.
 * @param others of the same round.
 */
export function partnersOf(visit: Visit, others: readonly Visit[]): Visit[] {
  const wanted = visit.protocol === 'h2' ? ['h3', 'h1'] : visit.protocol === 'h3' ? ['h2', 'h1'] : ['h2', 'h3'];
  const rank = (other: Visit) => {
    const protocol = wanted.indexOf(other.protocol);
    return (protocol === -1 ? wanted.length : protocol) + (other.counted ? 0 : other.outcome.verdict === 'valid' ? 10 : 20);
  };
  const isAlike = (other: Visit) => other.id !== visit.id && (other.netlog === undefined) === (visit.netlog === undefined);
  return others.filter(isAlike).sort((a, b) => rank(a) - rank(b) || b.attempt - a.attempt);
}
