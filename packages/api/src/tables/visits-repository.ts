import type { Likeness, MetricName, Metrics, Outcome, Page, Visit, VisitUpload, Watch } from '@pronghorn/core/schemas';
import type { PageFacts, ResultVisit } from '@pronghorn/core/verdict';
import {
  type InvalidKind,
  type InvalidReason,
  metricNames,
  metrics,
  type Protocol,
  reasonsOfKind,
  type View,
} from '@pronghorn/core/vocabulary';
import type { Statement } from 'better-sqlite3';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';
import { createEventIds } from './campaigns-repository.ts';
import type { RoundRow } from './rounds-repository.ts';
import { metricsOf, toVisit, toVisitRow, type VisitInRoundRow } from './visit-rows.ts';

/** Null: any. */
export type VisitFilter = {
  siteId: number | null;
  condition: string | null;
  protocol: Protocol | null;
  view: View | null;
  verdict: Outcome['verdict'] | null;
  roundId?: number | null;
  counted?: 0 | 1 | null;
  netlog?: 0 | 1 | null;
};

const anyVisit = {
  ...{ siteId: null, condition: null, protocol: null, view: null, verdict: null },
  ...{ roundId: null, counted: null, netlog: null },
} satisfies VisitFilter;

type ResultRow = {
  siteId: number;
  condition: string;
  view: View;
  roundNumber: number;
  slot: number;
  position: number;
  reason: InvalidReason | null;
  receiveDrops: number | null;
  detail: string | null;
  failed: 0 | 1;
  loadTimeoutMs: number | null;
} & Record<MetricName, number | null>;
/** Metrics that every result needs beside the one it is of: whether protocols loaded the same page. */
const facts = ['requests', 'finishedBytes', 'failedRequests', 'ipv6Share', 'h3Share', 'h3ByteShare'] as const satisfies MetricName[];
type FactsRow = Record<`${(typeof facts)[number]}Raw`, number> & {
  documentAddress: string | null;
  cpuOwnShare: number | null;
  cpuForeignShare: number | null;
  refusals: number | null;
  cutShort: number | null;
  unequal: 0 | 1;
  moves: 0 | 1;
  likeness: string | null;
};
type MetricRow = Omit<ResultRow, MetricName> & FactsRow & { value: number | null };

/** Visits of finished rounds that a page kept from being valid: of one site, condition, view, protocol and reason. */
export type LostAt = {
  siteId: number;
  condition: string;
  view: View;
  protocol: Protocol;
  reason: InvalidReason;
  detail: string;
  count: number;
};

/** An invalid visit, of one slot of a round. */
export type InvalidTry = { roundId: number; slot: number; reason: InvalidReason; detail: string };

/**
 * Reads how a campaign of the isolation `auto` visited a site, by one of its visits: it is the same for all of them.
 *
 * @returns null where nobody wrote it down
 */
export function isolationReader(database: Database): (campaignId: number, siteId: number) => 'context' | 'process' | null {
  const select = database.prepare<[number, number], { isolation: 'context' | 'process' | null }>(
    `SELECT json_extract(document, '$.isolation') AS isolation
     FROM rounds JOIN visits ON visits.roundId = rounds.id JOIN environments ON environments.id = environmentId
     WHERE rounds.campaignId = ? AND siteId = ? LIMIT 1`,
  );
  return (campaignId, siteId) => select.get(campaignId, siteId)?.isolation ?? null;
}

/** Owns the table visits. */
export type VisitsRepository = ReturnType<typeof createVisitsRepository>;

export function createVisitsRepository(database: Database) {
  const isolationOf = isolationReader(database);
  const columns =
    'id campaignId eventId roundId attempt slot protocol position retry startedAt wallMs loadTimeoutMs finalUrl documentAddress cpuOwnShare cpuForeignShare refused receiveDrops settled watch likeness environmentId discoveryId netlog run contentHash verdict reason detail'
      .split(' ')
      .concat(metricNames);
  const insert = database.prepare(`INSERT INTO visits (${columns}) VALUES (${columns.map((column) => `@${column}`)})`);
  const readable =
    'visits.*, siteId, condition, view, number AS roundNumber, watchedEqually FROM visits JOIN rounds ON rounds.id = roundId';
  // Not of a campaign that is deleted.
  const ofKnown = 'AND EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = visits.campaignId AND deletedAt IS NULL)';
  const select = database.prepare<[string], VisitInRoundRow>(`SELECT ${readable} WHERE visits.id = ? ${ofKnown}`);
  const selectHash = database.prepare<[string], { contentHash: Buffer }>('SELECT contentHash FROM visits WHERE id = ?');
  const selectSeq = database.prepare<[string], { seq: number }>(`SELECT seq FROM visits WHERE id = ? ${ofKnown}`);
  const pageOfThose = (isBeyond: string, order: 'ASC' | 'DESC', those: string, index: string) =>
    database.prepare<VisitFilter & { campaignId: number; cursor: number | null; limit: number }, VisitInRoundRow>(
      `SELECT ${readable.replace('FROM visits', `FROM visits INDEXED BY ${index}`)}
     WHERE visits.campaignId = @campaignId AND ${isBeyond} AND (@siteId IS NULL OR siteId = @siteId)
       AND (@condition IS NULL OR condition = @condition)
       AND (@protocol IS NULL OR protocol = @protocol) AND (@view IS NULL OR view = @view) AND (@verdict IS NULL OR verdict = @verdict)
       AND (@counted IS NULL OR max(counted, failed) = @counted) AND (@netlog IS NULL OR (netlog IS NOT NULL) = @netlog) ${those}
     ORDER BY eventId ${order} LIMIT @limit + 1`,
    );
  // Named, since SQLite without statistics takes the campaign's for a round, too.
  const pagesOf = (those: string, index: string) => ({
    oldest: pageOfThose('eventId > coalesce(@cursor, 0)', 'ASC', those, index),
    newest: pageOfThose('eventId < coalesce(@cursor, 9223372036854775807)', 'DESC', those, index),
  });
  const [ofAll, ofRound] = [pagesOf('', 'visits_of_campaign'), pagesOf('AND roundId = @roundId', 'visits_of_round')];
  const selectNewest = database.prepare<[number], number | null>('SELECT max(eventId) FROM visits WHERE campaignId = ?').pluck();
  const drawEventId = createEventIds(database);
  const selectSlots = database.prepare<[number, number], { slot: number }>(
    'SELECT DISTINCT slot FROM visits WHERE roundId = ? AND attempt = ? AND netlog IS NULL',
  );
  const listed = (kind: InvalidKind) =>
    reasonsOfKind(kind)
      .map((reason) => `'${reason}'`)
      .join(', ');
  const updateCounted = database.prepare<[number, number]>(
    `UPDATE visits SET counted = verdict = 'valid', failed = verdict = 'invalid' WHERE seq IN (
       SELECT seq FROM (
         SELECT seq, verdict, reason, row_number() OVER (PARTITION BY slot ORDER BY verdict = 'valid' AND coalesce(watch ->> '$.again', 0) DESC, position, seq) AS place
         FROM visits WHERE roundId = ? AND attempt = ? AND netlog IS NULL AND (verdict = 'valid' OR reason NOT IN (${listed('measurement')})))
       WHERE place = 1 AND (verdict = 'valid' OR reason IN (${listed('failure')})))`,
  );
  // The attempt that finished a round is the last one: only its visits say something about the site, and extra ones nothing.
  const finished = `FROM rounds JOIN visits ON visits.roundId = rounds.id AND visits.attempt = rounds.attempt
    WHERE rounds.campaignId = ? AND rounds.state = 'done' AND netlog IS NULL`;
  const place = `siteId, condition, view, number AS roundNumber, slot, position, visits.reason, detail, receiveDrops, failed, loadTimeoutMs, documentAddress, cpuOwnShare, cpuForeignShare, likeness,
    json_array_length(refused) AS refusals, settled IS NOT NULL AND (settled ->> '$.cut' OR json_array_length(settled, '$.notAwaited') > 0) AS cutShort,
    watchedEqually IS 0 AS unequal, speedIndex IS NULL AND firstVisualChange IS NOT NULL AS moves`;
  /** A metric as it counts: a round whose visits were not watched equally has none that ends with the visit. */
  const counting = (metric: MetricName) => (metrics[metric].endsWithVisit ? `CASE watchedEqually WHEN 1 THEN ${metric} END` : metric);
  const selectResults = database.prepare<[number], ResultRow & FactsRow>(
    `SELECT ${place}, ${facts.map((name) => `${name} AS ${name}Raw`)}, ${metricNames.map((name) => `${counting(name)} AS ${name}`)} ${finished} AND (counted = 1 OR verdict = 'invalid')`,
  );
  const selectMetric = new Map<MetricName, Statement<[number], MetricRow>>();
  const ofMetric = (metric: MetricName) => {
    const known = selectMetric.get(metric);
    if (known) return known;
    const made = database.prepare<[number], MetricRow>(
      `SELECT ${place}, ${facts.map((name) => `${name} AS ${name}Raw`)}, ${counting(metric)} AS value ${finished} AND (counted = 1 OR verdict = 'invalid')`,
    );
    selectMetric.set(metric, made);
    return made;
  };
  const selectCounted = (metric: MetricName) =>
    database.prepare<[number], { seq: number; group: string; value: number }>(
      `SELECT seq, json_array(siteId, condition, view, slot) AS "group", ${counting(metric)} AS value ${finished} AND counted = 1 AND ${counting(metric)} IS NOT NULL`,
    );
  const selectOfCell = (metric: MetricName) =>
    database.prepare<[number, number, string, View], { visitId: string; slot: number; protocol: Protocol; value: number }>(
      `SELECT visits.id AS visitId, slot, protocol, ${counting(metric)} AS value ${finished}
       AND siteId = ? AND condition = ? AND view = ? AND counted = 1 AND ${counting(metric)} IS NOT NULL ORDER BY slot, seq`,
    );
  const selectWatch = database.prepare<[number, number, string, View], Watch | { untilMs: null; pauseMs: null }>(
    `SELECT max(watch ->> '$.untilMs') AS untilMs, max(watch ->> '$.pauseMs') AS pauseMs FROM rounds JOIN visits ON visits.roundId = rounds.id
     WHERE rounds.campaignId = ? AND siteId = ? AND condition = ? AND view = ? AND watch IS NOT NULL AND verdict = 'valid'`,
  );
  const selectAnyValid = database.prepare<[number, number]>(`SELECT 1 ${finished} AND siteId = ? AND verdict = 'valid' LIMIT 1`);
  const selectInvalid = database.prepare<[number, number], InvalidTry>(
    `SELECT roundId, slot, visits.reason, detail ${finished} AND siteId = ? AND verdict = 'invalid' ORDER BY seq`,
  );
  const selectLost = database.prepare<[number], LostAt>(
    `SELECT siteId, condition, view, protocol, visits.reason, coalesce(min(detail), '') AS detail, count(DISTINCT roundId || ' ' || slot) AS count
     ${finished} AND verdict = 'invalid' AND (failed = 1 OR visits.reason IN (${listed('unfit')}))
     GROUP BY siteId, condition, view, protocol, visits.reason ORDER BY count DESC, visits.reason`,
  );
  const selectLastValid = database.prepare<[number, number, Protocol | null], { at: string }>(
    `SELECT startedAt AS at FROM visits WHERE seq = (
       SELECT max(seq) FROM rounds JOIN visits ON roundId = rounds.id
       WHERE rounds.campaignId = ? AND siteId = ? AND verdict = 'valid' AND protocol = coalesce(?, protocol))`,
  );
  const selectCampaignsOf = database.prepare<[number, number], { campaignId: number }>(
    `SELECT campaignId FROM campaign_sites JOIN campaigns ON campaigns.id = campaignId
     WHERE siteId = ? AND campaignId <= ? AND deletedAt IS NULL ORDER BY campaignId DESC LIMIT 100`,
  );
  const selectSome = database.prepare<[number, number], { id: string }>('SELECT id FROM visits WHERE campaignId = ? LIMIT ?');
  const deleteOne = database.prepare<[string]>('DELETE FROM visits WHERE id = ?');

  return {
    /** @returns its seq. */
    insert(upload: VisitUpload, campaignId: number, roundId: number, contentHash: Buffer): number {
      const row = { ...toVisitRow(upload), campaignId, eventId: drawEventId(campaignId), roundId, contentHash };
      return Number(insert.run(row).lastInsertRowid);
    },

    find(id: string): Visit | undefined {
      const row = select.get(id);
      return row && toVisit(row);
    },
    findHash: (id: string): Buffer | undefined => selectHash.get(id)?.contentHash,
    findSeq: (id: string): number | undefined => selectSeq.get(id)?.seq,

    /** In the order of their arrival. @param newest whether those that came last go first. */
    page(campaignId: number, filter: VisitFilter, { limit, cursor }: Slice, newest = false): Page<Visit> {
      const { roundId = null } = filter;
      const those = roundId === null ? ofAll : ofRound;
      const rows = those[newest ? 'newest' : 'oldest'].all({
        counted: null,
        netlog: null,
        ...filter,
        roundId,
        campaignId,
        cursor,
        limit,
      });
      return pageOf(rows, limit, toVisit, (row) => row.eventId);
    },
    /** At most `limit` visits after one, in the order of their arrival; for the event stream. */
    after: (campaignId: number, eventId: number, limit: number): { visit: Visit; eventId: number }[] =>
      ofAll.oldest
        .all({ ...anyVisit, campaignId, cursor: eventId, limit: limit - 1 })
        .map((row) => ({ visit: toVisit(row), eventId: row.eventId })),
    /** Ids of a campaign's visits, some of them. */
    someOf: (campaignId: number, atMost: number): string[] => selectSome.all(campaignId, atMost).map(({ id }) => id),
    /** With their resources: part of a transaction. */
    deleteAll(ids: readonly string[]): void {
      for (const id of ids) deleteOne.run(id);
    },
    /** The event that the visit which arrived last is; 0 before the first. */
    newestEventId: (campaignId: number): number => selectNewest.get(campaignId) ?? 0,

    /** Slots that an attempt visited; by extra visits alone is not enough. */
    slotsVisited: (roundId: number, attempt: number): number[] => selectSlots.all(roundId, attempt).map(({ slot }) => slot),

    /**
     * Of each slot of a finished attempt the first visit counts that is no failure of the measurement itself: as values, or as a failure. A valid
     * one that was made again to be watched for longer counts in its place.
     */
    count: (roundId: number, attempt: number): void => void updateCounted.run(roundId, attempt),

    /** What results are made of. */
    *ofResults(campaignId: number): Generator<ResultVisit> {
      for (const row of selectResults.iterate(campaignId)) {
        const place = {
          siteId: String(row.siteId),
          condition: row.condition,
          view: row.view,
          roundNumber: row.roundNumber,
          slot: row.slot,
        };
        yield row.reason === null
          ? {
              ...place,
              verdict: 'valid',
              metrics: metricsOf(row),
              receiveDrops: row.receiveDrops,
              position: row.position,
              page: factsOf(row),
            }
          : {
              ...{ ...place, verdict: 'invalid', reason: row.reason, detail: row.detail },
              ...{ counted: row.failed === 1, loadTimeoutMs: row.loadTimeoutMs },
            };
      }
    },

    isolationOf,
    /** How long visits of a cell were watched at least so far; null: until their page was idle. */
    watchOf: ({ campaignId, siteId, condition, view }: Pick<RoundRow, 'campaignId' | 'siteId' | 'condition' | 'view'>): Watch | null => {
      const row = selectWatch.get(campaignId, siteId, condition, view);
      return row?.untilMs == null ? null : row;
    },
    /** The same with one metric alone, which is read several times as fast; other metrics are absent. */
    *ofMetric(campaignId: number, metric: MetricName): Generator<ResultVisit> {
      for (const row of ofMetric(metric).iterate(campaignId)) {
        const { siteId, condition, view, roundNumber, slot, reason, detail, value, receiveDrops, failed, loadTimeoutMs } = row;
        const at = { siteId: String(siteId), condition, view, roundNumber, slot };
        yield reason === null
          ? { ...at, verdict: 'valid', metrics: { [metric]: value } as unknown as Metrics, receiveDrops, page: factsOf(row) }
          : { ...at, verdict: 'invalid', reason, detail, counted: failed === 1, loadTimeoutMs };
      }
    },

    /** What counts of a metric, visit by visit; of one site, condition, view and slot all have the same group. */
    countedValues: (campaignId: number, metric: MetricName) => selectCounted(metric).all(campaignId),

    /** The same for one cell, by slot. */
    valuesOfCell: (
      campaignId: number,
      { siteId, condition, view }: { siteId: number; condition: string; view: View },
      metric: MetricName,
    ) => selectOfCell(metric).all(campaignId, siteId, condition, view),

    lostOf: (campaignId: number): LostAt[] => selectLost.all(campaignId),
    /** The last valid visit of a site, in a campaign or in those before it, the latest 100. @param protocol null: any. @returns null: none. */
    lastValid(upTo: number, siteId: number, protocol: Protocol | null): { at: string; campaignId: string } | null {
      for (const { campaignId } of selectCampaignsOf.iterate(siteId, upTo)) {
        const found = selectLastValid.get(campaignId, siteId, protocol);
        if (found) return { at: found.at, campaignId: String(campaignId) };
      }
      return null;
    },

    /** Of finished rounds. */
    hasValid: (campaignId: number, siteId: number): boolean => selectAnyValid.get(campaignId, siteId) !== undefined,
    /** Of finished rounds, in the order of their arrival. */
    invalidOf: (campaignId: number, siteId: number): InvalidTry[] => selectInvalid.all(campaignId, siteId),
  };
}

const factsOf = (row: FactsRow): PageFacts => ({
  requests: row.requestsRaw,
  finishedBytes: row.finishedBytesRaw,
  failedRequests: row.failedRequestsRaw,
  ipv6Share: row.ipv6ShareRaw,
  h3Share: row.h3ShareRaw,
  h3ByteShare: row.h3ByteShareRaw,
  documentAddress: row.documentAddress,
  ownShare: row.cpuOwnShare,
  foreignShare: row.cpuForeignShare,
  refused: row.refusals ?? 0,
  cutShort: row.cutShort ?? 0,
  unequal: row.unequal,
  moves: row.moves,
  likeness: row.likeness === null ? null : (JSON.parse(row.likeness) as Likeness),
});
