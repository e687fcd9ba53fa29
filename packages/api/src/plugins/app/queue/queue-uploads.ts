// What runners upload: stored once, whatever is sent how often, and only under a lease that holds.

import { found, ProblemError } from '../../../problems.ts';
import { contentHash } from '../../../storage/canonical-json.ts';
import { rowId } from '../../../storage/row-id.ts';
import type { createQueueLines } from '../campaign-log/queue-lines.ts';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import type { DiscoveriesRepository } from '../discoveries/discoveries-repository.ts';
import type { EnvironmentsRepository } from '../environments/environments-repository.ts';
import type { LeasesRepository } from '../leases/leases-repository.ts';
import type { LinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import type { ResourcesRepository } from '../resources/resources-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import type { Queue } from './queue.ts';
import type { RoundTransitions } from './round-transitions.ts';
import { checkLinkCheck, checkVisit } from './upload-checks.ts';

type Parts = {
  campaigns: CampaignsRepository;
  leases: LeasesRepository;
  visits: VisitsRepository;
  resources: ResourcesRepository;
  environments: EnvironmentsRepository;
  discoveries: DiscoveriesRepository;
  linkChecks: LinkChecksRepository;
};

/** @param transact runs work wholly or not at all. */
export function createQueueUploads(
  { campaigns, leases, visits, resources, environments, discoveries, linkChecks }: Parts,
  { activeLease, roundOf, protocolsOf }: RoundTransitions,
  transact: <T>(work: (touched: Set<number>) => T) => Promise<T>,
  tell: ReturnType<typeof createQueueLines>,
): Pick<Queue, 'upload' | 'uploadDiscovery' | 'uploadLinkCheck'> {
  // A visit refers to what is stored before it, or to nothing.
  function assertEnvironment(id: string | null): void {
    if (id === null || environments.find(id) !== undefined) return;
    throw new ProblemError(
      'unknown-reference',
      `There is no environment ${id}. Send it by PUT /api/v1/environments/${id}, then the visit again.`,
    );
  }
  function assertDiscovery(id: string | null, campaignId: number, leaseId: string): void {
    if (id === null || discoveries.campaignOf(id) === campaignId) return;
    throw new ProblemError(
      'unknown-reference',
      `There is no discovery ${id} in campaign ${campaignId}. Send it by PUT /api/v1/leases/${leaseId}/discoveries/${id}, then the visit again.`,
    );
  }

  return {
    async upload(leaseId, upload) {
      const hash = contentHash(upload);
      return transact((touched) => {
        const stored = visits.findHash(upload.id);
        if (stored?.equals(hash)) return 'same';
        if (stored)
          throw new ProblemError(
            'already-different',
            `Another visit is stored as ${upload.id}. A visit never changes; give this one an id of its own.`,
          );
        const lease = activeLease(leaseId);
        const { id: roundId, campaignId } = roundOf(lease);
        checkVisit(upload, lease, protocolsOf(campaignId));
        assertEnvironment(upload.environmentId);
        assertDiscovery(upload.discoveryId, campaignId, leaseId);
        try {
          resources.insertAll(visits.insert(upload, campaignId, roundId, hash), upload.resources);
        } catch (error) {
          // What the schema lets through and the table doesn't, such as a count of 1e300.
          if (!(error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT')) throw error;
          throw new ProblemError('invalid-visit', `Visit ${upload.id} cannot be stored: ${(error as Error).message}.`);
        }
        touched.add(campaignId);
        return 'new';
      });
    },

    async uploadDiscovery(leaseId, discovery) {
      return transact(() => {
        const { campaignId } = roundOf(found(leases.find(leaseId), `lease ${leaseId}`));
        if (campaigns.stateOf(campaignId) === undefined)
          throw new ProblemError('not-found', `There is no campaign ${campaignId} any more, which lease ${leaseId} is of.`);
        if (rowId(discovery.campaignId) !== campaignId) {
          throw new ProblemError(
            'unknown-reference',
            `Discovery ${discovery.id} is of campaign ${discovery.campaignId}; its lease is of campaign ${campaignId}.`,
          );
        }
        const stored = discoveries.put(discovery);
        if (stored === 'no-site') {
          throw new ProblemError(
            'unknown-reference',
            `There is no site ${discovery.siteId} in campaign ${campaignId}. Take one of the lease's sites.`,
          );
        }
        if (stored === 'different') {
          throw new ProblemError(
            'already-different',
            `Another discovery is stored as ${discovery.id}. A discovery never changes; give this one an id of its own.`,
          );
        }
        return stored;
      });
    },

    async uploadLinkCheck(leaseId, check) {
      return transact((touched) => {
        const stored = linkChecks.compare(check);
        if (stored === 'same') return 'same';
        if (stored === 'different')
          throw new ProblemError(
            'already-different',
            `Another link check is stored as ${check.id}. A check never changes; give this one an id of its own.`,
          );
        const lease = activeLease(leaseId);
        const round = roundOf(lease);
        checkLinkCheck(check, round);
        linkChecks.insert(check, round.campaignId, { id: round.id, attempt: lease.attempt });
        tell.checked(round, lease.runner, check);
        touched.add(round.campaignId);
        return 'new';
      });
    },
  };
}
