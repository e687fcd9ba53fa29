// Which round a runner gets. The rule; docs/decisions has its reasons:
// 1. Only campaigns that the runner can perform wholly, where it stands.
// 2. The most urgent first: interactive before ci before schedule, and one up for every `agingMs` without a leased round.
// 3. Of these the one with the fewest leased rounds, then the one that waits longest.
// 4. But a runner stays with its campaign for `turnMs` while nothing is more urgent: each change costs new Chromes and a new link.
// 5. A server gets REST calls from one runner at a time: a campaign whose next round would send it more waits.
// Within a campaign rounds go in its random order.
import type { LeaseRequest } from '@pronghorn/core/schemas';
import { ProblemError } from '../../../shared/problems.ts';
import type { Tables } from '../../../store/tables.ts';
import { ofInstance, type RunnerRow, type RunnersRepository } from '../../../tables/runners-repository.ts';

export type ChooseOptions = {
  /** How long a campaign waits until it goes up one priority, milliseconds. */
  agingMs: number;
  /** How long a runner stays with a campaign while others of the same urgency wait, milliseconds. */
  turnMs: number;
};

/** The runner that asks; undefined for one that is not registered. @throws ProblemError not-found or runner-replaced. */
export function registeredRunner({ runner, instance }: LeaseRequest, runners: RunnersRepository): RunnerRow | undefined {
  if (instance === undefined) return undefined;
  const row = ofInstance(runners.named(runner), runner, instance);
  if (row.doing !== 'stopped') return row;
  throw new ProblemError('not-found', `Runner "${runner}" has signed off. Register it again by POST /api/v1/runners.`);
}

type Parts = Pick<Tables, 'leases' | 'rounds' | 'runners' | 'queueEntries'>;

export function createChooser({ leases, rounds, runners, queueEntries }: Parts, { agingMs, turnMs }: ChooseOptions) {
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
