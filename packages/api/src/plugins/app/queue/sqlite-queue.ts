import { randomInt, randomUUID } from 'node:crypto';
import { type Lease, looksOf } from '@pronghorn/core';
import fp from 'fastify-plugin';
import { found, ProblemError } from '../../../problems.ts';
import { contentHash } from '../../../storage/canonical-json.ts';
import type { Database } from '../../../storage/database.ts';
import { rowId } from '../../../storage/row-id.ts';
import type { CampaignChanges } from '../campaigns/campaign-changes.ts';
import { completeSpec } from '../campaigns/campaign-spec.ts';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import { groupsOf, planRounds } from '../campaigns/plan-rounds.ts';
import type { ConditionsRepository } from '../conditions/conditions-repository.ts';
import type { DiscoveriesRepository } from '../discoveries/discoveries-repository.ts';
import type { EnvironmentsRepository } from '../environments/environments-repository.ts';
import type { LeasesRepository } from '../leases/leases-repository.ts';
import type { LinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import type { ResourcesRepository } from '../resources/resources-repository.ts';
import { type RoundsRepository, toRound } from '../rounds/rounds-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import type { Queue } from './queue.ts';
import { createRoundTransitions } from './round-transitions.ts';
import { checkLinkCheck, checkVisit } from './upload-checks.ts';

declare module 'fastify' {
  interface FastifyInstance {
    queue: Queue;
  }
}

type Parts = {
  database: Database;
  conditions: ConditionsRepository;
  campaigns: CampaignsRepository;
  rounds: RoundsRepository;
  leases: LeasesRepository;
  visits: VisitsRepository;
  resources: ResourcesRepository;
  environments: EnvironmentsRepository;
  discoveries: DiscoveriesRepository;
  linkChecks: LinkChecksRepository;
  campaignChanges: CampaignChanges;
};

/**
 * The queue in the api's own database: each call is one transaction that holds the write lock from its start, so that it is
 * right with several api processes on one file too.
 *
 * @param clock.now whole milliseconds since 1970.
 * @param clock.leaseMs how long a lease lasts without a heartbeat.
 */
export function createSqliteQueue(parts: Parts, clock: { now: () => number; leaseMs: number }): Queue {
  const { database, conditions, campaigns, rounds, leases, visits, resources, environments, discoveries, linkChecks, campaignChanges } =
    parts;
  const { now, leaseMs } = clock;
  const timeNow = () => new Date(now()).toISOString();
  const transaction = database.transaction((work: () => unknown) => work());

  /** Runs `work` wholly or not at all; then tells of the campaigns that it `touched`. */
  function transact<T>(work: (touched: Set<number>) => T): T {
    const touched = new Set<number>();
    const result = transaction.immediate(() => work(touched)) as T;
    for (const campaignId of touched) campaignChanges.announce(campaignId);
    return result;
  }

  /** Of a request; its id may be any text. */
  const asked = (id: string) => ({ campaignId: rowId(id), ...found(campaigns.findSpec(rowId(id)), `campaign ${id}`) });
  const { campaignOf, roundOf, activeLease, putBack, lose, loseExpired, settle, giveUpHopeless } = createRoundTransitions(parts, timeNow);

  return {
    async submit(request, createdBy = null) {
      const { spec, sites } = completeSpec(request, randomInt(2 ** 31), conditions.all());
      const { priority = 'interactive', location = null, annotations = {} } = request;
      return transact((touched) => {
        const { campaignId, siteIds } = campaigns.insert(spec, sites, { priority, location, annotations, createdBy }, timeNow());
        const last = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
        rounds.insertAll(campaignId, planRounds(spec, groupsOf(spec, siteIds), { first: 1, last }));
        touched.add(campaignId);
        return String(campaignId);
      });
    },

    async cancel(id) {
      transact((touched) => {
        const { campaignId, state } = asked(id);
        if (state === 'done' || state === 'cancelled') return;
        rounds.cancelQueued(campaignId, 'user', 'The campaign was cancelled.');
        campaigns.setState(campaignId, 'cancelled');
        touched.add(campaignId);
      });
    },

    async resume(id) {
      transact((touched) => {
        const { campaignId, state } = asked(id);
        if (state !== 'cancelled') return;
        rounds.requeueCancelled(campaignId, 'user');
        campaigns.setState(campaignId, rounds.anyAttempted(campaignId) ? 'running' : 'queued');
        settle(campaignId);
        touched.add(campaignId);
      });
    },

    async lease({ runner, campaignId }) {
      return transact((touched): Lease | null => {
        for (const round of loseExpired(now())) touched.add(round.campaignId);
        const queued = rounds.nextQueued(campaignId === undefined ? undefined : asked(campaignId).campaignId);
        if (!queued) return null;
        rounds.lease(queued.id);
        const round = found(rounds.find(queued.id), `round ${queued.id}`);
        const lease = { id: randomUUID(), roundId: round.id, attempt: round.attempt, runner, leasedAt: now(), expiresAt: now() + leaseMs };
        leases.insert(lease);
        const { state, spec, sites } = campaignOf(round.campaignId);
        if (state === 'queued') campaigns.setState(round.campaignId, 'running');
        touched.add(round.campaignId);
        return {
          id: lease.id,
          expiresAt: new Date(lease.expiresAt).toISOString(),
          heartbeatMs: Math.ceil(leaseMs / 4),
          round: toRound(round),
          site: found(
            sites.find((site) => site.id === String(round.siteId)),
            `site ${round.siteId}`,
          ),
          spec,
          sites,
        };
      });
    },

    async heartbeat(leaseId) {
      return transact(() => {
        const { id } = activeLease(leaseId);
        const expiresAt = now() + leaseMs;
        leases.extend(id, expiresAt);
        return { expiresAt: new Date(expiresAt).toISOString() };
      });
    },

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
        checkVisit(upload, lease, campaignOf(campaignId).spec.protocols);
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
      return transact(() => {
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
        return 'new';
      });
    },

    async complete(leaseId) {
      transact((touched) => {
        if (leases.find(leaseId)?.state === 'completed') return;
        const lease = activeLease(leaseId);
        const round = roundOf(lease);
        const { protocols } = campaignOf(round.campaignId).spec;
        const visited = new Set(visits.slotsVisited(round.id, lease.attempt));
        const names = protocols
          .map((protocol, slot) => ({ protocol, slot }))
          .filter(({ slot }) => !visited.has(slot))
          .map(({ protocol, slot }) => `${slot} (${protocol})`);
        if (names.length > 0) {
          throw new ProblemError(
            'round-incomplete',
            `Round ${round.id}, attempt ${lease.attempt}, has no visit of slot ${names.join(', ')}. Upload one of each, invalid ones too, or release the lease.`,
          );
        }
        leases.end(lease.id, 'completed', null);
        rounds.finish(round.id);
        visits.count(round.id, lease.attempt);
        giveUpHopeless(round);
        settle(round.campaignId);
        touched.add(round.campaignId);
      });
    },

    async release(leaseId, reason) {
      transact((touched) => {
        if (leases.find(leaseId)?.state === 'released') return;
        const lease = activeLease(leaseId);
        const round = roundOf(lease);
        leases.end(lease.id, 'released', reason);
        putBack(round, `Attempt ${lease.attempt} was released: ${reason}`);
        settle(round.campaignId);
        touched.add(round.campaignId);
      });
    },

    async reclaim({ runner, campaignId }) {
      return transact((touched) => {
        const held = leases.activeOf(runner, campaignId === undefined ? null : asked(campaignId).campaignId);
        for (const lease of held) touched.add(lose(lease, 'its runner started anew').campaignId);
        return held.length;
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

export default fp<{ now: () => number; leaseMs: number }>(
  async (app, clock) => {
    app.decorate('queue', createSqliteQueue(app, clock));
  },
  {
    name: 'queue',
    dependencies: [
      'sqlite',
      'campaign-changes',
      ...['conditions', 'campaigns', 'rounds', 'leases', 'visits', 'resources', 'environments', 'discoveries', 'link-checks'].map(
        (noun) => `${noun}-repository`,
      ),
    ],
  },
);
