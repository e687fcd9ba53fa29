// What runners upload: stored once, whatever is sent how often, and only under a lease that holds.

import { ProblemError } from '../../../problems.ts';
import { contentHash } from '../../../storage/canonical-json.ts';
import type { createQueueLines } from '../campaign-log/queue-lines.ts';
import type { DiscoveriesRepository } from '../discoveries/discoveries-repository.ts';
import type { EnvironmentsRepository } from '../environments/environments-repository.ts';
import type { LinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import type { ResourcesRepository } from '../resources/resources-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import type { Queue } from './queue.ts';
import type { RoundTransitions } from './round-transitions.ts';
import { checkLinkCheck, checkVisit } from './upload-checks.ts';

type Parts = {
  visits: VisitsRepository;
  resources: ResourcesRepository;
  environments: EnvironmentsRepository;
  discoveries: DiscoveriesRepository;
  linkChecks: LinkChecksRepository;
};

/** @param transact runs work wholly or not at all. */
export function createQueueUploads(
  { visits, resources, environments, discoveries, linkChecks }: Parts,
  { activeLease, roundOf, protocolsOf }: RoundTransitions,
  transact: <T>(work: (touched: Set<number>) => T) => Promise<T>,
  tell: ReturnType<typeof createQueueLines>,
): Pick<Queue, 'upload' | 'uploadLinkCheck'> {
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
        assertStored('environment', upload.environmentId, environments);
        assertStored('discovery', upload.discoveryId, discoveries);
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

/** A visit refers to what is stored before it, or to nothing. */
function assertStored(what: 'environment' | 'discovery', id: string | null, repository: { find(id: string): unknown }): void {
  if (id === null || repository.find(id) !== undefined) return;
  const path = what === 'environment' ? 'environments' : 'discoveries';
  throw new ProblemError('unknown-reference', `There is no ${what} ${id}. Send it by PUT /api/v1/${path}/${id}, then the visit again.`);
}
