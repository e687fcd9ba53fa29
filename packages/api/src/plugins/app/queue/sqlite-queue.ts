import { randomInt, randomUUID } from 'node:crypto';
import type { CallsPermission, CallsPolicy, Lease } from '@pronghorn/core/schemas';
import { looksOf } from '@pronghorn/core/verdict';
import type { FastifyBaseLogger } from 'fastify';
import fp from 'fastify-plugin';
import { found, ProblemError } from '../../../problems.ts';
import type { Database } from '../../../storage/database.ts';
import { rowId } from '../../../storage/row-id.ts';
import type { Write } from '../../../storage/write.ts';
import type { CampaignLogRepository } from '../campaign-log/campaign-log-repository.ts';
import { createQueueLines } from '../campaign-log/queue-lines.ts';
import type { CampaignChanges } from '../campaigns/campaign-changes.ts';
import { assertReferences, completeSpec } from '../campaigns/campaign-spec.ts';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import { groupsOf, planRounds } from '../campaigns/plan-rounds.ts';
import type { Clock } from '../clock/clock.ts';
import type { ConditionsRepository } from '../conditions/conditions-repository.ts';
import type { DiscoveriesRepository } from '../discoveries/discoveries-repository.ts';
import type { EnvironmentsRepository } from '../environments/environments-repository.ts';
import type { LeasesRepository } from '../leases/leases-repository.ts';
import type { LinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import { startLoop } from '../loop.ts';
import type { ResourcesRepository } from '../resources/resources-repository.ts';
import type { Results } from '../results/results.ts';
import { type RoundsRepository, toRound } from '../rounds/rounds-repository.ts';
import type { RunnersRepository } from '../runners/runners-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import { assertRoom, type ChooseOptions, createChooser, registeredRunner } from './choose-round.ts';
import type { Queue } from './queue.ts';
import { needsOf, type QueueEntriesRepository, rankOf } from './queue-entries-repository.ts';
import { createQueueReads } from './queue-reads.ts';
import { createQueueUploads } from './queue-uploads.ts';
import { createRoundTransitions } from './round-transitions.ts';
import { createSettling } from './settling.ts';

declare module 'fastify' {
  interface FastifyInstance {
    queue: Queue;
  }
}

type Parts = {
  database: Database;
  write: Write;
  clock: Pick<Clock, 'leaseTime'>;
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
  campaignLog: CampaignLogRepository;
  queueEntries: QueueEntriesRepository;
  runners: RunnersRepository;
  notifications: { campaignDone(campaignId: number): void };
  results: Pick<Results, 'roundsToAdd'>;
  calls: { policy: CallsPolicy; permission(): CallsPermission };
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** What an operator may choose of the queue. */
export type QueueOptions = ChooseOptions & {
  /** Most rounds that may be queued and leased at once, of all campaigns. */
  maxOpenRounds: number;
  /** How long a runner that got nothing should wait, whole seconds. */
  idleSeconds: number;
  /** Whether campaigns may refer to the environment and files of the machine: of a command that measures what it asks for itself. */
  localReferences: boolean;
};

/** An hour passes from a schedule’s campaign being queued to it being as urgent as what a person waits for. */
export const defaultQueueOptions: QueueOptions = {
  maxOpenRounds: 1_000_000,
  idleSeconds: 3,
  localReferences: false,
  agingMs: 30 * 60_000,
  turnMs: 30_000,
};

/** A lease that lasts so much longer than any was given by a clock that was set back since: its runner may be long gone. */
const setBackMs = 10 * 60_000;

type QueueClock = { now: () => number; leaseMs: number; lostAfterMs: number };

/**
 * The queue in the api's own database: each call is one transaction that holds the write lock from its start, so that it is
 * right with several api processes on one file too.
 *
 * @param clock.now whole milliseconds since 1970.
 * @param clock.leaseMs how long a lease lasts without a heartbeat.
 * @param clock.lostAfterMs how long a runner may give no sign.
 */
export function createSqliteQueue(parts: Parts, clock: QueueClock, options: QueueOptions): Queue {
  const { write, conditions, campaigns, rounds, leases, visits } = parts;
  const { campaignChanges, campaignLog, queueEntries, runners, calls } = parts;
  const { now, leaseMs } = clock;
  const timeNow = () => new Date(now()).toISOString();

  /** Runs `work` wholly or not at all; then tells of the campaigns that it `touched`. */
  async function transact<T>(work: (touched: Set<number>) => T): Promise<T> {
    const [result, touched] = await write(() => {
      const touched = new Set<number>();
      return [work(touched), touched] as const;
    });
    for (const campaignId of touched) campaignChanges.announce(campaignId);
    return result;
  }

  /** As `transact`; settled when it is also decided what becomes of the campaigns that it left without a round. */
  async function change<T>(work: (touched: Set<number>) => T): Promise<T> {
    const [result, changed] = await transact((touched) => [work(touched), touched] as const);
    await settling.decide(changed);
    return result;
  }

  /** @throws ProblemError invalid-campaign: what is the second run of nothing confirms nothing. */
  function assertRepeated(id: string | undefined): void {
    if (id === undefined || campaigns.stateOf(rowId(id)) !== undefined) return;
    const detail = `The campaign is the second run of campaign ${id}, which there is not; expected the id of one that is there.`;
    throw new ProblemError('invalid-campaign', detail, [{ pointer: '#/annotations/repeats', detail }]);
  }

  const transitions = createRoundTransitions(parts, timeNow);
  const { roundOf, activeLease, giveBack, lose, loseExpired, settle, giveUpHopeless, protocolsOf } = transitions;
  const settling = createSettling(parts, transitions, transact);
  const chooser = createChooser(parts, options);
  const tell = createQueueLines(campaignLog, campaigns);

  return {
    idleSeconds: options.idleSeconds,
    ...createQueueReads(parts, { ...clock, ...options }),
    ...createQueueUploads(parts, transitions, transact, tell),

    async submit(request, createdBy = null, along = () => {}) {
      const complete = completeSpec(request, randomInt(2 ** 31), conditions.all(), calls.policy);
      const { spec, sites } = complete;
      assertReferences(complete, options.localReferences ? ['env', 'file', 'secret'] : ['secret']);
      const { priority = 'interactive', location = null, annotations = {} } = request;
      return transact((touched) => {
        assertRepeated(annotations.repeats);
        const { campaignId, siteIds } = campaigns.insert(spec, sites, { priority, location, annotations, createdBy }, timeNow());
        const last = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
        const planned = planRounds(spec, groupsOf(spec, siteIds), { first: 1, last });
        assertRoom(planned.length, queueEntries.countOpen(), options.maxOpenRounds);
        queueEntries.insert({ campaignId, rank: rankOf(priority), ...needsOf(spec, location) }, now());
        rounds.insertAll(campaignId, planned);
        tell.made(campaignId, planned.length, createdBy?.name ?? null);
        along(campaignId);
        touched.add(campaignId);
        return String(campaignId);
      });
    },

    async cancel(id, by = null, along = () => {}) {
      await transact((touched) => {
        const { campaignId, state } = campaigns.known(id);
        if (state === 'done' || state === 'cancelled') return;
        rounds.cancelQueued(campaignId, 'user', 'The campaign was cancelled.');
        campaigns.setState(campaignId, 'cancelled');
        tell.cancelled(campaignId, by);
        along(campaignId);
        touched.add(campaignId);
      });
    },

    async resume(id, by = null, along = () => {}) {
      await change((touched) => {
        const { campaignId, state } = campaigns.known(id);
        if (state !== 'cancelled') return;
        const open = queueEntries.countOpen();
        assertRoom(rounds.requeueCancelled(campaignId, 'user'), open, options.maxOpenRounds);
        along(campaignId);
        tell.resumed(campaignId, by);
        campaigns.setState(campaignId, rounds.anyAttempted(campaignId) ? 'running' : 'queued');
        settle(campaignId);
        touched.add(campaignId);
      });
    },

    async lease(request, tokenId = null, isGone = () => false) {
      const { runner, campaignId } = request;
      const lend = (touched: Set<number>): Lease | null => {
        leases.expireAnew(now() + leaseMs + setBackMs, now() + leaseMs);
        for (const round of loseExpired(now())) touched.add(round.campaignId);
        const registered = registeredRunner(request, runners);
        if (registered !== undefined) {
          runners.see(registered.id, now());
          for (const held of leases.heldBy(registered.id)) {
            touched.add(giveBack(held, { reason: 'its runner asked for another round', failed: false }).campaignId);
          }
        }
        const queued = chooser.choose(registered, campaignId === undefined ? undefined : campaigns.known(campaignId).campaignId, now());
        if (!queued) return null;
        rounds.lease(queued.id);
        const round = found(rounds.find(queued.id), `round ${queued.id}`);
        const runnerId = registered?.id ?? null;
        const times = { leasedAt: parts.clock.leaseTime(), expiresAt: now() + leaseMs };
        const lease = { id: randomUUID(), roundId: round.id, attempt: round.attempt, runner, runnerId, tokenId, ...times };
        leases.insert(lease);
        const { state, spec } = found(campaigns.specOf(round.campaignId), `campaign ${round.campaignId}`);
        if (state === 'queued') campaigns.setState(round.campaignId, 'running');
        tell.leased(round, runner);
        touched.add(round.campaignId);
        return {
          id: lease.id,
          expiresAt: new Date(lease.expiresAt).toISOString(),
          heartbeatMs: Math.ceil(leaseMs / 4),
          round: toRound(round),
          site: found(campaigns.siteOf(round.campaignId, round.siteId), `site ${round.siteId}`),
          spec,
          ...(spec.engine === 'transaction' && { calls: calls.permission() }),
        };
      };
      const lent = await transact(lend);
      // Who got a round need not wait for what others will get.
      if (lent !== null || !(await settling.decideAll()) || isGone()) return lent;
      return transact(lend);
    },

    async decide() {
      await settling.decideAll();
    },

    async heartbeat(leaseId) {
      return transact(() => {
        const { id } = activeLease(leaseId);
        const expiresAt = now() + leaseMs;
        leases.extend(id, expiresAt);
        return { expiresAt: new Date(expiresAt).toISOString() };
      });
    },

    async complete(leaseId) {
      await change((touched) => {
        const known = leases.find(leaseId);
        // Of one that is sent again the answer waits as long.
        if (known?.state === 'completed') return void touched.add(roundOf(known).campaignId);
        const lease = activeLease(leaseId);
        const round = roundOf(lease);
        const visited = new Set(visits.slotsVisited(round.id, lease.attempt));
        const names = protocolsOf(round.campaignId)
          .map((protocol, slot) => ({ protocol, slot }))
          .filter(({ slot }) => !visited.has(slot))
          .map(({ protocol, slot }) => `${slot} (${protocol})`);
        if (names.length > 0) {
          throw new ProblemError(
            'round-incomplete',
            `Round ${round.id}, attempt ${lease.attempt}, has no visit of slot ${names.join(', ')}. Upload one of each, invalid ones too, or release the lease.`,
          );
        }
        leases.end(lease.id, 'completed', null, now());
        rounds.finish(round.id);
        visits.count(round.id, lease.attempt);
        giveUpHopeless(round);
        settle(round.campaignId);
        touched.add(round.campaignId);
      });
    },

    async release(leaseId, { reason, failed = false }) {
      await change((touched) => {
        if (leases.find(leaseId)?.state === 'released') return;
        touched.add(giveBack(activeLease(leaseId), { reason, failed }).campaignId);
      });
    },

    async reclaim({ runner, campaignId }, tokenId) {
      return await change((touched) => {
        const held = leases.activeOf(runner, campaignId === undefined ? null : campaigns.known(campaignId).campaignId);
        if (tokenId !== undefined && held.some((lease) => lease.tokenId !== tokenId)) {
          throw new ProblemError(
            'forbidden',
            `Runner "${runner}" holds leases that it asked for with another token. Ask with that one, or with an admin's.`,
          );
        }
        for (const lease of held) touched.add(lose(lease, 'its runner started anew').campaignId);
        return held.length;
      });
    },

    async loseLeasesOf(runnerId, why) {
      await change((touched) => {
        for (const lease of leases.heldBy(runnerId)) touched.add(lose(lease, why).campaignId);
      });
    },
  };
}

export default fp<QueueClock & { options: Partial<QueueOptions> }>(
  async (app, { options, ...clock }) => {
    const queue = createSqliteQueue(app, clock, { ...defaultQueueOptions, ...options });
    app.decorate('queue', queue);
    // What a process that died, or a lease that ran out, left undecided while every runner has something to do.
    const loop = startLoop({ name: 'queue', tick: () => queue.decide(), nextAt: () => null }, { now: clock.now, log: app.log });
    app.addHook('preClose', () => loop.stop());
  },
  {
    name: 'queue',
    dependencies: [
      'sqlite',
      'clock',
      'calls',
      'campaign-changes',
      'campaign-log-repository',
      'notifications',
      'results',
      'queue-entries-repository',
      'runners-repository',
      ...['conditions', 'campaigns', 'rounds', 'leases', 'visits', 'resources', 'environments', 'discoveries', 'link-checks'].map(
        (noun) => `${noun}-repository`,
      ),
    ],
  },
);
