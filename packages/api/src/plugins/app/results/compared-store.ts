// Keeps comparisons of two campaigns in the results file, place by place. Documents are text of JSON: what is read goes to the client as it is.
import type { CampaignComparison, CampaignComparisonPage, ChangeOutcome, ComparedPlace, MetricName } from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import type { Database } from 'better-sqlite3';
import { pack, unpack } from './pack.ts';
import { createWriting } from './results-file.ts';

/** What is kept once. */
export type ComparedPair = { campaignId: number; baselineId: number; metric: MetricName };
/** Null: any. @param told 1: only places where anything differs. */
export type PlaceFilter = { siteId: string | null; condition: string | null; view: View | null; told: 0 | 1 };
type Outcomes = CampaignComparisonPage['outcomes'];
/** `outcomes` as JSON. */
export type ComparedPage = { head: string; outcomes: string; places: { place: number; text: string }[] };
/** One that is kept: of what and when it was made, and how long that took. */
export type KeptComparison = { key: number; version: string; asOf: number; tookMs: number };

type Row = Omit<PlaceFilter, 'told'> & { id: number; lead: ChangeOutcome | null; document: Buffer } & Outcomes['protocols'];
type Range = { first: number; after: number; end: number; limit: number };

const anyPlace: PlaceFilter = { siteId: null, condition: null, view: null, told: 0 };

/** Ids say where a row belongs, so that rows of one comparison lie together. */
const placesEach = 10 ** 7;
/** Of all that is kept, the newest: 110 MB, since a place is 3 kB of JSON and packed 1.1 kB. Anybody may hold any two campaigns against one another. */
const mostPlaces = 100_000;
/** Rows are deleted so many at a time: whoever writes meanwhile waits no longer than that takes. */
const deletedAtOnce = 200;
/** What is unfinished for longer is of a process that died. */
const abandonedMs = 3_600_000;

export type ComparedStore = ReturnType<typeof createComparedStore>;

/** @param database of results. */
export function createComparedStore(database: Database) {
  const insert = database.prepare<ComparedPair & { version: string; asOf: number }>(
    'INSERT INTO compared (campaignId, baselineId, metric, version, asOf) VALUES (@campaignId, @baselineId, @metric, @version, @asOf)',
  );
  const insertPlace = database.prepare<Row>(
    `INSERT INTO compared_places
     VALUES (@id, @siteId, @condition, @view, @lower, @higher, @undecided, @tooFew, @lead, @document)`,
  );
  const updateHead = database.prepare<{ key: number; head: Buffer; places: number; tookMs: number; outcomes: string }>(
    'UPDATE compared SET head = @head, places = @places, tookMs = @tookMs, outcomes = @outcomes WHERE key = @key',
  );
  const selectHead = database.prepare<[number], { head: Buffer; outcomes: string }>(
    'SELECT head, outcomes FROM compared WHERE key = ? AND head IS NOT NULL',
  );
  const selectNewest = database.prepare<ComparedPair, KeptComparison>(
    `SELECT key, version, asOf, tookMs FROM compared
     WHERE campaignId = @campaignId AND baselineId = @baselineId AND metric = @metric AND head IS NOT NULL ORDER BY key DESC LIMIT 1`,
  );
  const isWanted = `(@siteId IS NULL OR siteId = @siteId) AND (@condition IS NULL OR condition = @condition)
    AND (@view IS NULL OR view = @view)`;
  const selectPlaces = database.prepare<PlaceFilter & Range, { id: number; document: Buffer }>(
    `SELECT id, document FROM compared_places
     WHERE id IN (
       SELECT id FROM compared_places INDEXED BY compared_counts
       WHERE id > @after AND id < @end AND ${isWanted} AND (@told = 0 OR lower + higher > 0 OR lead IN ('lower', 'higher'))
       ORDER BY id LIMIT @limit)
     ORDER BY id`,
  );
  const sums = ['lower', 'higher', 'undecided', 'tooFew'].map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join();
  const leads = ['lower', 'higher', 'undecided'].map((name) => `count(*) FILTER (WHERE lead = '${name}') AS ${name}Leads`).join();
  const selectCounts = database.prepare<PlaceFilter & Range, Outcomes['protocols'] & Record<`${ChangeOutcome}Leads`, number>>(
    `SELECT ${sums}, ${leads} FROM compared_places INDEXED BY compared_counts WHERE id > @first AND id < @end AND ${isWanted}`,
  );
  const selectReplaced = database.prepare<{ abandoned: number }, { key: number }>(
    `SELECT key FROM compared WHERE (head IS NULL AND asOf < @abandoned) OR (head IS NOT NULL AND EXISTS (
       SELECT 1 FROM compared AS newer
       WHERE newer.campaignId = compared.campaignId AND newer.baselineId = compared.baselineId AND newer.metric = compared.metric
         AND newer.key > compared.key AND newer.head IS NOT NULL))`,
  );
  const selectTooMany = database.prepare<[], { key: number }>(
    `SELECT key FROM (SELECT key, sum(max(places, 1)) OVER newest AS places, row_number() OVER newest AS place FROM compared
       WHERE head IS NOT NULL WINDOW newest AS (ORDER BY key DESC))
     WHERE places > ${mostPlaces} AND place > 1`,
  );
  const selectOf = database.prepare<[number, number], { key: number }>('SELECT key FROM compared WHERE campaignId = ? OR baselineId = ?');
  const hide = database.prepare<[number]>('UPDATE compared SET head = NULL WHERE key = ?');
  const deletePlaces = database.prepare<[number, number, number]>(
    'DELETE FROM compared_places WHERE id IN (SELECT id FROM compared_places WHERE id >= ? AND id < ? LIMIT ?)',
  );
  const deleteKey = database.prepare<[number]>('DELETE FROM compared WHERE key = ?');
  const atOneMoment = database.transaction((work: () => unknown) => work()) as unknown as { deferred<T>(work: () => T): T };

  const writing = createWriting(database);
  const hideKept = writing((key: number) => void hide.run(key));
  const deleteSome = writing((key: number) => {
    return deletePlaces.run(key * placesEach, (key + 1) * placesEach, deletedAtOnce).changes === deletedAtOnce;
  });
  const forgetKey = writing((key: number) => void deleteKey.run(key));
  function remove(key: number): void {
    hideKept(key);
    while (deleteSome(key));
    forgetKey(key);
  }

  const rangeOf = (key: number) => ({ first: key * placesEach, after: key * placesEach, end: (key + 1) * placesEach, limit: 0 });
  function countOutcomes(key: number, filter: PlaceFilter): Outcomes {
    const counts = selectCounts.get({ ...filter, ...rangeOf(key) });
    if (counts === undefined) throw new Error('Counting gave no row.');
    const { lowerLeads, higherLeads, undecidedLeads, ...protocols } = counts;
    return { protocols, leads: { lower: lowerLeads, higher: higherLeads, undecided: undecidedLeads } };
  }

  const addPlaces = writing((key: number, places: readonly ComparedPlace[], firstPlace: number): void => {
    for (const [at, place] of places.entries()) {
      const { siteId, condition, view, protocols, lead } = place;
      const of = (outcome: ChangeOutcome) => protocols.filter((change) => change.outcome === outcome).length;
      const tooFew = protocols.filter(({ doubts }) => doubts.some(({ reason }) => reason === 'too-few-rounds')).length;
      insertPlace.run({
        ...{ id: key * placesEach + firstPlace + at, siteId, condition, view, lead: lead?.outcome ?? null },
        ...{ lower: of('lower'), higher: of('higher'), undecided: of('undecided'), tooFew },
        document: pack(JSON.stringify(place)),
      });
    }
  });

  return {
    /** Begins to write a comparison, which nobody sees before `finish`. @returns its key. */
    begin: writing((pair: ComparedPair, version: string, asOf: number): number => {
      return Number(insert.run({ ...pair, version, asOf }).lastInsertRowid);
    }),
    /** @param firstPlace of these in the comparison, from 1. */
    add: addPlaces,
    /** @param head the comparison without its places. @param places how many there are. */
    finish: writing((key: number, head: Omit<CampaignComparison, 'places'>, places: number, tookMs: number): void => {
      const outcomes = JSON.stringify(countOutcomes(key, anyPlace));
      updateHead.run({ key, head: pack(JSON.stringify(head)), places, tookMs, outcomes });
    }),
    /** Deletes one, finished or not. */
    remove,

    /** The newest one that is kept; undefined: none is. */
    newest: (pair: ComparedPair): KeptComparison | undefined => selectNewest.get(pair),

    /** The key of the comparison that has the place of a page’s cursor. */
    keyOf: (cursor: number): number => Math.floor(cursor / placesEach),

    /** @param range after the place of a cursor, null for the first ones; at most so many. @returns undefined when it is no longer kept. */
    page(key: number, filter: PlaceFilter, { after, limit }: { after: number | null; limit: number }): ComparedPage | undefined {
      return atOneMoment.deferred(() => {
        const kept = selectHead.get(key);
        if (kept === undefined) return undefined;
        const { siteId, condition, view } = filter;
        const isWhole = siteId === null && condition === null && view === null;
        const rows = selectPlaces.all({ ...filter, ...rangeOf(key), after: after ?? key * placesEach, limit });
        return {
          head: unpack(kept.head),
          outcomes: isWhole ? kept.outcomes : JSON.stringify(countOutcomes(key, filter)),
          places: rows.map(({ id, document }) => ({ place: id, text: unpack(document) })),
        };
      });
    },

    /** Deletes what was replaced, what was never finished, and what is too much. @param now milliseconds since 1970. */
    sweep(now: number): void {
      for (const { key } of [...selectReplaced.all({ abandoned: now - abandonedMs }), ...selectTooMany.all()]) remove(key);
    },
    /** Deletes all that a campaign has a part in. */
    forget(campaignId: number): void {
      for (const { key } of selectOf.all(campaignId, campaignId)) remove(key);
    },
  };
}
