import { randomInt, randomUUID } from 'node:crypto';
import type { CampaignRequest, Lease, LeaseHeartbeat, LeaseReclaim, LeaseRelease, LeaseRequest } from '@pronghorn/core/schemas';
import { looksOf } from '@pronghorn/core/verdict';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { found, ProblemError } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';
import { assertReferences, completeSpec } from '../campaigns/campaign-spec.ts';
import { type Creator, hasEnded } from '../campaigns/campaigns-repository.ts';
import { runLoop } from '../loop.ts';
import { cellsOf, planRounds } from '../rounds/next-rounds.ts';
import { toRound } from '../rounds/rounds-repository.ts';
import { type ChooseOptions, createChooser, registeredRunner } from './choose-round.ts';
import { assertRoom, createQueueReads } from './place-in-queue.ts';
import { needsOf, rankOf } from './queue-entries-repository.ts';
import { createRoundTransitions, createSettling, type Transact } from './round-transitions.ts';
import { createQueueUploads } from './uploads.ts';

declare module 'fastify' {
  interface FastifyInstance {
    queue: ReturnType<typeof createQueue>;
  }
}

/** What an operator may choose of the queue. */
export type QueueOptions = ChooseOptions & {
  /** Most rounds that may be queued and leased at once, of all campaigns. */
  maxOpenRounds: number;
  /** How long a runner that got nothing should wait before it asks again, whole seconds. */
  idleSeconds: number;
  /** Whether campaigns may refer to the environment and files of this machine, as those of a local command may. */
  localReferences: boolean;
};

/** After an hour in the queue, a schedule's campaign is as urgent as one that a person waits for. */
export const defaultQueueOptions: QueueOptions = {
  maxOpenRounds: 1_000_000,
  idleSeconds: 3,
  localReferences: false,
  agingMs: 30 * 60_000,
  turnMs: 30_000,
};

/** A lease that lasts this much longer than any was given by a clock that was set back since: its runner may be long gone. */
const setBackMs = 10 * 60_000;

/**
 * Everything that may happen to campaigns and their rounds. Each call is one transaction that holds the database's write lock from its start,
 * so it is right with several processes on one file too, and does the same when it is sent twice. Refusals are ProblemErrors.
 *
 * A round is queued → leased → done, or cancelled. A lease that nobody extends in time is lost when somebody next asks for
 * work; until then its runner may still come back. A lost or released round is queued again, in its old place; what its attempt
 * uploaded is kept and never counts.
 *
 * @param options.leaseMs how long a lease lasts without a heartbeat.
 * @param options.lostAfterMs a runner without a sign of life for this long is lost.
 */
function createQueue(app: FastifyInstance, options: QueueOptions & { leaseMs: number; lostAfterMs: number }) {
  const { now, write, conditions, campaigns, rounds, leases, visits, queueEntries, runners } = app;
  const { leaseMs } = options;
  const timeNow = () => new Date(now()).toISOString();

  const transact: Transact = async (work) => {
    const [result, touched] = await write(() => {
      const touched = new Set<number>();
      return [work(touched), touched] as const;
    });
    for (const campaignId of touched) app.campaignChanges.announce(campaignId);
    return result;
  };

  /** As `transact`; settled when it is also decided what becomes of the campaigns that it left without a round. */
  const change: Transact = async (work) => {
    const [result, changed] = await transact((touched) => [work(touched), touched] as const);
    await settling.decide(changed);
    return result;
  };

  /** @throws ProblemError invalid-campaign: what is the second run of nothing confirms nothing. */
  function assertRepeated(id: string | undefined): void {
    if (id === undefined || campaigns.stateOf(rowId(id)) !== undefined) return;
    const detail = `The campaign is the second run of campaign ${id}, which there is not; expected the id of one that is there.`;
    throw new ProblemError('invalid-campaign', detail, [{ pointer: '#/annotations/repeats', detail }]);
  }

  const transitions = createRoundTransitions(app, timeNow);
  const { log, roundOf, activeLease, giveBack, lose, loseExpired, settle, giveUpHopeless, protocolsOf } = transitions;
  const settling = createSettling(app, transitions, transact);
  const choose = createChooser(app, options);
  const reads = createQueueReads(app, options);

  return {
    idleSeconds: options.idleSeconds,
    ...reads,
    ...createQueueUploads(app, transitions, transact),

    /**
     * Stores a campaign and its rounds.
     * @param createdBy the token or schedule; null: this machine's own command.
     * @param along what is stored with it, wholly or not at all: when it throws, there is no campaign.
     * @returns its id.
     */
    async submit(request: CampaignRequest, createdBy: Creator | null = null, along: Along = () => {}): Promise<string> {
      const complete = completeSpec(request, randomInt(2 ** 31), conditions.all(), app.calls.policy);
      const { spec, sites } = complete;
      assertReferences(complete, options.localReferences ? ['env', 'file', 'secret'] : ['secret']);
      const { priority = 'interactive', location = null, annotations = {} } = request;
      return transact((touched) => {
        assertRepeated(annotations.repeats);
        const { campaignId, siteIds } = campaigns.insert(spec, sites, { priority, location, annotations, createdBy }, timeNow());
        const last = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
        const planned = planRounds(spec, cellsOf(spec, siteIds), { first: 1, last });
        reads.assertRoom(planned.length);
        queueEntries.insert({ campaignId, rank: rankOf(priority), ...needsOf(spec, location) }, now());
        rounds.insertAll(campaignId, planned);
        log.made(campaignId, planned.length, createdBy?.name ?? null);
        along(campaignId);
        touched.add(campaignId);
        return String(campaignId);
      });
    },

    /** Takes all queued rounds out of the queue; a leased one may finish. A campaign that is done stays so. @param along as of `submit`. */
    async cancel(id: string, by: string | null = null, along: Along = () => {}): Promise<void> {
      await transact((touched) => {
        const { campaignId, state } = campaigns.known(id);
        if (hasEnded(state)) return;
        rounds.cancelQueued(campaignId, 'user', 'The campaign was cancelled.');
        campaigns.setState(campaignId, 'cancelled');
        log.cancelled(campaignId, by);
        along(campaignId);
        touched.add(campaignId);
      });
    },

    /** Puts back what `cancel` took out. A campaign that is not cancelled stays as it is. @param along as of `submit`. */
    async resume(id: string, by: string | null = null, along: Along = () => {}): Promise<void> {
      await change((touched) => {
        const { campaignId, state } = campaigns.known(id);
        if (state !== 'cancelled') return;
        const open = queueEntries.countOpen();
        assertRoom(rounds.requeueCancelled(campaignId, 'user'), open, options.maxOpenRounds);
        along(campaignId);
        log.resumed(campaignId, by);
        campaigns.setState(campaignId, rounds.anyAttempted(campaignId) ? 'running' : 'queued');
        settle(campaignId);
        touched.add(campaignId);
      });
    },

    /**
     * Leases the next round that the runner can perform; see choose-round.ts for which one that is. What a registered runner still had goes
     * back, so that an answer that got lost on its way does no harm.
     * @param tokenId of who asks; null: access is open.
     * @param isGone whether who asked no longer waits: checked before a round is leased that others had to be decided for.
     * @returns null when there is none.
     */
    async lease(request: LeaseRequest, tokenId: number | null = null, isGone = () => false): Promise<Lease | null> {
      const { runner, campaignId } = request;
      const leaseNext = (touched: Set<number>): Lease | null => {
        leases.expireAnew(now() + leaseMs + setBackMs, now() + leaseMs);
        for (const round of loseExpired(now())) touched.add(round.campaignId);
        const registered = registeredRunner(request, runners);
        if (registered !== undefined) {
          runners.see(registered.id, now());
          for (const held of leases.heldBy(registered.id)) {
            touched.add(giveBack(held, { reason: 'its runner asked for another round', failed: false }).campaignId);
          }
        }
        const queued = choose(registered, campaignId === undefined ? undefined : campaigns.known(campaignId).campaignId, now());
        if (!queued) return null;
        rounds.lease(queued.id);
        const round = found(rounds.find(queued.id), `round ${queued.id}`);
        const runnerId = registered?.id ?? null;
        const times = { leasedAt: app.clock.leaseTime(), expiresAt: now() + leaseMs };
        const lease = { id: randomUUID(), roundId: round.id, attempt: round.attempt, runner, runnerId, tokenId, ...times };
        leases.insert(lease);
        const { state, spec } = found(campaigns.specOf(round.campaignId), `campaign ${round.campaignId}`);
        if (state === 'queued') campaigns.setState(round.campaignId, 'running');
        log.leased(round, runner);
        touched.add(round.campaignId);
        return {
          id: lease.id,
          expiresAt: new Date(lease.expiresAt).toISOString(),
          heartbeatMs: Math.ceil(leaseMs / 4),
          round: toRound(round),
          site: found(campaigns.siteOf(round.campaignId, round.siteId), `site ${round.siteId}`),
          spec,
          ...(spec.engine === 'transaction' && { calls: app.calls.permission() }),
        };
      };
      const leased = await transact(leaseNext);
      // Whoever got a round need not wait for what others will get.
      if (leased !== null || !(await settling.decideAll()) || isGone()) return leased;
      return transact(leaseNext);
    },

    /**
     * Decides of each campaign that goes on until it is settled, and has no round left, whether it is done or gets more. Whoever finishes the
     * last round does so already; this is for what a process that died left undecided.
     */
    async decide(): Promise<void> {
      await settling.decideAll();
    },

    /** Extends a lease by its whole duration from now. */
    async heartbeat(leaseId: string): Promise<LeaseHeartbeat> {
      return transact(() => {
        const { id } = activeLease(leaseId);
        const expiresAt = now() + leaseMs;
        leases.extend(id, expiresAt);
        return { expiresAt: new Date(expiresAt).toISOString() };
      });
    },

    /**
     * Finishes a round: of each slot the last valid visit of this attempt counts from now on. Every slot must have been visited. When the
     * first rounds of a site show that it cannot be measured, its other rounds are cancelled.
     */
    async complete(leaseId: string): Promise<void> {
      await change((touched) => {
        const known = leases.find(leaseId);
        // When it is sent again, the answer waits for the same decision.
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

    /**
     * Gives a round back. Not a loss: an interrupted runner may do so as often as it likes. A round that runners failed at goes behind the
     * others of its campaign, and after ten failures is abandoned if one of these runners completes other rounds.
     */
    async release(leaseId: string, { reason, failed = false }: LeaseRelease): Promise<void> {
      await change((touched) => {
        if (leases.find(leaseId)?.state === 'released') return;
        touched.add(giveBack(activeLease(leaseId), { reason, failed }).campaignId);
      });
    },

    /**
     * All leases held under a runner's name are lost at once, since who held them is gone.
     * @param tokenId only if they were asked for with this token; undefined: whosever they are.
     * @returns how many.
     * @throws ProblemError forbidden when they are another token's.
     */
    async reclaim({ runner, campaignId }: LeaseReclaim, tokenId?: number): Promise<number> {
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

    /** All leases of a registered runner are lost at once. @param why ends a sentence. */
    async loseLeasesOf(runnerId: number, why: string): Promise<void> {
      await change((touched) => {
        for (const lease of leases.heldBy(runnerId)) touched.add(lose(lease, why).campaignId);
      });
    },
  };
}

/** What is stored with a campaign, in the same transaction. */
type Along = (campaignId: number) => void;

export default fp<Partial<QueueOptions> & { leaseMs: number; lostAfterMs: number }>(async (app, options) => {
  const queue = createQueue(app, { ...defaultQueueOptions, ...options });
  app.decorate('queue', queue);
  // What a process that died, or a lease that ran out, left undecided while every runner has something to do.
  runLoop(app, { name: 'queue', tick: queue.decide });
});
