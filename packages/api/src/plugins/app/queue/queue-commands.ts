// What may happen to rounds and their leases. A round is queued, leased, then done or cancelled. A lease that nobody extends in time is lost
// when somebody next asks for work; until then its runner may still come back. A lost or released round is queued again, in its old place; what
// its attempt uploaded is kept and never counts. Whatever is sent twice is done once. Below: which round a runner gets, and what it reads of it.
import { randomUUID } from 'node:crypto';
import type { Lease, LeaseComplete, LeaseHeartbeat, LeaseReclaim, LeaseRelease, LeaseRequest } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import type { Tables } from '../../../store/tables.ts';
import { toRound } from '../../../tables/rounds-repository.ts';
import { ofInstance, type RunnerRow, type RunnersRepository } from '../../../tables/runners-repository.ts';
import { ownershipPermission } from '../calls/calls.ts';
import type { NextRounds } from './next-rounds.ts';
import { createRoundTransitions } from './round-transitions.ts';
import { uploadCommands } from './uploads.ts';

/** A lease that lasts this much longer than any was given by a clock that was set back since: its runner may be long gone. */
const setBackMs = 10 * 60_000;

/** Refusals are ProblemErrors. */
export function queueCommands(tables: Tables) {
  const { now, settings, effects, campaigns, rounds, leases, visits, runners } = tables;
  const { leaseMs } = settings.queue;
  const transitions = createRoundTransitions(tables);
  const { log, roundOf, activeLease, giveBack, lose, loseExpired, settle, giveUpHopeless, protocolsOf } = transitions;
  const choose = createChooser(tables, settings.queue);

  return {
    ...uploadCommands(tables, transitions),

    /**
     * Leases the next round that the runner can perform; see `createChooser` below for which one that is. What a registered runner still had goes
     * back, so that an answer that got lost on its way does no harm.
     * @param tokenId of who asks; null: access is open.
     * @returns null when there is none.
     */
    lease(request: LeaseRequest, tokenId: number | null = null): Lease | null {
      const { runner, campaignId } = request;
      leases.expireAnew(now() + leaseMs + setBackMs, now() + leaseMs);
      loseExpired(now());
      const registered = registeredRunner(request, runners);
      if (registered !== undefined) {
        runners.see(registered.id, now());
        for (const held of leases.heldBy(registered.id)) giveBack(held, { reason: 'its runner asked for another round', failed: false });
      }
      const queued = choose(registered, campaignId === undefined ? undefined : campaigns.known(campaignId).campaignId, now());
      if (!queued) return null;
      rounds.lease(queued.id);
      const round = found(rounds.find(queued.id), `round ${queued.id}`);
      const runnerId = registered?.id ?? null;
      const times = { leasedAt: tables.clock.leaseTime(), expiresAt: now() + leaseMs };
      const lease = { id: randomUUID(), roundId: round.id, attempt: round.attempt, runner, runnerId, tokenId, ...times };
      leases.insert(lease);
      const { state, spec } = found(campaigns.specOf(round.campaignId), `campaign ${round.campaignId}`);
      if (state === 'queued') campaigns.setState(round.campaignId, 'running');
      log.leased(round, runner);
      const watch = visits.watchOf(round);
      effects.campaignChanged(round.campaignId);
      return {
        id: lease.id,
        expiresAt: new Date(lease.expiresAt).toISOString(),
        heartbeatMs: Math.ceil(leaseMs / 4),
        round: toRound(round),
        site: found(campaigns.siteOf(round.campaignId, round.siteId), `site ${round.siteId}`),
        spec,
        ...(watch !== null && { watch }),
        ...(spec.engine === 'transaction' && { calls: ownershipPermission(tables) }),
      };
    },

    /** Extends a lease by its whole duration from now. */
    heartbeat(leaseId: string): LeaseHeartbeat {
      const { id } = activeLease(leaseId);
      const expiresAt = now() + leaseMs;
      leases.extend(id, expiresAt);
      return { expiresAt: new Date(expiresAt).toISOString() };
    },

    /**
     * Finishes a round: of each slot the last valid visit of this attempt counts from now on. Every slot must have been visited. When the
     * first rounds of a site show that it cannot be measured, its other rounds are cancelled.
     * @returns the campaign, of which is to be decided whether it is done; also when it is sent again.
     */
    complete(leaseId: string, { watchedEqually = true }: LeaseComplete = {}): number {
      const known = leases.find(leaseId);
      if (known?.state === 'completed') return roundOf(known).campaignId;
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
      rounds.finish(round.id, watchedEqually);
      visits.count(round.id, lease.attempt);
      giveUpHopeless(round);
      settle(round.campaignId);
      effects.campaignChanged(round.campaignId);
      return round.campaignId;
    },

    /**
     * Gives a round back. Not a loss: an interrupted runner may do so as often as it likes. A round that runners failed at goes behind the
     * others of its campaign, and after ten failures is abandoned if one of these runners completes other rounds.
     * @returns as `complete`; null when it was given back before.
     */
    release(leaseId: string, { reason, failed = false }: LeaseRelease): number | null {
      if (leases.find(leaseId)?.state === 'released') return null;
      return giveBack(activeLease(leaseId), { reason, failed }).campaignId;
    },

    /**
     * All leases held under a runner's name are lost at once, since who held them is gone.
     * @param tokenId only if they were asked for with this token; undefined: whosever they are.
     * @returns the campaign of each, as `complete`.
     * @throws ProblemError forbidden when they are another token's.
     */
    reclaim({ runner, campaignId }: LeaseReclaim, tokenId?: number): number[] {
      const held = leases.activeOf(runner, campaignId === undefined ? null : campaigns.known(campaignId).campaignId);
      if (tokenId !== undefined && held.some((lease) => lease.tokenId !== tokenId)) {
        throw new ProblemError(
          'forbidden',
          `Runner "${runner}" holds leases that it asked for with another token. Ask with that one, or with an admin's.`,
        );
      }
      return held.map((lease) => lose(lease, 'its runner started anew').campaignId);
    },

    /** All leases of a registered runner are lost at once. @param why ends a sentence. @returns the campaign of each, as `complete`. */
    loseLeasesOf: (runnerId: number, why: string): number[] => leases.heldBy(runnerId).map((lease) => lose(lease, why).campaignId),

    /** With what was decided of a campaign without an open round, if it is still so. @returns whether it is. */
    goOn: (campaignId: number, decided: NextRounds): boolean => transitions.goOn(campaignId, decided),
  };
}

export type ChooseOptions = {
  /** How long a campaign waits until it goes up one priority, milliseconds. */
  agingMs: number;
  /** How long a runner stays with a campaign while others of the same urgency wait, milliseconds. */
  turnMs: number;
};

/** The runner that asks; undefined for one that is not registered. @throws ProblemError not-found or runner-replaced. */
function registeredRunner({ runner, instance }: LeaseRequest, runners: RunnersRepository): RunnerRow | undefined {
  if (instance === undefined) return undefined;
  const row = ofInstance(runners.named(runner), runner, instance);
  if (row.doing !== 'stopped') return row;
  throw new ProblemError('not-found', `Runner "${runner}" has signed off. Register it again by POST /api/v1/runners.`);
}

type Parts = Pick<Tables, 'leases' | 'rounds' | 'runners' | 'queueEntries'>;

// Which round a runner gets. The rule; docs/decisions has its reasons:
// 1. Only campaigns that the runner can perform wholly, where it stands.
// 2. The most urgent first: interactive before ci before schedule, and one up for every `agingMs` without a leased round.
// 3. Of these the one with the fewest leased rounds, then the one that waits longest.
// 4. But a runner stays with its campaign for `turnMs` while nothing is more urgent: each change costs new Chromes and a new link.
// 5. A server gets REST calls from one runner at a time: a campaign whose next round would send it more waits.
// Within a campaign rounds go in its random order.
function createChooser({ leases, rounds, runners, queueEntries }: Parts, { agingMs, turnMs }: ChooseOptions) {
  /** Campaigns whose next round would send REST calls to a host that gets some already. */
  function waitingForServers(): number[] {
    const loaded = new Set(leases.urlsOfCalls().map(hostOf));
    if (loaded.size === 0) return [];
    return queueEntries.nextCalls().flatMap(({ campaignId, url }) => (url !== null && loaded.has(hostOf(url)) ? [campaignId] : []));
  }

  /** @returns the row of the campaign. */
  function chooseCampaign(runner: RunnerRow | undefined, campaignId: number | undefined, now: number): number | undefined {
    const without = waitingForServers();
    const ordering = { now, agingMs, without };
    if (campaignId !== undefined && without.includes(campaignId)) return undefined;
    if (runner === undefined) return campaignId ?? queueEntries.next(anything, ordering)?.campaignId;
    if (campaignId !== undefined) return queueEntries.urgency(campaignId, runner, ordering) === undefined ? undefined : campaignId;
    const best = queueEntries.next(runner, ordering);
    if (best === undefined) return undefined;
    const { turnCampaignId, turnBeganAt } = runner;
    if (turnCampaignId === null || turnBeganAt === null || now - turnBeganAt >= turnMs) return best.campaignId;
    const urgency = queueEntries.urgency(turnCampaignId, runner, ordering);
    return urgency !== undefined && urgency <= best.urgency ? turnCampaignId : best.campaignId;
  }

  /**
   * The next round for a runner, which is thereby served.
   * @param campaignId only of this one.
   */
  return (runner: RunnerRow | undefined, campaignId: number | undefined, now: number): { id: number } | undefined => {
    const chosen = chooseCampaign(runner, campaignId, now);
    const round = chosen === undefined ? undefined : rounds.nextQueued(chosen);
    if (chosen === undefined || round === undefined) return undefined;
    queueEntries.serve(chosen, now);
    const sameTurn = runner?.turnCampaignId === chosen && runner.turnBeganAt !== null && now - runner.turnBeganAt < turnMs;
    if (runner !== undefined && !sameTurn) runners.beginTurn(runner.id, chosen, now);
    return round;
  };
}

/** Whatever its port: it is one machine. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');

/** Whoever does not register has seen to it that it can do what it asks for. */
const anything = {
  location: null,
  capabilities: { engines: ['puppeteer' as const], browsers: ['chrome' as const, 'headless-shell' as const], backends: ['netem' as const] },
};

type LeaseParts = Pick<Tables, 'campaigns' | 'discoveries' | 'leases' | 'linkChecks' | 'rounds' | 'secrets'>;

/** What a runner reads of the round that it leased. Each @throws ProblemError not-found. */
export function createLeaseReads({ campaigns, discoveries, leases, linkChecks, rounds, secrets }: LeaseParts) {
  const campaignRowOf = (leaseId: string) => {
    const { roundId } = found(leases.find(leaseId), `lease ${leaseId}`);
    return found(rounds.find(roundId), `round ${roundId}`).campaignId;
  };
  const campaignIdOf = (leaseId: string) => campaigns.known(String(campaignRowOf(leaseId))).campaignId;
  return {
    findLease: leases.find,
    sitesOfLease: (id: string) => campaigns.sitesOf(campaignIdOf(id)),
    discoveriesOfLease: (id: string, after: Parameters<typeof discoveries.after>[1], limit: number) =>
      discoveries.after(campaignIdOf(id), after, limit),
    /** Those that the campaign refers to, opened. */
    secretsOfLease(id: string) {
      const campaignId = campaignRowOf(id);
      return secrets.openedFor(found(campaigns.findSpec(campaignId), `campaign ${campaignId}`));
    },
    findLinkCheck: linkChecks.find,
  };
}
