import { needsShaping } from '@pronghorn/core/network';
import { type CampaignSpec, type Capabilities, canShape, isolationsOf, type Priority, priorities } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';

/** What a campaign asks of a runner. */
export type Needs = { location: string | null; shapes: boolean; engine: string; browser: string; isolation: string };

export const needsOf = ({ conditions, engine, browser, isolation }: CampaignSpec, location: string | null): Needs => ({
  location,
  shapes: conditions.some(needsShaping),
  engine,
  browser,
  isolation,
});

/** What a runner offers. */
export type Offer = { location: string | null; capabilities: Capabilities };

/** A campaign's place in the queue. Times in milliseconds since 1970. */
export type QueueEntryRow = {
  campaignId: number;
  /** Place of its priority in `priorities`. */
  rank: number;
  location: string | null;
  shapes: 0 | 1;
  engine: string;
  browser: string;
  isolation: string;
  queuedAt: number;
  waitingSince: number;
  queued: number;
  leased: number;
};

export type DepthRow = {
  rank: number;
  location: string | null;
  campaigns: number;
  queued: number;
  leased: number;
  oldest: number | null;
  longest: number | null;
};

export const rankOf = (priority: Priority): number => priorities.indexOf(priority);

/** Whether a runner can perform a campaign; the same as `able` says in SQL. */
export const isAble = ({ location, capabilities }: Offer, needs: QueueEntryRow): boolean =>
  (needs.location === null || needs.location === location) &&
  (needs.shapes === 0 || canShape(capabilities)) &&
  capabilities.engines.some((engine) => engine === needs.engine) &&
  capabilities.browsers.some((browser) => browser === needs.browser) &&
  isolationsOf(capabilities).some((isolation) => isolation === needs.isolation);

const able = `(location IS NULL OR location = @location) AND shapes <= @shapes
  AND instr(@engines, ' ' || engine || ' ') > 0 AND instr(@browsers, ' ' || browser || ' ') > 0
  AND instr(@isolations, ' ' || isolation || ' ') > 0`;

/** As a repository's statements take it. */
const bound = ({ location, capabilities }: Offer) => ({
  location,
  shapes: canShape(capabilities) ? 1 : 0,
  engines: ` ${capabilities.engines.join(' ')} `,
  browsers: ` ${capabilities.browsers.join(' ')} `,
  isolations: ` ${isolationsOf(capabilities).join(' ')} `,
});

type Ordering = {
  now: number;
  agingMs: number;
  /** Campaigns that have to wait for something else. */
  without: readonly number[];
};
type Bound = ReturnType<typeof bound> & Omit<Ordering, 'without'> & { without: string };

/** Owns the table queue_entries. How many rounds are queued and leased it reads in campaign_progress, where triggers count them. */
export function createQueueEntriesRepository(database: Database) {
  const insert = database.prepare(
    `INSERT INTO queue_entries (campaignId, rank, location, shapes, engine, browser, isolation, queuedAt, waitingSince)
     VALUES (@campaignId, @rank, @location, @shapes, @engine, @browser, @isolation, @now, @now)`,
  );
  const readable = 'queue_entries.*, queued, leased FROM queue_entries JOIN campaign_progress USING (campaignId)';
  // From the campaigns that have open rounds to their entries: what is done is never looked at.
  const isOpen = '(queued > 0 OR leased > 0)';
  const open = `FROM campaign_progress INDEXED BY campaign_progress_open CROSS JOIN queue_entries USING (campaignId) WHERE ${isOpen}`;
  const select = database.prepare<[number], QueueEntryRow>(`SELECT ${readable} WHERE campaignId = ?`);
  const selectWaiting = database.prepare<[], QueueEntryRow>(`SELECT queue_entries.*, queued, leased ${open} AND queued > 0`);
  // With every `agingMs` of waiting a campaign goes up one priority.
  const urgency = 'max(0, rank - CAST(max(0, @now - waitingSince) / @agingMs AS INTEGER))';
  const free = 'campaignId NOT IN (SELECT value FROM json_each(@without))';
  const selectNext = database.prepare<Bound, { campaignId: number; urgency: number }>(
    `SELECT campaignId, ${urgency} AS urgency ${open} AND queued > 0 AND ${able} AND ${free}
     ORDER BY urgency, leased, waitingSince, campaignId LIMIT 1`,
  );
  const selectUrgency = database.prepare<Bound & { campaignId: number }, { urgency: number }>(
    `SELECT ${urgency} AS urgency, ${readable} WHERE campaignId = @campaignId AND queued > 0 AND ${able} AND ${free}`,
  );
  const selectNextCalls = database.prepare<[], { campaignId: number; url: string | null }>(
    `SELECT campaignId, (
       SELECT url FROM rounds JOIN sites ON sites.id = siteId
       WHERE state = 'queued' AND rounds.campaignId = queue_entries.campaignId ORDER BY failures, rounds.id LIMIT 1
     ) AS url ${open} AND queued > 0 AND engine = 'transaction'`,
  );
  const updateServed = database.prepare<[number, number]>('UPDATE queue_entries SET waitingSince = ? WHERE campaignId = ?');
  const sumOpen = database.prepare<[], { open: number }>(
    `SELECT coalesce(sum(queued + leased), 0) AS open FROM campaign_progress WHERE ${isOpen}`,
  );
  const selectDepths = database.prepare<[], DepthRow>(
    `SELECT rank, location, sum(queued > 0) AS campaigns, sum(queued) AS queued, sum(leased) AS leased,
       min(CASE WHEN queued > 0 THEN queuedAt END) AS oldest, min(CASE WHEN queued > 0 THEN waitingSince END) AS longest
     ${open} GROUP BY rank, location ORDER BY rank, location`,
  );

  return {
    insert({ shapes, ...entry }: Needs & { campaignId: number; rank: number }, now: number): void {
      insert.run({ ...entry, shapes: shapes ? 1 : 0, now });
    },
    find: (campaignId: number): QueueEntryRow | undefined => select.get(campaignId),
    /** Of campaigns that have queued rounds. */
    waiting: (): QueueEntryRow[] => selectWaiting.all(),

    /** The campaign whose round goes first of those that a runner can perform; a lower urgency is more urgent. */
    next: (offer: Offer, ordering: Ordering): { campaignId: number; urgency: number } | undefined =>
      selectNext.get({ ...bound(offer), ...ordering, without: JSON.stringify(ordering.without) }),
    /** How urgent a campaign is; undefined when it has no round for this runner. */
    urgency: (campaignId: number, offer: Offer, ordering: Ordering): number | undefined =>
      selectUrgency.get({ ...bound(offer), ...ordering, without: JSON.stringify(ordering.without), campaignId })?.urgency,
    /** Campaigns of REST calls with queued rounds, and the site of the one that goes first. */
    nextCalls: (): { campaignId: number; url: string | null }[] => selectNextCalls.all(),
    serve: (campaignId: number, now: number): void => void updateServed.run(now, campaignId),

    /** Queued and leased rounds of all campaigns. */
    countOpen: (): number => sumOpen.get()?.open ?? 0,
    depths: (): DepthRow[] => selectDepths.all(),
  };
}
