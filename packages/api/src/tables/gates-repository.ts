import type { Gate, GateAnswer, GateRequest, GateResult, GateRules, Page, SiteStatus } from '@pronghorn/core/schemas';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { contentHash } from '../storage/canonical-json.ts';
import type { Database } from '../storage/database.ts';
import { pageWithin, rowId, type Slice } from '../storage/page.ts';

type Row = {
  id: number;
  name: string;
  createdAt: string;
  changedAt: string;
  createdBy: string | null;
  campaign: string | null;
  rules: string;
};

/** Owns the table gates: those that are stored under a name. */
export type GatesRepository = ReturnType<typeof createGatesRepository>;

export function createGatesRepository(database: Database) {
  const insert = database.prepare<Omit<Row, 'id'>>(
    `INSERT INTO gates (name, createdAt, changedAt, createdBy, campaign, rules)
     VALUES (@name, @createdAt, @changedAt, @createdBy, @campaign, @rules)`,
  );
  const update = database.prepare<Pick<Row, 'id' | 'name' | 'changedAt' | 'campaign' | 'rules'>>(
    'UPDATE gates SET name = @name, changedAt = @changedAt, campaign = @campaign, rules = @rules WHERE id = @id',
  );
  const select = database.prepare<[number], Row>('SELECT * FROM gates WHERE id = ?');
  const selectNamed = database.prepare<[string], Row>('SELECT * FROM gates WHERE name = ?');
  const selectPage = database.prepare<Slice & { name: string | null }, Row>(
    'SELECT * FROM gates WHERE id > coalesce(@cursor, 0) AND (@name IS NULL OR name = @name) ORDER BY id LIMIT @limit + 1',
  );
  const remove = database.prepare<[number]>('DELETE FROM gates WHERE id = ?');
  const documents = ({ campaign, rules }: GateRequest) => ({
    campaign: campaign === null ? null : JSON.stringify(campaign),
    rules: JSON.stringify(rules),
  });

  return {
    /** @param at ISO 8601. @returns its id. */
    insert(gate: GateRequest, at: string, createdBy: string | null): string {
      return String(insert.run({ ...documents(gate), name: gate.name, createdAt: at, changedAt: at, createdBy }).lastInsertRowid);
    },
    update: (id: string, gate: GateRequest, at: string): void =>
      void update.run({ ...documents(gate), id: rowId(id), name: gate.name, changedAt: at }),
    /** @returns whether there was one. What it said stays. */
    delete: (id: string): boolean => remove.run(rowId(id)).changes === 1,

    find(id: string): Gate | undefined {
      const row = select.get(rowId(id));
      return row && toGate(row);
    },
    findNamed(name: string): Gate | undefined {
      const row = selectNamed.get(name);
      return row && toGate(row);
    },
    /** In the order in which they were made. @param name of no other one; null: all. */
    page({ limit, cursor }: Slice, name: string | null): Page<Gate> {
      const sizeOf = ({ campaign, rules }: Row) => (campaign?.length ?? 0) + rules.length;
      return pageWithin(selectPage.iterate({ cursor, limit, name }), limit, sizeOf, toGate, (row) => row.id);
    },
  };
}

const toGate = ({ id, campaign, rules, ...row }: Row): Gate => ({
  id: String(id),
  ...row,
  campaign: campaign === null ? null : (JSON.parse(campaign) as Gate['campaign']),
  rules: JSON.parse(rules) as Gate['rules'],
});

type AnswerRow = {
  id: number;
  campaignId: number;
  gateId: number | null;
  gate: string | null;
  rules: string;
  askedAt: string;
  askedBy: string | null;
  checkedAt: string | null;
  outcome: GateOutcome | null;
  result: string | null;
};

/** What is asked of a campaign. */
export type Question = { campaignId: number; gate: { id: string; name: string } | null; rules: GateRules; askedBy: string | null };

/** Owns the table gate_answers: questions to campaigns with their answers. */
export type GateAnswersRepository = ReturnType<typeof createGateAnswersRepository>;

export function createGateAnswersRepository(database: Database) {
  const insert = database.prepare(
    `INSERT INTO gate_answers (campaignId, gateId, gate, rules, question, askedAt, askedBy)
     VALUES (@campaignId, @gateId, @gate, @rules, @question, @askedAt, @askedBy) ON CONFLICT DO NOTHING`,
  );
  const selectQuestion = database.prepare<[number, Buffer], AnswerRow>('SELECT * FROM gate_answers WHERE campaignId = ? AND question = ?');
  const select = database.prepare<[number], AnswerRow>('SELECT * FROM gate_answers WHERE id = ?');
  const answer = database.prepare<[string, GateOutcome, string, number]>(
    'UPDATE gate_answers SET checkedAt = ?, outcome = ?, result = ? WHERE id = ? AND checkedAt IS NULL',
  );
  const selectWaiting = database.prepare<[number], AnswerRow>(
    'SELECT * FROM gate_answers WHERE campaignId = ? AND checkedAt IS NULL ORDER BY id',
  );
  const selectAnswerable = database.prepare<[], { campaignId: number }>(
    `SELECT DISTINCT campaignId FROM gate_answers JOIN campaigns ON campaigns.id = campaignId
     WHERE checkedAt IS NULL AND campaigns.state IN ('done', 'cancelled') AND deletedAt IS NULL ORDER BY campaignId`,
  );
  const reopen = database.prepare<[number]>(
    `UPDATE gate_answers SET checkedAt = NULL, outcome = NULL, result = NULL
     WHERE campaignId = ? AND outcome = 'inconclusive' AND result ->> '$.state' = 'cancelled'`,
  );
  const selectOfCampaign = database.prepare<{ campaignId: number; cursor: number | null; limit: number }, AnswerRow>(
    'SELECT * FROM gate_answers WHERE campaignId = @campaignId AND id > coalesce(@cursor, 0) ORDER BY id LIMIT @limit + 1',
  );
  const selectOfGate = database.prepare<{ gateId: number; cursor: number | null; limit: number }, AnswerRow>(
    `SELECT gate_answers.* FROM gate_answers JOIN campaigns ON campaigns.id = campaignId
     WHERE gateId = @gateId AND deletedAt IS NULL AND (@cursor IS NULL OR gate_answers.id < @cursor)
     ORDER BY gate_answers.id DESC LIMIT @limit + 1`,
  );
  const selectNewestOutcome = database.prepare<{ gateId: number; branch: string | null }, { outcome: GateOutcome }>(
    `SELECT outcome FROM gate_answers JOIN campaigns ON campaigns.id = campaignId
     WHERE gateId = @gateId AND outcome IS NOT NULL AND deletedAt IS NULL AND (@branch IS NULL OR branch = @branch)
     ORDER BY gate_answers.id DESC LIMIT 1`,
  );

  const selectAsked = database.prepare<[number], Pick<AnswerRow, 'gateId' | 'gate' | 'campaignId'>>(
    'SELECT gateId, gate, campaignId FROM gate_answers WHERE id = ?',
  );
  const selectAskedGates = database
    .prepare<[number], number>('SELECT gateId FROM gate_answers WHERE campaignId = ? AND gateId IS NOT NULL')
    .pluck();
  const insertOfSite = database.prepare<[number, GateOutcome, number]>(
    'INSERT OR REPLACE INTO gate_answer_sites (siteId, campaignId, answerId, outcome) SELECT ?, campaignId, id, ? FROM gate_answers WHERE id = ?',
  );
  const selectOfSite = database.prepare<[number], { gateId: number | null; name: string | null; outcome: GateOutcome; campaignId: number }>(
    `SELECT gateId, gate AS name, gate_answer_sites.outcome, gate_answer_sites.campaignId
     FROM gate_answer_sites CROSS JOIN gate_answers ON gate_answers.id = answerId JOIN campaigns ON campaigns.id = gate_answer_sites.campaignId
     WHERE siteId = ? AND gate_answers.outcome IS NOT NULL AND deletedAt IS NULL ORDER BY gate_answer_sites.campaignId DESC, answerId DESC LIMIT 20`,
  );

  return {
    /** Stores a question, once however often it is asked. May be a part of the transaction that makes its campaign. @param at ISO 8601. */
    ask({ campaignId, gate, rules, askedBy }: Question, at: string): GateAnswer {
      const question = contentHash({ gate: gate?.id ?? null, rules });
      const row = { campaignId, gateId: gate === null ? null : rowId(gate.id), gate: gate?.name ?? null, rules: JSON.stringify(rules) };
      insert.run({ ...row, question, askedAt: at, askedBy });
      return toAnswer(selectQuestion.get(campaignId, question) as AnswerRow);
    },

    find(id: string): GateAnswer | undefined {
      const row = select.get(rowId(id));
      return row && toAnswer(row);
    },

    /** What was asked of which gate, without the answer. */
    askedOf(id: string): Pick<GateAnswer, 'id' | 'gateId' | 'gate' | 'campaignId'> | undefined {
      const row = selectAsked.get(rowId(id));
      return row && { id, gate: row.gate, gateId: row.gateId === null ? null : String(row.gateId), campaignId: String(row.campaignId) };
    },

    /** @returns false where another one was first. */
    answer: (id: string, { outcome, ...result }: GateResult, at: string): boolean =>
      answer.run(at, outcome, JSON.stringify({ outcome, ...result }), rowId(id)).changes === 1,

    /** Questions to a campaign that have no answer yet. */
    waiting: (campaignId: number): { id: string; rules: GateRules }[] =>
      selectWaiting.all(campaignId).map(({ id, rules }) => ({ id: String(id), rules: JSON.parse(rules) as GateRules })),
    /** Questions that were answered since their campaign was cancelled wait again: it is resumed, and they are part of that. */
    reopen: (campaignId: number): void => void reopen.run(campaignId),
    /** Campaigns that are done or cancelled, with a question that has no answer yet. */
    answerable: (): number[] => selectAnswerable.all().map(({ campaignId }) => campaignId),

    /** In the order of the questions. */
    ofCampaign(campaignId: number, { limit, cursor }: Slice): Page<GateAnswer> {
      return pageOfAnswers(selectOfCampaign.iterate({ campaignId, cursor, limit }), limit);
    },
    /** What a gate said last. @param branch of the campaigns; null: any. */
    newestOutcome: (gateId: string, branch: string | null): GateOutcome | undefined =>
      selectNewestOutcome.get({ gateId: rowId(gateId), branch })?.outcome,
    /** Ids of the stored gates that a campaign is asked by. */
    gatesAsked: (campaignId: number): Set<string> => new Set(selectAskedGates.all(campaignId).map(String)),
    /** What an answer says of each site. */
    insertOfSites(id: string, outcomes: ReadonlyMap<number, GateOutcome>): void {
      for (const [siteId, outcome] of outcomes) insertOfSite.run(siteId, outcome, rowId(id));
    },
    /** What gates said of a site in the newest campaign that they were asked of: the worst. */
    newestOfSite(siteId: number): SiteStatus['gate'] {
      const newest = selectOfSite.all(siteId);
      const ofCampaign = newest.filter(({ campaignId }) => campaignId === newest[0]?.campaignId);
      const [worst] = ofCampaign.sort((one, other) => worstFirst.indexOf(one.outcome) - worstFirst.indexOf(other.outcome));
      return worst === undefined
        ? null
        : { ...worst, gateId: worst.gateId === null ? null : String(worst.gateId), campaignId: String(worst.campaignId) };
    },
    /** Newest first. */
    ofGate(gateId: string, { limit, cursor }: Slice): Page<GateAnswer> {
      return pageOfAnswers(selectOfGate.iterate({ gateId: rowId(gateId), cursor, limit }), limit);
    },
  };
}

export const worstFirst: readonly GateOutcome[] = ['fail', 'unmeasured', 'inconclusive', 'pass'];

/** Answers of large campaigns are megabytes each. */
const pageOfAnswers = (rows: Iterable<AnswerRow>, limit: number): Page<GateAnswer> =>
  pageWithin(
    rows,
    limit,
    ({ result }) => result?.length ?? 0,
    toAnswer,
    (row) => row.id,
  );

const toAnswer = ({ id, campaignId, gateId, gate, askedAt, askedBy, checkedAt, outcome, result }: AnswerRow): GateAnswer => ({
  id: String(id),
  campaignId: String(campaignId),
  gateId: gateId === null ? null : String(gateId),
  ...{ gate, askedAt, askedBy, checkedAt, outcome },
  result: result === null ? null : (JSON.parse(result) as GateResult),
});
