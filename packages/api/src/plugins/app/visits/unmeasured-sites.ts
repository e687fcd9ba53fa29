// The sites of a campaign that kept themselves from being measured, by the rule of gates: down, blocked, or hardly ever valid.
import type { Campaign, Site } from '@pronghorn/core/schemas';
import { isUnmeasured, type LostVisits } from '@pronghorn/core/verdict';
import { cellKey, type Protocol } from '@pronghorn/core/vocabulary';
import type { Tables } from '../../../store/tables.ts';

/** With its visits at those places alone at which it was not measured. */
export interface UnmeasuredSite extends LostVisits {
  site: Site;
  /** Over which it was not measured, and under which: in the order of the campaign. */
  protocols: Protocol[];
  conditions: string[];
}

/** In the order of the campaign. Reads no visit of a campaign that has no invalid one. */
export function unmeasuredSites(
  { id, sites, spec, progress }: Pick<Campaign, 'id' | 'sites' | 'spec' | 'progress'>,
  { visits, rounds }: Pick<Tables, 'visits' | 'rounds'>,
): UnmeasuredSite[] {
  if (progress.visitsInvalid === 0) return [];
  const finished = new Map(rounds.finishedAt(Number(id)).map(({ count, ...at }) => [cellKey(at), count]));
  const slotsOf = (protocol: Protocol) => spec.protocols.filter((one) => one === protocol).length;
  const places = Map.groupBy(visits.lostOf(Number(id)), (lost) => `${cellKey(lost)} ${lost.protocol}`)
    .values()
    .flatMap((all) => {
      const [{ siteId, condition, protocol }] = all as [(typeof all)[number]];
      const lost = all.reduce((sum, { count }) => sum + count, 0);
      const expected = (finished.get(cellKey(all[0] as (typeof all)[number])) ?? 0) * slotsOf(protocol);
      return isUnmeasured({ lost, expected }) ? [{ siteId: String(siteId), condition, protocol, lost, expected, reasons: all }] : [];
    });
  const ofSites = Map.groupBy(places, ({ siteId }) => siteId);
  return sites.flatMap((site): UnmeasuredSite[] => {
    const own = ofSites.get(site.id) ?? [];
    if (own.length === 0) return [];
    const sum = (of: (place: (typeof own)[number]) => number) => own.reduce((total, place) => total + of(place), 0);
    return [
      {
        site,
        protocols: [...new Set(spec.protocols)].filter((protocol) => own.some((place) => place.protocol === protocol)),
        conditions: spec.conditions.map(({ name }) => name).filter((name) => own.some(({ condition }) => condition === name)),
        lost: sum((place) => place.lost),
        expected: sum((place) => place.expected),
        reasons: together(own.flatMap(({ reasons }) => reasons)),
      },
    ];
  });
}

function together(all: LostVisits['reasons']): LostVisits['reasons'] {
  return [...Map.groupBy(all, ({ reason }) => reason)]
    .map(([reason, those]) => ({
      reason,
      count: those.reduce((sum, { count }) => sum + count, 0),
      detail: those.find(({ detail }) => detail !== '')?.detail ?? '',
    }))
    .sort((a, b) => b.count - a.count);
}
