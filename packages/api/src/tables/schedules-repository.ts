import {
  type CampaignRegressions,
  type Page,
  type ScheduleRequest,
  type ScheduleStart,
  type StartOutcome,
  scheduleDefaults,
} from '@pronghorn/core/schemas';
import type { SeriesNight } from '@pronghorn/core/verdict';
import type { Database } from '../storage/database.ts';
import { pageOf, pageWithin, type Slice } from '../storage/page.ts';

/** Every choice made. */
export type ScheduleSpec = Required<ScheduleRequest>;

/** When a schedule starts next: the time of its cron expression, and the same with jitter. Milliseconds since 1970. */
export type NextStart = { dueAt: number; startAt: number } | null;

export type StoredSchedule = { id: number; createdAt: string; createdBy: string | null; spec: ScheduleSpec; next: NextStart };

export type Start = {
  dueAt: number | null;
  decidedAt: number;
  outcome: StartOutcome;
  campaignId: number | null;
  words: string /** Name of the token by whose hand; null: it was due. */;
  startedBy: string | null;
};

type Row = {
  id: number;
  name: string;
  createdAt: string;
  createdBy: string | null;
  paused: number;
  document: string;
  nextDueAt: number | null;
  nextStartAt: number | null;
};
type StartRow = Start & { id: number };

/** Owns the tables schedules and schedule_starts. */
export function createSchedulesRepository(database: Database) {
  const insertSchedule = database.prepare(
    `INSERT INTO schedules (name, createdAt, createdBy, paused, document) VALUES (@name, @createdAt, @createdBy, @paused, @document)`,
  );
  const updateSchedule = database.prepare('UPDATE schedules SET name = @name, paused = @paused, document = @document WHERE id = @id');
  const updatePaused = database.prepare<[number, number]>('UPDATE schedules SET paused = ? WHERE id = ?');
  const updateNext = database.prepare<[number | null, number | null, number]>(
    'UPDATE schedules SET nextDueAt = ?, nextStartAt = ? WHERE id = ?',
  );
  const select = database.prepare<[number], Row>('SELECT * FROM schedules WHERE id = ?');
  const selectPage = database.prepare<Slice & { name: string | null }, Row>(
    'SELECT * FROM schedules WHERE id > coalesce(@cursor, 0) AND (@name IS NULL OR name = @name) ORDER BY id LIMIT @limit + 1',
  );
  const selectNamed = database.prepare<[string], { id: number }>('SELECT id FROM schedules WHERE name = ?');
  const selectDue = database.prepare<[number], Row>('SELECT * FROM schedules WHERE nextStartAt <= ? ORDER BY nextStartAt');
  const selectPlanned = database.prepare<[number], Row>('SELECT * FROM schedules WHERE nextDueAt > ?');
  const selectEarliest = database.prepare<[], { at: number | null }>('SELECT min(nextStartAt) AS at FROM schedules');
  const selectTelling = database.prepare<[string], { id: number; name: string }>(
    `SELECT id, name FROM schedules WHERE EXISTS (SELECT 1 FROM json_each(document, '$.notifications') WHERE value = ?) ORDER BY id`,
  );
  const countOf = database.prepare<[string], { count: number }>('SELECT count(*) AS count FROM schedules WHERE createdBy = ?');
  const selectJudged = database.prepare<[string, string | null], { id: number; name: string }>(
    `SELECT id, name FROM schedules WHERE document ->> '$.gate' IN (?, ?) ORDER BY id`,
  );
  const remove = database.prepare<[number]>('DELETE FROM schedules WHERE id = ?');
  const insertStart = database.prepare<Start & { scheduleId: number }>(
    `INSERT INTO schedule_starts (scheduleId, dueAt, decidedAt, outcome, campaignId, words, startedBy)
     VALUES (@scheduleId, @dueAt, @decidedAt, @outcome, @campaignId, @words, @startedBy)`,
  );
  const selectStarts = database.prepare<{ scheduleId: number; cursor: number | null; limit: number }, StartRow>(
    'SELECT * FROM schedule_starts WHERE scheduleId = @scheduleId AND (@cursor IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit + 1',
  );
  const selectLastCampaign = database.prepare<[number], { campaignId: number }>(
    'SELECT campaignId FROM schedule_starts WHERE scheduleId = ? AND campaignId IS NOT NULL ORDER BY id DESC LIMIT 1',
  );
  const selectLastDue = database.prepare<[number], { dueAt: number | null }>(
    'SELECT max(dueAt) AS dueAt FROM schedule_starts WHERE scheduleId = ?',
  );
  const deleteUndone = database.prepare<[number, number]>(
    `DELETE FROM schedule_starts WHERE scheduleId = ? AND dueAt > ? AND outcome <> 'started'`,
  );
  const updateStarted = database.prepare<[number, number]>('UPDATE schedule_starts SET dueAt = NULL WHERE scheduleId = ? AND dueAt > ?');
  const selectOfCampaign = database.prepare<[number], Row>(
    'SELECT schedules.* FROM schedule_starts JOIN schedules ON schedules.id = scheduleId WHERE campaignId = ?',
  );

  const newestOf = (which: string) =>
    `(SELECT campaignId FROM schedule_starts INDEXED BY schedule_starts_of_schedule
      WHERE scheduleId = schedules.id AND campaignId IS NOT NULL AND ${which} ORDER BY campaignId DESC LIMIT 1)`;
  const there = 'EXISTS (SELECT 1 FROM campaigns INDEXED BY campaigns_listed WHERE campaigns.id = campaignId AND deletedAt IS NULL)';
  const judged = `EXISTS (SELECT 1 FROM schedule_regressions AS found WHERE found.campaignId = schedule_starts.campaignId)`;
  const selectOfSites = database.prepare<[], { siteId: number; id: number; name: string; judged: number | null }>(
    `SELECT siteId, those.id, those.name, judged
     FROM (SELECT id, name, ${newestOf(there)} AS newest, ${newestOf(`${judged} AND ${there}`)} AS judged FROM schedules) AS those
     JOIN campaign_sites ON campaignId = newest ORDER BY newest`,
  );

  const columnsOf = ({ name, paused, ...rest }: ScheduleSpec) => ({ name, paused: paused ? 1 : 0, document: JSON.stringify(rest) });

  return {
    insert(spec: ScheduleSpec, createdAt: string, createdBy: string | null): number {
      return Number(insertSchedule.run({ ...columnsOf(spec), createdAt, createdBy }).lastInsertRowid);
    },
    update: (id: number, spec: ScheduleSpec): void => void updateSchedule.run({ ...columnsOf(spec), id }),
    /** Nothing else is touched: another process may have changed the rest meanwhile. */
    setPaused: (id: number, paused: boolean): void => void updatePaused.run(paused ? 1 : 0, id),
    setNext: (id: number, next: NextStart): void => void updateNext.run(next?.dueAt ?? null, next?.startAt ?? null, id),
    /** @returns whether there was one. Its campaigns stay. */
    delete: (id: number): boolean => remove.run(id).changes === 1,

    find(id: number): StoredSchedule | undefined {
      const row = select.get(id);
      return row && toSchedule(row);
    },
    /** How many a token made. */
    countOf: (token: string): number => countOf.get(token)?.count ?? 0,
    idNamed: (name: string): number | undefined => selectNamed.get(name)?.id,
    /** Those that name a gate so, or by its id. */
    judgedBy: (name: string, id: string | null): { id: number; name: string }[] => selectJudged.all(name, id),
    /** Those that name a notification target. */
    telling: (targetId: number): { id: number; name: string }[] => selectTelling.all(String(targetId)),
    /** Of the schedule that started a campaign. */
    ofCampaign(campaignId: number): StoredSchedule | undefined {
      const row = selectOfCampaign.get(campaignId);
      return row && toSchedule(row);
    },
    /** By site, the schedule whose newest campaign has it, and the newest of its campaigns that was looked at; null: none was. */
    ofSites: () => new Map(selectOfSites.all().map(({ siteId, ...schedule }) => [siteId, schedule])),
    /** @param name of no other one; null: all. */
    page: ({ limit, cursor }: Slice, name: string | null): Page<StoredSchedule> =>
      pageWithin(
        selectPage.iterate({ cursor, limit, name }),
        limit,
        ({ document }) => document.length,
        toSchedule,
        (row) => row.id,
      ),

    /** Those that start by a time, the earliest first. */
    dueAt: (time: number): StoredSchedule[] => selectDue.all(time).map(toSchedule),
    /** Of the next start of any; null: none is to come. */
    earliest: (): number | null => selectEarliest.get()?.at ?? null,

    /** @throws Error SQLITE_CONSTRAINT when its due time was decided on before. */
    insertStart: (scheduleId: number, start: Start): void => void insertStart.run({ ...start, scheduleId }),
    /** Newest first. */
    starts: (scheduleId: number, { limit, cursor }: Slice): Page<ScheduleStart> =>
      pageOf(selectStarts.all({ scheduleId, cursor, limit }), limit, toStart, (row) => row.id),
    /** The last due time that was decided on; null: none was. */
    lastDue: (scheduleId: number): number | null => selectLastDue.get(scheduleId)?.dueAt ?? null,
    /** Those whose next start is due after a time. */
    plannedAfter: (time: number): StoredSchedule[] => selectPlanned.all(time).map(toSchedule),
    /** Takes back what was decided of times after this one: starts stay, as if made by hand. */
    forgetDecidedAfter(id: number, time: number): void {
      deleteUndone.run(id, time);
      updateStarted.run(id, time);
    },
    /** That a schedule started last. */
    lastCampaign: (scheduleId: number): number | undefined => selectLastCampaign.get(scheduleId)?.campaignId,
  };
}

function toSchedule({ id, name, createdAt, createdBy, paused, document, nextDueAt, nextStartAt }: Row): StoredSchedule {
  const spec = { ...scheduleDefaults, ...(JSON.parse(document) as Omit<ScheduleSpec, 'name' | 'paused'>), name, paused: paused === 1 };
  return {
    id,
    createdAt,
    createdBy,
    spec,
    next: nextDueAt === null || nextStartAt === null ? null : { dueAt: nextDueAt, startAt: nextStartAt },
  };
}

const toStart = ({ id, dueAt, decidedAt, outcome, campaignId, words }: StartRow): ScheduleStart => ({
  id: String(id),
  dueAt: dueAt === null ? null : new Date(dueAt).toISOString(),
  decidedAt: new Date(decidedAt).toISOString(),
  outcome,
  campaignId: campaignId === null ? null : String(campaignId),
  words,
});

/** What was found of a campaign. */
export type Findings = Pick<CampaignRegressions, 'state' | 'words' | 'comparedWith' | 'compared' | 'regressions' | 'unmeasured'>;

/** Owns the tables schedule_medians and schedule_regressions. */
export function createNightsRepository(database: Database) {
  const selectWaiting = database.prepare<[], { campaignId: number; scheduleId: number }>(
    `SELECT campaignId, scheduleId FROM schedule_starts JOIN campaigns ON campaigns.id = campaignId
     WHERE state = 'done' AND deletedAt IS NULL AND NOT EXISTS (SELECT 1 FROM schedule_regressions AS found WHERE found.campaignId = campaigns.id)
     ORDER BY campaignId`,
  );
  const selectBefore = database.prepare<[number, number, number], { campaignId: number }>(
    `SELECT campaignId FROM schedule_starts JOIN campaigns ON campaigns.id = campaignId
     WHERE scheduleId = ? AND campaignId < ? AND deletedAt IS NULL AND EXISTS (SELECT 1 FROM schedule_medians AS known WHERE known.campaignId = schedule_starts.campaignId)
     ORDER BY campaignId DESC LIMIT ?`,
  );
  const insertMedian = database.prepare<[number, string, number, number]>(
    'INSERT INTO schedule_medians (campaignId, series, median, failing) VALUES (?, ?, ?, ?)',
  );
  const selectSeries = database.prepare<[number, string, number], { campaignId: number; median: number; failing: number }>(
    `SELECT schedule_starts.campaignId, median, failing FROM schedule_starts JOIN campaigns ON campaigns.id = schedule_starts.campaignId
       JOIN schedule_medians ON schedule_medians.campaignId = schedule_starts.campaignId
     WHERE scheduleId = ? AND series = ? AND schedule_starts.campaignId >= ? AND deletedAt IS NULL ORDER BY schedule_starts.campaignId`,
  );
  const selectMedians = database.prepare<[number], { series: string; median: number }>(
    'SELECT series, median FROM schedule_medians WHERE campaignId = ?',
  );
  const insertFindings = database.prepare<[number, string]>('INSERT INTO schedule_regressions (campaignId, document) VALUES (?, ?)');
  const selectFindings = database.prepare<[number], { document: string }>('SELECT document FROM schedule_regressions WHERE campaignId = ?');

  return {
    /** Campaigns of schedules that are done and were not looked at, the oldest first. */
    waiting: (): { campaignId: number; scheduleId: number }[] => selectWaiting.all(),
    /** Campaigns of a schedule before one, that have any number; the oldest first, at most so many. */
    before: (scheduleId: number, campaignId: number, most: number): number[] =>
      selectBefore
        .all(scheduleId, campaignId, most)
        .map((row) => row.campaignId)
        .reverse(),
    /** @param failing the series of which half of the loads failed or more. */
    insertMedians(campaignId: number, medians: ReadonlyMap<string, number>, failing: ReadonlySet<string>): void {
      for (const [series, median] of medians) insertMedian.run(campaignId, series, median, failing.has(series) ? 1 : 0);
    },
    /** Its medians in a schedule's campaigns that are there, from one on; the oldest first. */
    series: (scheduleId: number, series: string, from: number): SeriesNight[] =>
      selectSeries.all(scheduleId, series, from).map((row) => ({ ...row, failing: row.failing === 1 })),
    /** By series. */
    medians: (campaignId: number): Map<string, number> =>
      new Map(selectMedians.all(campaignId).map(({ series, median }) => [series, median])),
    insertFindings: (campaignId: number, findings: Findings): void => void insertFindings.run(campaignId, JSON.stringify(findings)),
    findings(campaignId: number): Findings | undefined {
      const row = selectFindings.get(campaignId);
      return row && (JSON.parse(row.document) as Findings);
    },
  };
}
