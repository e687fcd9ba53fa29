import type { Page, Round, RoundState } from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

/** A round before it is stored. */
export type PlannedRound = { siteId: number; condition: string; view: View; number: number; order: number[] };

/** Who took a round out of the queue for good; a campaign that is resumed gets back what its user took. Losses: failures too. */
export type CancelledBy = 'user' | 'site-given-up' | 'losses';

export type RoundRow = {
  id: number;
  campaignId: number;
  siteId: number;
  condition: string;
  view: View;
  number: number;
  slotOrder: string;
  state: RoundState;
  attempt: number;
  losses: number;
  /** How often a runner failed at it and gave it back. */
  failures: number;
  reason: string | null;
  /** The last of its current attempt. */
  linkCheckId: string | null;
  watchedEqually: 0 | 1;
};

export const toRound = (row: RoundRow): Round => ({
  id: String(row.id),
  campaignId: String(row.campaignId),
  siteId: String(row.siteId),
  condition: row.condition,
  view: row.view,
  number: row.number,
  order: JSON.parse(row.slotOrder) as number[],
  state: row.state,
  attempt: row.attempt,
  reason: row.reason,
  linkCheckId: row.linkCheckId,
  ...(row.watchedEqually === 0 && { watchedEqually: false }),
});

/** Owns the table rounds. It does what it is told; what may happen to a round, and when, is the queue's business. */
export type RoundsRepository = ReturnType<typeof createRoundsRepository>;

export function createRoundsRepository(database: Database) {
  const insert = database.prepare(
    `INSERT INTO rounds (campaignId, siteId, condition, view, number, slotOrder)
     VALUES (@campaignId, @siteId, @condition, @view, @number, @slotOrder)`,
  );
  const readable = `*, (SELECT id FROM link_checks WHERE roundId = rounds.id AND attempt = rounds.attempt ORDER BY seq DESC LIMIT 1) AS linkCheckId
     FROM rounds`;
  const select = database.prepare<[number], RoundRow>(`SELECT ${readable} WHERE id = ?`);
  const selectPage = database.prepare<{ campaignId: number; state: RoundState | null; cursor: number | null; limit: number }, RoundRow>(
    `SELECT ${readable} WHERE campaignId = @campaignId AND (@state IS NULL OR state = @state) AND id > coalesce(@cursor, 0)
     ORDER BY id LIMIT @limit + 1`,
  );
  const firstQueuedOf = database.prepare<[number], { id: number }>(
    `SELECT id FROM rounds WHERE state = 'queued' AND campaignId = ? ORDER BY failures, id LIMIT 1`,
  );
  const anyOpen = database.prepare<{ campaignId: number }>(
    `SELECT 1 FROM rounds WHERE state = 'queued' AND campaignId = @campaignId
     UNION ALL SELECT 1 FROM rounds WHERE state = 'leased' AND campaignId = @campaignId LIMIT 1`,
  );
  const countFinished = database.prepare<[number, number], { finished: number }>(
    `SELECT count(*) AS finished FROM rounds WHERE campaignId = ? AND siteId = ? AND state = 'done'`,
  );
  const selectFinishedAt = database.prepare<[number], { siteId: number; condition: string; view: View; count: number }>(
    `SELECT siteId, condition, view, count(*) AS count FROM rounds WHERE campaignId = ? AND state = 'done' GROUP BY siteId, condition, view`,
  );
  const lastPlanned = database.prepare<[number], { siteId: number; condition: string; view: View; last: number; givenUp: 0 | 1 }>(
    `SELECT siteId, condition, view, max(number) AS last, max(coalesce(cancelledBy = 'site-given-up', 0)) AS givenUp
     FROM rounds WHERE campaignId = ? GROUP BY siteId, condition, view`,
  );
  const anyAttempted = database.prepare<[number]>('SELECT 1 FROM rounds WHERE campaignId = ? AND attempt > 0 LIMIT 1');
  const updateLeased = database.prepare<[number]>(`UPDATE rounds SET state = 'leased', attempt = attempt + 1 WHERE id = ?`);
  const updateDone = database.prepare<[0 | 1, number]>(`UPDATE rounds SET state = 'done', reason = NULL, watchedEqually = ? WHERE id = ?`);
  const updateQueued = database.prepare<[string, number]>(`UPDATE rounds SET state = 'queued', reason = ? WHERE id = ?`);
  const updateLost = database.prepare<[number]>('UPDATE rounds SET losses = losses + 1 WHERE id = ?');
  const updateFailed = database.prepare<[number]>('UPDATE rounds SET failures = failures + 1 WHERE id = ?');
  const cancelOne = database.prepare<[CancelledBy, string, number]>(
    `UPDATE rounds SET state = 'cancelled', cancelledBy = ?, reason = ? WHERE id = ?`,
  );
  const cancelMany = database.prepare<{ by: CancelledBy; reason: string; campaignId: number; siteId: number | null }>(
    `UPDATE rounds SET state = 'cancelled', cancelledBy = @by, reason = @reason
     WHERE state = 'queued' AND campaignId = @campaignId AND (@siteId IS NULL OR siteId = @siteId)`,
  );
  const requeueCancelled = database.prepare<[number, CancelledBy]>(
    `UPDATE rounds SET state = 'queued', cancelledBy = NULL, reason = NULL WHERE campaignId = ? AND state = 'cancelled' AND cancelledBy = ?`,
  );
  const deleteSome = database.prepare<[number, number]>(
    'DELETE FROM rounds WHERE id IN (SELECT id FROM rounds WHERE campaignId = ? LIMIT ?)',
  );

  return {
    /** In the order in which they are to be leased. */
    insertAll(campaignId: number, planned: readonly PlannedRound[]): void {
      for (const { order, ...round } of planned) insert.run({ ...round, campaignId, slotOrder: JSON.stringify(order) });
    },

    find: (id: number): RoundRow | undefined => select.get(id),

    /** Of a campaign, so many, with their leases. @returns how many there were. */
    deleteSome: (campaignId: number, atMost: number): number => deleteSome.run(campaignId, atMost).changes,

    /** In the order of the queue. */
    page(campaignId: number, state: RoundState | null, { limit, cursor }: Slice): Page<Round> {
      return pageOf(selectPage.all({ campaignId, state, cursor, limit }), limit, toRound, (row) => row.id);
    },

    /** The next of a campaign to be leased: what runners failed at comes after all else. */
    nextQueued: (campaignId: number): { id: number } | undefined => firstQueuedOf.get(campaignId),

    /** Whether a campaign has queued or leased rounds. */
    anyOpen: (campaignId: number): boolean => anyOpen.get({ campaignId }) !== undefined,
    countFinished: (campaignId: number, siteId: number): number => countFinished.get(campaignId, siteId)?.finished ?? 0,
    /** Of each site, condition and view how many rounds are finished. */
    finishedAt: (campaignId: number) => selectFinishedAt.all(campaignId),
    /** Of each site, condition and view: the number of its last round, and whether its site was given up. */
    lastPlanned: (campaignId: number) => lastPlanned.all(campaignId),
    /** Whether any round of a campaign was ever leased. */
    anyAttempted: (campaignId: number): boolean => anyAttempted.get(campaignId) !== undefined,

    /** Begins another attempt. */
    lease: (id: number): void => void updateLeased.run(id),
    finish: (id: number, watchedEqually: boolean): void => void updateDone.run(watchedEqually ? 1 : 0, id),
    requeue: (id: number, reason: string): void => void updateQueued.run(reason, id),
    countLoss: (id: number): void => void updateLost.run(id),
    countFailure: (id: number): void => void updateFailed.run(id),
    cancel: (id: number, by: CancelledBy, reason: string): void => void cancelOne.run(by, reason, id),

    /** All that are queued, of one site or of the whole campaign. */
    cancelQueued(campaignId: number, by: CancelledBy, reason: string, siteId: number | null = null): void {
      cancelMany.run({ by, reason, campaignId, siteId });
    },
    /** @returns how many. */
    requeueCancelled: (campaignId: number, by: CancelledBy): number => requeueCancelled.run(campaignId, by).changes,
  };
}
