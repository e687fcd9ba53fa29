// Lists of a campaign's visits: a page at a time, so that no read stays open between pages. Writers never wait, and the database's log can be
// cut back.
import type { Page, Resource, Visit } from '@pronghorn/core/schemas';
import type { Slice } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import { withoutRun } from './visit-rows.ts';
import type { VisitFilter } from './visits-repository.ts';

/** Where an export goes on: after a visit, through the last one that was there when it began. */
export type ExportPlace = { after: number; through: number };
export type ExportedVisit = Visit & { resources?: Resource[] };

export function createVisitPages({ visits, resources }: Pick<Tables, 'visits' | 'resources'>) {
  const resourcesOf = ({ id }: Visit): Resource[] => resources.of(visits.findSeq(id) ?? 0);
  return {
    /** As lists show them. @param newest whether those that came last go first. */
    page(campaignId: number, filter: VisitFilter, slice: Slice, newest = false): Page<Visit> {
      const { items, nextCursor } = visits.page(campaignId, filter, slice, newest);
      return { items: items.map(withoutRun), nextCursor };
    },

    /**
     * A page of an export: whole visits in the order of their arrival. Visits never change; whether one counts may be decided between pages.
     * @param part.from what the page before answered as `next`; null: the first page.
     * @param part.atMost visits.
     * @returns `next` null: this is the last page.
     */
    exported(
      campaignId: number,
      filter: VisitFilter,
      { from, atMost, withResources }: { from: ExportPlace | null; atMost: number; withResources: boolean },
    ): { visits: ExportedVisit[]; next: ExportPlace | null } {
      const { after, through } = from ?? { after: null, through: visits.newestEventId(campaignId) };
      const { items, nextCursor } = visits.page(campaignId, filter, { limit: atMost, cursor: after });
      const isLast = nextCursor === null || Number(nextCursor) >= through;
      return {
        visits: withResources ? items.map((visit) => ({ ...visit, resources: resourcesOf(visit) })) : items,
        next: isLast ? null : { after: Number(nextCursor), through },
      };
    },
  };
}
