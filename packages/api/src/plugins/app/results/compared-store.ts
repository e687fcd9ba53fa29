// Keeps comparisons of two campaigns in the results file, place by place. Documents are text of JSON: what is read goes to the client as it is.
import type { CampaignComparison, CampaignComparisonPage, ChangeOutcome, ComparedPlace, MetricName, View } from '@pronghorn/core';
import type { Database } from 'better-sqlite3';
import { pack, unpack } from './pack.ts';

/** What is kept once. */
export type ComparedPair = { campaignId: number; baselineId: number; metric: MetricName };
/** Null: any. @param told 1: only places where anything differs. */
export type PlaceFilter = { siteId: string | null; condition: string | null; view: View | null; told: 0 | 1 };
type Outcomes = CampaignComparisonPage['outcomes'];
export type ComparedPage = { version: string; head: string; outcomes: Outcomes; places: { place: number; text: string }[] };

type Kept = { key: number; version: string; head: Buffer };
type Row = Omit<PlaceFilter, 'told'> & { id: number; lead: ChangeOutcome | null; document: Buffer } & Outcomes['protocols'];
type Range = { first: number; after: number; end: number; limit: number };

/** Ids say where a row belongs, so that rows of one comparison lie together. */
const placesEach = 10 ** 7;
/** Of all that is kept, the newest: some tens of megabytes. Anybody may hold any two campaigns against one another. */
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
  const updateHead = database.prepare<[Buffer, number, number]>('UPDATE compared SET head = ?, places = ? WHERE key = ?');
  const selectNewest = database.prepare<ComparedPair, Kept>(
    `SELECT key, version, head FROM compared
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

  function remove(key: number): void {
    hide.run(key);
    while (deletePlaces.run(key * placesEach, (key + 1) * placesEach, deletedAtOnce).changes === deletedAtOnce);
    deleteKey.run(key);
  }

  const addPlaces = database.transaction((key: number, places: readonly ComparedPlace[], firstPlace: number): void => {
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
    begin: (pair: ComparedPair, version: string, asOf: number): number => Number(insert.run({ ...pair, version, asOf }).lastInsertRowid),
    /** @param firstPlace of these in the comparison, from 1. */
    add: (key: number, places: readonly ComparedPlace[], firstPlace: number): void => addPlaces(key, places, firstPlace),
    /** @param head the comparison without its places. @param places how many there are. */
    finish: (key: number, head: Omit<CampaignComparison, 'places'>, places: number): void =>
      void updateHead.run(pack(JSON.stringify(head)), places, key),

    /** Of what the newest one that is kept was made; undefined: none is kept. */
    version: (pair: ComparedPair): string | undefined => selectNewest.get(pair)?.version,

    /** Places of the newest one that is kept. @param range after a place, 0 for the first ones; at most so many. */
    page(pair: ComparedPair, filter: PlaceFilter, { after, limit }: { after: number; limit: number }): ComparedPage | undefined {
      return atOneMoment.deferred(() => {
        const kept = selectNewest.get(pair);
        if (kept === undefined) return undefined;
        const first = kept.key * placesEach;
        const range = { ...filter, first, after: first + after, end: first + placesEach, limit };
        const rows = selectPlaces.all(range);
        const { lowerLeads, higherLeads, undecidedLeads, ...protocols } = selectCounts.get(range) as ReturnType<
          typeof selectCounts.get
        > & {};
        return {
          version: kept.version,
          head: unpack(kept.head),
          outcomes: { protocols, leads: { lower: lowerLeads, higher: higherLeads, undecided: undecidedLeads } },
          places: rows.map(({ id, document }) => ({ place: id - first, text: unpack(document) })),
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
