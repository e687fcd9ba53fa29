// What is read of visits: one with what it made, and lists and exports by the page.
import { median } from '@pronghorn/core/math';
import type { Environment, MedianVisits, MetricName, Page, Resource, SingleVisit, Site, Visit } from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import { found } from '../../../shared/problems.ts';
import { rowId, type Slice } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import { withoutRun } from '../../../tables/visit-rows.ts';
import type { VisitFilter } from '../../../tables/visits-repository.ts';
import { contentsRemoved } from '../retention/retention-commands.ts';

type Parts = Pick<Tables, 'campaigns' | 'environments' | 'resources' | 'retention' | 'visits'>;

/** One visit, with what it made. Each @throws ProblemError not-found. */
export function createVisitReads({ campaigns, environments, resources, retention, visits }: Parts) {
  const visitOf = (id: string): Visit => found(visits.find(id), `visit ${id}`);
  const seqOf = (id: string): number => found(visits.findSeq(id), `visit ${id}`);

  /** @throws ProblemError contents-removed. */
  function resourcesOf(id: string): Resource[] {
    const seq = seqOf(id);
    const all = resources.of(seq);
    if (all.length === 0 && retention.isRemoved('resources', seq)) throw contentsRemoved('resources', id);
    return all;
  }

  return {
    /** The visits of a cell nearest the median of their slot. */
    nearestMedian(campaignId: number, cell: { siteId: number; condition: string; view: View }, metric: MetricName): MedianVisits {
      const slots = Map.groupBy(visits.valuesOfCell(campaignId, cell, metric), ({ slot }) => slot);
      const nearest = [...slots.values()].map((its) => {
        const middle = median(its.map(({ value }) => value));
        const visit = its.reduce((a, b) => (Math.abs(b.value - middle) < Math.abs(a.value - middle) ? b : a));
        return { ...visit, median: middle };
      });
      return { metric, visits: nearest };
    },
    read: (id: string): SingleVisit => ({ ...visitOf(id), resourcesRemoved: retention.isRemoved('resources', seqOf(id)) }),
    resources: resourcesOf,
    /** What its HTTP Archive is made of. @throws ProblemError contents-removed. */
    ofHar(id: string): { visit: Visit; site: Site; resources: Resource[]; environment: Environment | null } {
      const visit = visitOf(id);
      return {
        visit,
        site: found(campaigns.siteOf(rowId(visit.campaignId), rowId(visit.siteId)), `site ${visit.siteId}`),
        resources: resourcesOf(visit.id),
        environment: (visit.environmentId && environments.find(visit.environmentId)) || null,
      };
    },
  };
}

// Lists of a campaign's visits: a page at a time, so that no read stays open between pages. Writers never wait, and the database's log can be
// cut back.

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
