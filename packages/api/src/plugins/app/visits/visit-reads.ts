import type { Environment, Resource, SingleVisit, Site, Visit } from '@pronghorn/core/schemas';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';
import type { Tables } from '../../../store/tables.ts';
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
