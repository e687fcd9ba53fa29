// Where a campaign stands: what goes before it, who can perform it, when it will be done. An estimate from how it is now.
import { median } from '@pronghorn/core/math';
import { type CampaignQueue, canShape, isolationsOf, priorities, type QueueDepth } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import { type DepthRow, isAble, type Needs, type Offer, type QueueEntryRow } from '../../../tables/queue-entries-repository.ts';

export type Situation = {
  now: number;
  agingMs: number;
  /** The campaign's own entry. */
  entry: QueueEntryRow;
  /** Of all campaigns that have queued rounds. */
  waiting: readonly QueueEntryRow[];
  /** Registered runners that are there and want work. */
  runners: readonly (Offer & { trouble: string | null })[];
  /** Runners at work on the campaign that are not registered. */
  unregistered: number;
  /** How long the latest completed rounds took. */
  completed: readonly { campaignId: number; tookMs: number }[];
};

/** How urgent a campaign is: the rank of its priority, one up for every `agingMs` without a round lent; 0 is the most. */
export const urgencyOf = ({ rank, waitingSince }: QueueEntryRow, now: number, agingMs: number): number =>
  Math.max(0, rank - Math.floor(Math.max(0, now - waitingSince) / agingMs));

/**
 * Campaigns of the same urgency take turns, so that of each other one as many rounds go before this one's last as this one has.
 * Rounds of others are taken to last as long as the latest of all did.
 */
export function placeInQueue({ now, agingMs, entry, waiting, runners, unregistered, completed }: Situation): CampaignQueue {
  const able = runners.filter((runner) => runner.trouble === null && isAble(runner, entry));
  const runnersAble = able.length + unregistered;
  const urgency = urgencyOf(entry, now, agingMs);
  let position = 0;
  let roundsAhead = 0;
  for (const other of waiting) {
    const competes = other.campaignId !== entry.campaignId && able.some((runner) => isAble(runner, other));
    if (!competes || entry.queued === 0) continue;
    const theirs = urgencyOf(other, now, agingMs);
    if (theirs > urgency) continue;
    position += theirs < urgency ? other.queued : Number(goesBefore(other, entry));
    roundsAhead += theirs < urgency ? other.queued : Math.min(other.queued, entry.queued);
  }
  const roundsLeft = entry.queued + entry.leased;
  const ofAll = medianOf(completed);
  const roundMs = medianOf(completed.filter(({ campaignId }) => campaignId === entry.campaignId)) ?? ofAll;
  const place = { roundsLeft, position, roundsAhead, roundMs, runnersAble };
  const why = whyNoEta(place, entry, runners);
  if (why !== null || roundMs === null) return { ...place, eta: null, why };
  const leftMs = (roundsAhead * (ofAll ?? roundMs) + roundsLeft * roundMs) / runnersAble;
  return { ...place, eta: new Date(Math.round(now + leftMs)).toISOString(), why: null };
}

const goesBefore = (one: QueueEntryRow, other: QueueEntryRow): boolean =>
  one.leased !== other.leased ? one.leased < other.leased : one.waitingSince < other.waitingSince;

const medianOf = (rounds: Situation['completed']): number | null =>
  rounds.length === 0 ? null : median(rounds.map(({ tookMs }) => tookMs));

function whyNoEta(
  { roundsLeft, runnersAble, roundMs }: Pick<CampaignQueue, 'roundsLeft' | 'runnersAble' | 'roundMs'>,
  needs: QueueEntryRow,
  runners: Situation['runners'],
): string | null {
  if (roundsLeft === 0) return 'No round of it is left.';
  if (runnersAble === 0) return whyNobody(needs, runners);
  return roundMs === null ? 'No round was completed yet, so nobody knows how long one takes.' : null;
}

/** Of all that a campaign needs, the first thing that no runner has. */
function whyNobody({ location, shapes, engine, browser, isolation }: QueueEntryRow, runners: Situation['runners']): string {
  if (runners.length === 0) return 'No runner is alive.';
  const there = runners.filter((runner) => location === null || runner.location === location);
  if (there.length === 0) return `No runner at location ${location} is alive.`;
  const where = location === null ? 'No runner' : `No runner at location ${location}`;
  const shaping = there.filter(({ capabilities }) => shapes === 0 || canShape(capabilities));
  if (shaping.length === 0) return `${where} can put the campaign’s conditions on its link: that takes the backend netem or guest.`;
  const equipped = shaping.filter(
    ({ capabilities }) => capabilities.engines.some((one) => one === engine) && capabilities.browsers.some((one) => one === browser),
  );
  if (equipped.length === 0) return `${where} has the engine ${engine} with the browser ${browser}.`;
  const apart = equipped.filter(({ capabilities }) => isolationsOf(capabilities).some((one) => one === isolation));
  if (apart.length === 0) {
    return isolation === 'container'
      ? `${where} that could perform it can give each visit a container: that takes one started with --visit-command.`
      : `Every runner that could perform it gives each visit a container: ask for the isolation container.`;
  }
  return `Every runner that could perform it is in trouble: ${apart[0]?.trouble}`;
}

/** So many rounds tell how long one takes now; more would tell of last week. */
const latestRounds = 500;

type Parts = Pick<Tables, 'now' | 'queueEntries' | 'leases' | 'runners'>;

/** @param options.lostAfterMs a runner without a sign of life for this long is lost. */
export function createQueueReads(
  { now, queueEntries, leases, runners }: Parts,
  { agingMs, lostAfterMs, maxOpenRounds }: { agingMs: number; lostAfterMs: number; maxOpenRounds: number },
) {
  const around = () => ({
    ...{ now: now(), agingMs, waiting: queueEntries.waiting(), runners: runners.working(now() - lostAfterMs) },
    completed: leases.latestCompleted(latestRounds),
  });
  return {
    /** Where a campaign stands. @throws ProblemError not-found. */
    place(id: string): CampaignQueue {
      const campaignId = rowId(id);
      const entry = found(queueEntries.find(campaignId), `campaign ${id}`);
      return placeInQueue({ ...around(), entry, unregistered: leases.countUnregistered(campaignId) });
    },
    /** Where a campaign with these needs would stand if it were created now. @param rank of its priority. */
    estimate({ shapes, ...needs }: Needs, rank: number, rounds: number): CampaignQueue {
      const unmade = { campaignId: 0, rank, ...needs, shapes: shapes ? (1 as const) : (0 as const), queued: rounds, leased: 0 };
      const entry = { ...unmade, queuedAt: now(), waitingSince: now() };
      return placeInQueue({ ...around(), entry, unregistered: 0 });
    },
    /** @throws ProblemError queue-full where there is no room for this many more rounds. */
    assertRoom: (rounds: number): void => assertRoom(rounds, queueEntries.countOpen(), maxOpenRounds),
    /** How full the queue is, by priority and location; what is empty is left out. */
    depths: (): QueueDepth[] => queueEntries.depths().map(toDepth),
  };
}

function toDepth({ rank, location, campaigns, queued, leased, oldest, longest }: DepthRow): QueueDepth {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    priority: priorities[rank] ?? 'schedule',
    location,
    campaigns,
    queued,
    leased,
    oldestQueuedAt: time(oldest),
    longestWaitSince: time(longest),
  };
}

/** @throws ProblemError queue-full. */
export function assertRoom(adding: number, open: number, maxOpenRounds: number): void {
  if (open + adding <= maxOpenRounds) return;
  throw new ProblemError(
    'queue-full',
    `The campaign has ${adding} rounds, ${open} rounds of others are queued or leased, and at most ${maxOpenRounds} may be at once. Wait until some are done, cancel what is not needed, or ask for fewer.`,
  );
}
