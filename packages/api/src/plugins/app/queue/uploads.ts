// What runners upload: stored once, whatever is sent how often, and only under a lease that holds.

import type { LinkCheck, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { found, ProblemError } from '../../../shared/problems.ts';
import { contentHash } from '../../../storage/canonical-json.ts';
import { rowId } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import type { LeaseRow } from '../../../tables/leases-repository.ts';
import type { RoundRow } from '../../../tables/rounds-repository.ts';
import type { RoundTransitions } from './round-transitions.ts';

type Parts = Pick<Tables, 'effects' | 'campaigns' | 'leases' | 'visits' | 'resources' | 'environments' | 'discoveries' | 'linkChecks'>;

export function uploadCommands(
  { effects, campaigns, leases, visits, resources, environments, discoveries, linkChecks }: Parts,
  { activeLease, roundOf, protocolsOf, log }: RoundTransitions,
) {
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
    /**
     * Stores a visit with its resources.
     * @returns 'same' when it is stored already, whatever became of its lease: sending it again is harmless.
     */
    upload(leaseId: string, upload: VisitUpload): 'new' | 'same' {
      const hash = contentHash(upload);
      const stored = visits.findHash(upload.id);
      if (stored?.equals(hash)) return 'same';
      if (stored) refuseOther('visit', upload.id);
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
      effects.campaignChanged(campaignId);
      return 'new';
    },

    /**
     * Stores what was found of a site of the lease's campaign; as `upload`. The lease may be over: the discovery belongs to the campaign, and
     * rounds that the same runner leases later refer to it.
     */
    uploadDiscovery(leaseId: string, discovery: SiteDiscovery): 'new' | 'same' {
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
      if (stored === 'different') refuseOther('discovery', discovery.id);
      return stored;
    },

    /** Stores what a round's link was measured to do; as `upload`. An attempt may have several checks: the last one is the round's. */
    uploadLinkCheck(leaseId: string, check: LinkCheck): 'new' | 'same' {
      const stored = linkChecks.compare(check);
      if (stored === 'same') return 'same';
      if (stored === 'different') refuseOther('link check', check.id);
      const lease = activeLease(leaseId);
      const round = roundOf(lease);
      checkLinkCheck(check, round);
      linkChecks.insert(check, round.campaignId, { id: round.id, attempt: lease.attempt });
      log.checked(round, lease.runner, check);
      effects.campaignChanged(round.campaignId);
      return 'new';
    },
  };
}

// What a schema can't see of an upload: that it belongs to its lease and does not contradict itself.
/** @throws ProblemError already-different. */
function refuseOther(what: string, id: string): never {
  const noun = what.split(' ').at(-1);
  throw new ProblemError(
    'already-different',
    `Another ${what} is stored as ${id}. A ${noun} never changes; give this one an id of its own.`,
  );
}

/** @throws ProblemError invalid-visit. */
function checkVisit(visit: VisitUpload, lease: LeaseRow, protocols: readonly Protocol[]): void {
  const refuse = (detail: string) => {
    throw new ProblemError('invalid-visit', `Visit ${visit.id} ${detail}`);
  };
  if (visit.roundId !== String(lease.roundId) || visit.attempt !== lease.attempt) {
    refuse(`is of round ${visit.roundId}, attempt ${visit.attempt}; its lease is for round ${lease.roundId}, attempt ${lease.attempt}.`);
  }
  const expected = protocols[visit.slot];
  if (expected === undefined) refuse(`is of slot ${visit.slot}; the campaign has the slots 0 to ${protocols.length - 1}.`);
  if (visit.protocol !== expected) refuse(`has protocol ${visit.protocol} in slot ${visit.slot}, which is ${expected}.`);
  // A leap second has the form of a time, and is none.
  if (Number.isNaN(Date.parse(visit.startedAt))) refuse(`has the start ${visit.startedAt}; expected a time without a leap second.`);
  const seqs = new Set<number>();
  for (const { seq } of visit.resources) {
    if (seqs.has(seq)) refuse(`has two resources with seq ${seq}; expected each place once.`);
    seqs.add(seq);
  }
}

/** @throws ProblemError invalid-link-check. */
function checkLinkCheck(check: LinkCheck, round: RoundRow): void {
  if (check.condition === round.condition) return;
  throw new ProblemError(
    'invalid-link-check',
    `Link check ${check.id} is of condition ${check.condition}; its lease is for round ${round.id}, which is under ${round.condition}.`,
  );
}
