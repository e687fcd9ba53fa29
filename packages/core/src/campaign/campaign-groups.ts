import type { Campaign } from '../schemas/campaign.ts';
import { CountedVisits } from '../verdict/counted-visits.ts';
import { LoadedPages, ofOneRequest } from '../verdict/parity.ts';
import type { View } from '../vocabulary/cell.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import type { ResultVisit } from './results.ts';

/** A site under a condition in a view, with the visits of its finished rounds. */
export interface CampaignGroup {
  siteId: string;
  condition: string;
  view: View;
  slots: {
    protocol: Protocol;
    counted: CountedVisits;
    pages: LoadedPages;
    invalid: Map<InvalidReason, number>;
    /** Why the first of these ended so, where that is known. */
    details: Map<InvalidReason, string>;
  }[];
  /** Numbers of its finished rounds. */
  finished: Set<number>;
}

/**
 * The visits of a campaign, sorted into its groups: for each site, condition and view, in the campaign's own order, without visits too.
 * @param visits as for `campaignResults`.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function gatherGroups({ id, sites, spec }: Pick<Campaign, 'id' | 'spec' | 'sites'>, visits: Iterable<ResultVisit>): CampaignGroup[] {
  const newSlot = (protocol: Protocol): CampaignGroup['slots'][number] => ({
    ...{ protocol, counted: new CountedVisits(), pages: new LoadedPages() },
    ...{ invalid: new Map(), details: new Map() },
  });
  const groups = sites.flatMap((site) =>
    spec.conditions.flatMap(({ name: condition }) =>
      spec.views.map(
        (view): CampaignGroup => ({ siteId: site.id, condition, view, slots: spec.protocols.map(newSlot), finished: new Set() }),
      ),
    ),
  );
  const byKey = new Map(groups.map((group) => [keyOf(group), group]));
  for (const visit of visits) {
    const group = byKey.get(keyOf(visit));
    const slot = group?.slots[visit.slot];
    if (!group || !slot) throw new RangeError(`results: campaign ${id} has no slot ${visit.slot} of ${keyOf(visit)}`);
    group.finished.add(visit.roundNumber);
    if (visit.verdict === 'valid') {
      slot.counted.add(visit);
      slot.pages.add(visit.roundNumber, spec.engine === 'transaction' ? ofOneRequest(visit.page) : visit.page);
    } else {
      slot.invalid.set(visit.reason, (slot.invalid.get(visit.reason) ?? 0) + 1);
      if (visit.detail && !slot.details.has(visit.reason)) slot.details.set(visit.reason, visit.detail);
      if (visit.counted) slot.counted.addFailure(visit);
    }
  }
  return groups;
}

const keyOf = (group: Pick<CampaignGroup, 'siteId' | 'condition' | 'view'>) => `${group.siteId} ${group.condition} ${group.view}`;
