import type { CampaignState, GroupResults, MetricName, VerdictCount, VerdictOutcome } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { Database } from 'better-sqlite3';
import { createComparedStore } from './compared-store.ts';
import { pack, unpack } from './pack.ts';
import { createLayoutCheck, createWriting } from './results-file.ts';

/** Null: any. */
export type GroupFilter = { siteId: string | null; condition: string | null; view: View | null };
export type ComparisonFilter = GroupFilter & {
  metric: MetricName | null;
  candidate: Protocol | null;
  baseline: Protocol | null;
  outcome: VerdictOutcome | null;
  confirmatory: 0 | 1 | null;
};

/** Results of one moment, written to the end. */
export type StoredResults = { key: number; version: string; asOf: number; head: string };
export type StoredSummary = { version: string; asOf: number; tookMs: number; state: CampaignState; document: Buffer; verdicts: string };

type Range = { after: number; end: number; limit: number };
type GroupRow = { id: number; siteId: string; condition: string; view: View; document: Buffer; comparisons: Buffer };
type ComparisonRow = { id: number; siteId: string; condition: string; view: View; comparisons: Buffer };

/** Ids say where a row belongs, so that rows of one computation lie together. */
const groupsEach = 10 ** 7;
const comparisonsEach = 100;
/** Rows are deleted so many at a time: whoever writes meanwhile waits no longer than that takes. */
const deletedAtOnce = 200;
/** Who reads results that were replaced must come to their end. */
const keptMs = 600_000;
/** What is unfinished for longer is of a process that died. */
const abandonedMs = 3_600_000;
/** Of another release, which may still run beside this one. */
const otherCodeMs = 7 * 86_400_000;

/** Owns the results file. Documents are text of JSON: what is read goes to the client as it is. Each call throws OtherLayout as `createLayoutCheck`. */
export type ResultsStore = ReturnType<typeof createResultsStore>;

export function createResultsStore(database: Database) {
  const insert = database.prepare<[number, string, number]>('INSERT INTO campaigns (campaignId, version, asOf) VALUES (?, ?, ?)');
  const insertGroup = database.prepare<GroupRow>('INSERT INTO groups VALUES (@id, @siteId, @condition, @view, @document, @comparisons)');
  const insertComparison = database.prepare(
    'INSERT INTO comparisons VALUES (@id, @metric, @candidate, @baseline, @outcome, @confirmatory)',
  );
  const updateHead = database.prepare<[Buffer, number]>('UPDATE campaigns SET head = ? WHERE key = ?');
  const selectNewest = database.prepare<[number], { key: number; version: string; asOf: number; head: Buffer }>(
    'SELECT key, version, asOf, head FROM campaigns WHERE campaignId = ? AND head IS NOT NULL ORDER BY key DESC LIMIT 1',
  );
  const isWanted = '(@condition IS NULL OR condition = @condition) AND (@view IS NULL OR view = @view)';
  const range = (ofSite: boolean) => `groups.id > @after AND groups.id < @end ${ofSite ? 'AND siteId = @siteId' : ''} AND ${isWanted}`;
  const selectGroups = bySite((ofSite) =>
    database.prepare<GroupFilter & Range, GroupRow>(`SELECT * FROM groups WHERE ${range(ofSite)} ORDER BY id LIMIT @limit`),
  );
  const isAsked = `(@metric IS NULL OR metric = @metric) AND (@candidate IS NULL OR candidate = @candidate)
    AND (@baseline IS NULL OR baseline = @baseline) AND (@outcome IS NULL OR outcome = @outcome)
    AND (@confirmatory IS NULL OR confirmatory = @confirmatory)`;
  const selectComparisons = bySite((ofSite) =>
    database.prepare<ComparisonFilter & Range, ComparisonRow>(
      `SELECT comparisons.id, siteId, condition, view, groups.comparisons
       FROM ${
         ofSite
           ? `groups CROSS JOIN comparisons ON comparisons.id BETWEEN groups.id * ${comparisonsEach} AND groups.id * ${comparisonsEach} + ${comparisonsEach - 1}`
           : `comparisons CROSS JOIN groups ON groups.id = comparisons.id / ${comparisonsEach}`
       }
       WHERE comparisons.id > @after AND comparisons.id < @end AND ${isAsked} AND ${isWanted}
         ${ofSite ? `AND siteId = @siteId AND groups.id >= CAST(@after / ${comparisonsEach} AS INTEGER) AND groups.id <= @end / ${comparisonsEach}` : ''}
       ORDER BY comparisons.id LIMIT @limit`,
    ),
  );
  const upsertSummary = database.prepare<StoredSummary & { campaignId: number }>(
    `INSERT INTO summaries VALUES (@campaignId, @version, @asOf, @tookMs, @state, @document, @verdicts) ON CONFLICT DO UPDATE SET
       version = excluded.version, asOf = excluded.asOf, tookMs = excluded.tookMs, state = excluded.state, document = excluded.document,
       verdicts = excluded.verdicts
     WHERE excluded.asOf >= asOf OR asOf > excluded.asOf + 60000 -- that much later: of a clock that was set back since`,
  );
  const selectSummary = database.prepare<[number], StoredSummary>('SELECT * FROM summaries WHERE campaignId = ?');
  const selectVerdicts = database.prepare<[string], Omit<StoredSummary, 'document'> & { campaignId: number }>(
    'SELECT campaignId, version, asOf, tookMs, state, verdicts FROM summaries WHERE campaignId IN (SELECT value FROM json_each(?))',
  );
  const selectNext = database.prepare<{ after: number }, { campaignId: number | null }>(
    `SELECT min(campaignId) AS campaignId FROM (
       SELECT min(campaignId) AS campaignId FROM campaigns WHERE campaignId > @after
       UNION ALL SELECT min(campaignId) FROM summaries WHERE campaignId > @after
       UNION ALL SELECT min(campaignId) FROM compared WHERE campaignId > @after
       UNION ALL SELECT min(baselineId) FROM compared WHERE baselineId > @after)`,
  );
  const deleteSummary = database.prepare<[number]>('DELETE FROM summaries WHERE campaignId = ?');
  const selectSuperseded = database.prepare<{ kept: number; abandoned: number; otherCode: number; code: string }, { key: number }>(
    `SELECT key FROM campaigns WHERE (head IS NULL AND asOf < @abandoned) OR (asOf < @otherCode AND instr(version, @code) <> 1) OR (head IS NOT NULL AND EXISTS (
       SELECT 1 FROM campaigns AS newer WHERE newer.campaignId = campaigns.campaignId AND newer.key > campaigns.key
         AND newer.head IS NOT NULL AND newer.asOf < @kept))`,
  );
  const selectKeys = database.prepare<[number], { key: number }>('SELECT key FROM campaigns WHERE campaignId = ?');
  const hide = database.prepare<[number]>('UPDATE campaigns SET head = NULL WHERE key = ?');
  const selectWhole = database.prepare<[number]>('SELECT 1 FROM campaigns WHERE key = ? AND head IS NOT NULL');
  const deleteKey = database.prepare<[number]>('DELETE FROM campaigns WHERE key = ?');
  const deleteRows = (['groups', 'comparisons'] as const).map((table) => ({
    share: table === 'groups' ? 1 : comparisonsEach,
    statement: database.prepare<[number, number, number]>(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id >= ? AND id < ? LIMIT ?)`,
    ),
  }));

  const compared = createComparedStore(database);
  const writing = createWriting(database);

  const hideResults = writing((key: number) => void hide.run(key));
  const forgetSummary = writing((campaignId: number) => void deleteSummary.run(campaignId));
  const forgetKey = writing((key: number) => void deleteKey.run(key));
  const deleteSome = writing((statement: (typeof deleteRows)[number]['statement'], first: number, end: number) => {
    return statement.run(first, end, deletedAtOnce).changes === deletedAtOnce;
  });
  function deleteResults(key: number): void {
    hideResults(key);
    for (const { share, statement } of deleteRows) {
      const [first, end] = [key * groupsEach * share, (key + 1) * groupsEach * share];
      while (deleteSome(statement, first, end));
    }
    forgetKey(key);
  }

  const addGroups = writing((key: number, groups: readonly GroupResults[], firstPlace: number): void => {
    for (const [at, { comparisons, ...group }] of groups.entries()) {
      const { siteId, condition, view } = group;
      const id = key * groupsEach + firstPlace + at;
      const lines = comparisons.map((comparison) => JSON.stringify(comparison)).join('\n');
      insertGroup.run({ id, siteId, condition, view, document: pack(JSON.stringify(group)), comparisons: pack(lines) });
      for (const [place, comparison] of comparisons.entries()) {
        const { metric, candidate, baseline, verdict } = comparison;
        insertComparison.run({
          ...{ id: id * comparisonsEach + place, metric, candidate, baseline, outcome: verdict.outcome },
          confirmatory: Number(comparison.confirmatory),
        });
      }
    }
  });

  return checkedBy(createLayoutCheck(database), {
    /** Of two campaigns. */
    compared,
    /** Begins to write results, which nobody sees before `finish`. @returns their key. */
    begin: writing((campaignId: number, version: string, asOf: number): number =>
      Number(insert.run(campaignId, version, asOf).lastInsertRowid),
    ),
    /** @param firstPlace of these groups in the campaign, from 1. */
    addGroups,
    /** @param head the results without their groups. */
    finish: writing((key: number, head: object): void => void updateHead.run(pack(JSON.stringify(head)), key)),

    newest(campaignId: number): StoredResults | undefined {
      const row = selectNewest.get(campaignId);
      return row && { ...row, head: unpack(row.head) };
    },

    /** @param after place of the last group that was read; 0: from the first. @returns groups as JSON. */
    groups(key: number, filter: GroupFilter, { after, limit }: { after: number; limit: number }): { place: number; text: string }[] {
      const first = key * groupsEach;
      const rows = selectGroups(filter).all({ ...filter, after: first + after, end: first + groupsEach, limit });
      return rows.map(({ id, document, comparisons }) => ({
        place: id - first,
        text: `${unpack(document).slice(0, -1)},"comparisons":[${unpack(comparisons).replaceAll('\n', ',')}]}`,
      }));
    },

    /** The same for comparisons, each with its site, condition and view. */
    comparisons(key: number, filter: ComparisonFilter, { after, limit }: { after: number; limit: number }) {
      const first = key * groupsEach * comparisonsEach;
      const rows = selectComparisons(filter).all({ ...filter, after: first + after, end: first + groupsEach * comparisonsEach, limit });
      let [group, lines] = [0, [] as string[]];
      return rows.map(({ id, comparisons, ...of }) => {
        const its = Math.floor(id / comparisonsEach);
        if (its !== group) [group, lines] = [its, unpack(comparisons).split('\n')];
        return { place: id - first, text: `${JSON.stringify(of).slice(0, -1)},${lines[id % comparisonsEach]?.slice(1)}` };
      });
    },

    /** Whether results are still there to the end: who reads them bit by bit asks after each. */
    isWhole: (key: number): boolean => selectWhole.get(key) !== undefined,

    putSummary: writing((campaignId: number, summary: StoredSummary): void => void upsertSummary.run({ ...summary, campaignId })),
    summary: (campaignId: number): StoredSummary | undefined => selectSummary.get(campaignId),
    /** Of the summaries that are kept of these campaigns, each with what it was computed from. */
    verdicts(campaignIds: readonly number[]): Map<number, Omit<StoredSummary, 'document' | 'verdicts'> & { verdicts: VerdictCount[] }> {
      const rows = selectVerdicts.all(JSON.stringify(campaignIds));
      return new Map(rows.map(({ campaignId, verdicts, ...of }) => [campaignId, { ...of, verdicts: JSON.parse(verdicts) }]));
    },

    /**
     * Deletes what was replaced a while ago, what was never finished, and what another release left behind.
     * @param now milliseconds since 1970. @param code with which versions of this release begin.
     */
    sweep(now: number, code: string): void {
      const before = { kept: now - keptMs, abandoned: now - abandonedMs, otherCode: now - otherCodeMs };
      for (const { key } of selectSuperseded.all({ ...before, code })) deleteResults(key);
    },
    /** The next campaign of which anything is kept, by its id. */
    nextCampaign: (after: number): number | undefined => selectNext.get({ after })?.campaignId ?? undefined,
    /** Deletes all of a campaign. */
    forget(campaignId: number): void {
      forgetSummary(campaignId);
      compared.forget(campaignId);
      for (const { key } of selectKeys.all(campaignId)) deleteResults(key);
    },
  });
}

/** Calls `check` before each use of a store. */
const checkedBy = <Store extends object>(check: () => void, store: Store): Store =>
  new Proxy(store, {
    get(target, name) {
      check();
      return Reflect.get(target, name);
    },
  });

/** Of one site its groups are found by their index; of all of them none is passed over. */
function bySite<Made>(make: (ofSite: boolean) => Made): (filter: GroupFilter) => Made {
  const [ofSite, ofAll] = [make(true), make(false)];
  return ({ siteId }) => (siteId === null ? ofAll : ofSite);
}
