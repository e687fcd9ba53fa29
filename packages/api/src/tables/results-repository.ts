// Owns the table results: what was computed from visits, kept as compressed JSON so that nobody waits for it twice. What is read goes to the
// client as it is.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { resultsVersion } from '@pronghorn/core/campaign';
import type { CampaignState, ChangeOutcome, MetricName, VerdictCount, VerdictOutcome } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { Statement } from 'better-sqlite3';
import type { Database } from '../storage/database.ts';

/** What is kept once. */
export type Subject = { campaignId: number } & (
  | { kind: 'summary' | 'results'; baselineId: null; metric: null }
  | { kind: 'comparison'; baselineId: number; metric: MetricName }
);
/** The same as a row, which has no kinds apart. */
type SubjectRow = { [Name in keyof Subject]: Subject[Name] };
export const summaryOf = (campaignId: number): Subject => ({ campaignId, kind: 'summary', baselineId: null, metric: null });
export const resultsOf = (campaignId: number): Subject => ({ campaignId, kind: 'results', baselineId: null, metric: null });

/** Of what and when something was computed, and how long that took. */
export type Computed = { version: string; asOf: number; tookMs: number };
/** The document of a whole campaign; its cells have the same key. `outline` is JSON. */
export type KeptDocument = Computed & { key: number; outline: string; document: Buffer };

/** Null: any. */
export type CellFilter = { siteId: string | null; condition: string | null; view: View | null };
/** One cell as it is written. Its document, and each comparison of protocols that results have in it, is JSON. */
export type CellRow = {
  siteId: string;
  condition: string;
  view: View;
  outline: unknown;
  document: string;
  comparisons?: readonly string[];
};
/** One cell as it is read, without its document. */
export type KeptCell = { place: number; siteId: string; condition: string; view: View; outline: string };

/** Outlines hold what lists filter and count by: of a summary, */
export type SummaryOutline = { state: CampaignState; verdicts: VerdictCount[] };
/** of each comparison in a cell of results, as text since there are many: metric, candidate, baseline, outcome, and 1 where it is confirmatory, */
export type ComparisonOutline = `${MetricName} ${Protocol} ${Protocol} ${VerdictOutcome} ${0 | 1}`;
/** and of a cell that is compared with another campaign: protocols by outcome, how many have too few rounds, and HTTP/3's lead. */
export type ChangeOutline = Record<ChangeOutcome | 'tooFew', number> & { lead: ChangeOutcome | null };

/** A row's id is key × 10^7 + place, so that the rows of one computation lie together. Place 0 is the whole campaign; cells begin with 1. */
const placesEach = 10 ** 7;
/** Cells in one transaction: a few milliseconds. */
const cellsAtOnce = 20;
/** Rows are deleted so many at a time: other writers wait no longer than that takes. */
const deletedAtOnce = 200;
/** Results that were replaced stay this long for clients that are still reading them. */
const replacedMs = 600_000;
/** Unfinished computations of this age belong to a process that died. */
const abandonedMs = 3_600_000;
/** The newest comparisons of campaigns that stay: 110 MB. Any two campaigns can be compared. */
const maxComparedCells = 100_000;

const rangeOf = (key: number) => ({ first: key * placesEach, end: (key + 1) * placesEach });

export type ResultsRepository = ReturnType<typeof createResultsRepository>;

/** @param database for writing, `keep` and `sweep` need a connection beside the service's own, or a transaction that is open already. */
export function createResultsRepository(database: Database) {
  const selectNextKey = database
    .prepare<[], number>(`SELECT coalesce(max(seq), 0) / ${placesEach} + 1 FROM sqlite_sequence WHERE name = 'results'`)
    .pluck();
  type Row = SubjectRow & CellFilter & Computed & { id: number; outline: string; document: Buffer | null; comparisons: Buffer | null };
  const insert = database.prepare<Row>(
    `INSERT INTO results VALUES (
       @id, @campaignId, @kind, @baselineId, @metric, @siteId, @condition, @view, @version, @asOf, @tookMs, @outline, @document, @comparisons)`,
  );
  const update = database.prepare<{ id: number; outline: string; document: Buffer } & Computed>(
    `UPDATE results SET version = @version, asOf = @asOf, tookMs = @tookMs, outline = @outline, document = @document WHERE id = @id`,
  );
  const isWhole = 'siteId IS NULL AND document IS NOT NULL';
  const selectNewest = database.prepare<SubjectRow, KeptDocument>(
    `SELECT id / ${placesEach} AS key, version, asOf, tookMs, outline, document FROM results INDEXED BY results_whole
     WHERE campaignId = @campaignId AND kind = @kind AND baselineId IS @baselineId AND metric IS @metric AND ${isWhole}
     ORDER BY id DESC LIMIT 1`,
  );
  const selectOutline = database.prepare<[number], string>(`SELECT outline FROM results WHERE id = ? AND ${isWhole}`).pluck();
  const selectSummaries = database.prepare<[string], Computed & { campaignId: number; outline: string }>(
    `SELECT campaignId, version, asOf, tookMs, outline FROM results INDEXED BY results_whole
     WHERE campaignId IN (SELECT value FROM json_each(?)) AND kind = 'summary' AND baselineId IS NULL AND metric IS NULL AND ${isWhole}`,
  );
  const selectCells = [true, false].map((ofSite) =>
    database.prepare<CellFilter & { after: number; end: number; limit: number }, Omit<KeptCell, 'place'> & { id: number }>(
      `SELECT id, siteId, condition, view, outline FROM results
       WHERE id > @after AND id < @end ${ofSite ? 'AND siteId = @siteId' : ''}
         AND (@condition IS NULL OR condition = @condition) AND (@view IS NULL OR view = @view)
       ORDER BY id LIMIT @limit`,
    ),
  );
  const selectDocument = database.prepare<[number], Buffer | null>('SELECT document FROM results WHERE id = ?').pluck();
  const selectComparisons = database.prepare<[number], Buffer | null>('SELECT comparisons FROM results WHERE id = ?').pluck();
  const selectOld = database
    .prepare<{ replaced: number; abandoned: number; version: string }, number>(
      `SELECT id / ${placesEach} FROM results INDEXED BY results_whole WHERE siteId IS NULL AND (
       (document IS NULL AND asOf < @abandoned) OR instr(version, @version) <> 1
       OR (document IS NOT NULL AND kind <> 'summary' AND EXISTS (
         SELECT 1 FROM results AS newer INDEXED BY results_whole
         WHERE newer.campaignId = results.campaignId AND newer.kind = results.kind AND newer.baselineId IS results.baselineId
           AND newer.metric IS results.metric AND newer.siteId IS NULL AND newer.id > results.id AND newer.document IS NOT NULL
           AND (newer.kind = 'comparison' OR newer.asOf < @replaced))))`,
    )
    .pluck();
  const selectTooMany = database
    .prepare<[], number>(
      `SELECT key FROM (
       SELECT id / ${placesEach} AS key, sum(max(outline ->> '$.cells', 1)) OVER newest AS cells, row_number() OVER newest AS place
       FROM results INDEXED BY results_whole WHERE kind = 'comparison' AND ${isWhole} WINDOW newest AS (ORDER BY id DESC))
     WHERE cells > ${maxComparedCells} AND place > 1`,
    )
    .pluck();
  const hide = database.prepare<[number]>('UPDATE results SET document = NULL WHERE id = ?');
  // From the last one, so that an unfinished computation stays in sight to its end.
  const deletePart = database.prepare<{ first: number; end: number }>(
    `DELETE FROM results WHERE id IN (
       SELECT id FROM results WHERE id >= @first AND id < @end ORDER BY id DESC LIMIT ${deletedAtOnce})`,
  );
  const [deleteOfCampaign, deleteOfBaseline] = (['campaign', 'baseline'] as const).map((which) =>
    database.prepare<[number, number]>(
      `DELETE FROM results WHERE id IN (
         SELECT id FROM results INDEXED BY results_of_${which} WHERE ${which}Id = ? ORDER BY id LIMIT ?)`,
    ),
  ) as [Statement<[number, number]>, Statement<[number, number]>];
  const writing = <Given extends unknown[], Made>(work: (...given: Given) => Made): ((...given: Given) => Made) =>
    database.transaction(work).immediate as (...given: Given) => Made;

  const begin = writing((subject: Subject, { version, asOf }: Omit<Computed, 'tookMs'>): number => {
    const key = selectNextKey.get() ?? 1;
    const whole = { siteId: null, condition: null, view: null, outline: '{}', document: null, comparisons: null };
    insert.run({ ...subject, ...whole, version, asOf, tookMs: 0, id: rangeOf(key).first });
    return key;
  });
  const add = writing((subject: Subject, computed: Omit<Computed, 'tookMs'>, firstId: number, cells: readonly CellRow[]): void => {
    for (const [at, { outline, document, comparisons, ...cell }] of cells.entries()) {
      const row = { ...subject, ...cell, ...computed, tookMs: 0, id: firstId + at };
      const packed = { document: pack(document), comparisons: comparisons ? pack(comparisons.join('\n')) : null };
      insert.run({ ...row, ...packed, outline: JSON.stringify(outline) });
    }
  });
  const finish = writing((key: number, computed: Computed, outline: object, document: string): void => {
    update.run({ ...computed, id: rangeOf(key).first, outline: JSON.stringify(outline), document: pack(document) });
  });
  const hideKept = writing((key: number) => void hide.run(rangeOf(key).first));
  const deleteNext = writing((key: number) => deletePart.run(rangeOf(key)).changes);
  function remove(key: number): void {
    hideKept(key);
    while (deleteNext(key) === deletedAtOnce);
  }

  return {
    newest: (subject: Subject): KeptDocument | undefined => selectNewest.get(subject),
    /** Whether a computation is still there to its end: clients that read cell by cell ask after each. */
    isWhole: (key: number): boolean => selectOutline.get(rangeOf(key).first) !== undefined,
    /** The document of a cell, or with place 0 of the whole campaign; undefined when it was replaced and deleted. */
    textOf(key: number, place: number): string | undefined {
      const document = selectDocument.get(rangeOf(key).first + place);
      return document ? unpack(document) : undefined;
    },
    /** The comparisons of a cell of results, a line for each. */
    comparisonsOf(key: number, place: number): string | undefined {
      const comparisons = selectComparisons.get(rangeOf(key).first + place);
      return comparisons ? unpack(comparisons) : undefined;
    },
    outlineOf: (key: number): string | undefined => selectOutline.get(rangeOf(key).first),
    /** Summaries of these campaigns without their documents. */
    summaries(campaignIds: readonly number[]): Map<number, Computed & SummaryOutline> {
      const rows = selectSummaries.all(JSON.stringify(campaignIds));
      return new Map(rows.map(({ campaignId, outline, ...of }) => [campaignId, { ...of, ...(JSON.parse(outline) as SummaryOutline) }]));
    },
    /** @param range.after the place of the last cell that was read; 0: from the first. */
    cells(key: number, { siteId, condition, view }: CellFilter, { after, limit }: { after: number; limit: number }): KeptCell[] {
      const { first, end } = rangeOf(key);
      const rows = selectCells[siteId === null ? 1 : 0]?.all({ siteId, condition, view, after: first + after, end, limit }) ?? [];
      return rows.map(({ id, ...cell }) => ({ ...cell, place: id - first }));
    },
    /** Cursors of comparisons name the computation as well. */
    idOf: (key: number, place: number): number => rangeOf(key).first + place,
    keyOf: (id: number): number => Math.floor(id / placesEach),
    placeOf: (id: number): number => id % placesEach,

    /** An older summary never takes the place of a newer one, unless the clock was set back by more than a minute. @returns whether it is kept. */
    putSummary: writing((campaignId: number, computed: Computed, outline: SummaryOutline, document: Buffer): boolean => {
      const before = selectNewest.get(summaryOf(campaignId));
      if (before && computed.asOf < before.asOf && before.asOf <= computed.asOf + 60_000) return false;
      const key = before?.key ?? begin(summaryOf(campaignId), computed);
      update.run({ ...computed, id: rangeOf(key).first, outline: JSON.stringify(outline), document });
      return true;
    }),

    /**
     * Writes a computation cell by cell; nobody sees it before its end. One that ends by an error leaves nothing behind.
     * @param head called after the last cell: the document of the whole campaign.
     */
    keep(
      subject: Subject,
      computed: Omit<Computed, 'tookMs'>,
      cells: Iterable<CellRow>,
      head: (cells: number) => { outline: object; document: string; tookMs: number },
    ): void {
      const key = begin(subject, computed);
      let [batch, written]: [CellRow[], number] = [[], 0];
      const addBatch = () => {
        add(subject, computed, rangeOf(key).first + 1 + written, batch);
        [batch, written] = [[], written + batch.length];
      };
      try {
        for (const cell of cells) if (batch.push(cell) === cellsAtOnce) addBatch();
        addBatch();
        const { outline, document, tookMs } = head(written);
        finish(key, { ...computed, tookMs }, outline, document);
      } catch (error) {
        try {
          remove(key);
        } catch {
          // On a full disk, say: it is swept later. The first error is the one that matters.
        }
        throw error;
      }
    },

    /** Deletes what was replaced, what was never finished, what another version of the statistics computed, and comparisons beyond the limit. */
    sweep(now: number): void {
      const before = { replaced: now - replacedMs, abandoned: now - abandonedMs };
      const old = selectOld.all({ ...before, version: `${resultsVersion}.` });
      for (const key of [...old, ...selectTooMany.all()]) remove(key);
    },
    /** Deletes some of what a campaign has a part in. @returns how many rows: fewer than `atMost` when none is left. */
    deleteSome(campaignId: number, atMost: number): number {
      const { changes } = deleteOfCampaign.run(campaignId, atMost);
      return changes + (changes < atMost ? deleteOfBaseline.run(campaignId, atMost - changes).changes : 0);
    },
  };
}

// zstd at its quickest takes half the time of deflate at its quickest, for a sixth less.
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const pack = (text: string): Buffer => zstdCompressSync(text, options);
const unpack = (packed: Buffer): string => zstdDecompressSync(packed).toString();
