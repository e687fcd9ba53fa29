import {
  type CampaignLogEvent,
  type CampaignLogLine,
  type LinkCheck,
  type LogLevel,
  maxCampaignLogLines,
  type Page,
} from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';
import { type CampaignsRepository, createEventIds } from './campaigns-repository.ts';
import type { RoundRow } from './rounds-repository.ts';

type Row = { number: number; eventId: number; time: string; level: LogLevel; event: CampaignLogEvent; text: string };

/** A line that was stored, for the service's own log. */
export type ToldLine = { campaignId: number; level: LogLevel; event: CampaignLogEvent; text: string };

/** Owns the table campaign_log. Lines are written inside the queue's transactions: what is told has happened, what happened is told. */
export type CampaignLogRepository = ReturnType<typeof createCampaignLogRepository>;

/**
 * @param now whole milliseconds since 1970.
 * @param tell gets each line that is written, in its transaction.
 */
export function createCampaignLogRepository(database: Database, now: () => number, tell: (line: ToldLine) => void = () => {}) {
  const insert = database.prepare<Omit<Row, 'number'> & { campaignId: number }, { number: number }>(
    `INSERT INTO campaign_log (campaignId, number, eventId, time, level, event, text)
     VALUES (@campaignId,
       coalesce((SELECT max(number) FROM campaign_log WHERE campaignId = @campaignId), 0) + 1,
       @eventId, @time, @level, @event, @text)
     RETURNING number`,
  );
  const removeOld = database.prepare<[number, number]>('DELETE FROM campaign_log WHERE campaignId = ? AND number <= ?');
  const selectNewest = database.prepare<[number], { number: number | null }>(
    'SELECT max(number) AS number FROM campaign_log WHERE campaignId = ?',
  );
  const selectNext = database.prepare<[number], { campaignId: number | null }>(
    'SELECT min(campaignId) AS campaignId FROM campaign_log WHERE campaignId > ?',
  );
  const selectFirst = database.prepare<[number], { number: number | null }>(
    'SELECT min(number) AS number FROM campaign_log WHERE campaignId = ?',
  );
  // Never the last one: the next gets its number from it.
  const removeBefore = database.prepare<{ campaignId: number; time: string; before: number }>(
    'DELETE FROM campaign_log WHERE campaignId = @campaignId AND number < @before AND time < @time',
  );
  const countBefore = database.prepare<[string], { lines: number }>(
    `SELECT count(*) AS lines FROM campaign_log
     WHERE time < ? AND number < (SELECT max(number) FROM campaign_log AS lines WHERE lines.campaignId = campaign_log.campaignId)`,
  );
  const selectAfter = database.prepare<[number, number, number], Row>(
    'SELECT * FROM campaign_log WHERE campaignId = ? AND eventId > ? ORDER BY eventId LIMIT ?',
  );
  const drawEventId = createEventIds(database);
  const selectPage = database.prepare<{ campaignId: number; level: LogLevel | null; cursor: number | null; limit: number }, Row>(
    `SELECT * FROM campaign_log WHERE campaignId = @campaignId AND number > coalesce(@cursor, 0) AND (@level IS NULL OR level = @level)
     ORDER BY number LIMIT @limit + 1`,
  );

  return {
    /** Adds a line; the oldest of a log that is too long go. @param text a sentence. */
    add(campaignId: number, event: CampaignLogEvent, text: string, level: LogLevel = 'info'): void {
      const time = new Date(now()).toISOString();
      const { number = 0 } = insert.get({ campaignId, eventId: drawEventId(campaignId), time, level, event, text }) ?? {};
      if (number > maxCampaignLogLines) removeOld.run(campaignId, number - maxCampaignLogLines);
      tell({ campaignId, event, text, level });
    },

    /** In the order in which they were written. @param level null: any. */
    page(campaignId: number, level: LogLevel | null, { limit, cursor }: Slice): Page<CampaignLogLine> {
      return pageOf(selectPage.all({ campaignId, level, cursor, limit }), limit, toLine, (row) => row.number);
    },

    /** At most `limit` lines after an event; for the event stream. */
    after: (campaignId: number, eventId: number, limit: number): { line: CampaignLogLine; eventId: number }[] =>
      selectAfter.all(campaignId, eventId, limit).map((row) => ({ line: toLine(row), eventId: row.eventId })),

    /** The number of the last line; 0 before the first. */
    newest: (campaignId: number): number => selectNewest.get(campaignId)?.number ?? 0,

    /** The next campaign that has lines. */
    nextWithLines: (campaignId: number): number | undefined => selectNext.get(campaignId)?.campaignId ?? undefined,
    /**
     * Removes what was written before a time (ISO 8601), but for the campaign's last line.
     * @returns how many lines: fewer than `atMost` when none is left.
     */
    removeBefore(campaignId: number, time: string, atMost: number): number {
      const first = selectFirst.get(campaignId)?.number ?? 0;
      const before = Math.min(first + atMost, selectNewest.get(campaignId)?.number ?? 0);
      return removeBefore.run({ campaignId, time, before }).changes;
    },
    /** How many lines of all campaigns `removeBefore` would remove. */
    countBefore: (time: string): number => countBefore.get(time)?.lines ?? 0,
  };
}

const toLine = ({ number, time, level, event, text }: Row): CampaignLogLine => ({ id: String(number), time, level, event, text });

type NamedRound = Pick<RoundRow, 'campaignId' | 'siteId' | 'condition' | 'view' | 'number'>;

export function createQueueLines(log: CampaignLogRepository, campaigns: Pick<CampaignsRepository, 'siteNameOf'>) {
  const nameOf = ({ campaignId, siteId }: Pick<NamedRound, 'campaignId' | 'siteId'>) =>
    campaigns.siteNameOf(campaignId, siteId) ?? `site ${siteId}`;
  const words = (round: NamedRound) =>
    `round ${round.number} of ${nameOf(round)} under ${round.condition}${round.view === 'cold' ? '' : `, ${round.view}`}`;

  return {
    made: (campaignId: number, rounds: number, by: string | null) =>
      log.add(campaignId, 'campaign-made', `${roundsWere(rounds)} queued${by === null ? '' : ` by ${by}`}.`),
    cancelled: (campaignId: number, by: string | null) =>
      log.add(campaignId, 'campaign-cancelled', `The campaign was cancelled${by === null ? '' : ` by ${by}`}.`),
    resumed: (campaignId: number, by: string | null) =>
      log.add(campaignId, 'campaign-resumed', `The campaign was resumed${by === null ? '' : ` by ${by}`}.`),
    done: (campaignId: number) => log.add(campaignId, 'campaign-done', 'The campaign is done.'),
    added: (campaignId: number, rounds: number) =>
      log.add(campaignId, 'rounds-added', `Not settled yet: ${roundsWere(rounds)} added until the next look.`),

    leased: (round: RoundRow, runner: string) =>
      log.add(
        round.campaignId,
        'round-leased',
        `Runner ${runner} took ${words(round)}${round.attempt > 1 ? `, attempt ${round.attempt}` : ''}.`,
      ),
    released: (round: RoundRow, runner: string, reason: string) =>
      log.add(round.campaignId, 'round-released', `Runner ${runner} gave back ${words(round)}: ${reason}`),
    /** @param why ends a sentence. */
    lost: (round: RoundRow, runner: string, why: string) =>
      log.add(round.campaignId, 'lease-lost', `Runner ${runner} lost ${words(round)}: ${why}.`, 'warn'),
    /** @param after what, such as `5 lost attempts`. */
    givenUp: (round: RoundRow, after: string) =>
      log.add(round.campaignId, 'round-given-up', `${capital(words(round))} was given up after ${after}.`, 'warn'),
    siteGivenUp: (round: RoundRow, reason: string) => log.add(round.campaignId, 'site-given-up', `${nameOf(round)}: ${reason}`, 'warn'),
    /** Only of a check that found something. */
    checked(round: RoundRow, runner: string, { condition, faults }: LinkCheck): void {
      if (faults.length === 0) return;
      log.add(round.campaignId, 'link-check-faulty', `The link of runner ${runner} under ${condition}: ${faults.join('; ')}.`, 'warn');
    },
  };
}

const roundsWere = (rounds: number) => `${counted(rounds, 'round')} ${rounds === 1 ? 'was' : 'were'}`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
