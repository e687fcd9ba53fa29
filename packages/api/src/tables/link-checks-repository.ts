import type { ResultLinkCheck } from '@pronghorn/core/campaign';
import type { LinkCheck, Page, RoundLinkCheck } from '@pronghorn/core/schemas';
import { canonicalJson } from '../storage/canonical-json.ts';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

type Row = { seq: number; campaignId: number; roundId: number; attempt: number; document: string };

/** Owns the table link_checks: what links were measured to do, each check with the round that it was made for. */
export type LinkChecksRepository = ReturnType<typeof createLinkChecksRepository>;

export function createLinkChecksRepository(database: Database) {
  const insert = database.prepare(
    `INSERT INTO link_checks (id, campaignId, roundId, attempt, condition, checkedAt, document)
     VALUES (@id, @campaignId, @roundId, @attempt, @condition, @checkedAt, @document)`,
  );
  const select = database.prepare<[string], Row>('SELECT * FROM link_checks WHERE id = ?');
  const selectAll = database.prepare<[number], Pick<Row, 'document'> & { counted: 0 | 1 }>(
    `SELECT document, EXISTS (
       SELECT 1 FROM visits WHERE visits.roundId = link_checks.roundId AND visits.attempt = link_checks.attempt AND counted = 1) AS counted
     FROM link_checks WHERE campaignId = ? ORDER BY seq`,
  );
  const pageWhere = (which: string) =>
    database.prepare<{ campaignId: number; roundId: number | null; cursor: number | null; limit: number }, Row>(
      `SELECT * FROM link_checks WHERE ${which} AND seq > coalesce(@cursor, 0) ORDER BY seq LIMIT @limit + 1`,
    );
  const selectPage = pageWhere('campaignId = @campaignId');
  const selectPageOfRound = pageWhere('roundId = @roundId AND +campaignId = @campaignId');
  const deleteSome = database.prepare<[number, number]>(
    'DELETE FROM link_checks WHERE seq IN (SELECT seq FROM link_checks WHERE campaignId = ? LIMIT ?)',
  );

  return {
    insert(check: LinkCheck, campaignId: number, round: { id: number; attempt: number }): void {
      const { id, condition, checkedAt } = check;
      insert.run({ id, campaignId, roundId: round.id, attempt: round.attempt, condition, checkedAt, document: canonicalJson(check) });
    },

    find(id: string): RoundLinkCheck | undefined {
      const row = select.get(id);
      return row && toLinkCheck(row);
    },

    /** Whether this very check is stored, another one under its id, or none. */
    compare(check: LinkCheck): 'same' | 'different' | 'none' {
      const row = select.get(check.id);
      if (!row) return 'none';
      return row.document === canonicalJson(check) ? 'same' : 'different';
    },

    /** Of a campaign, so many. @returns how many there were. */
    deleteSome: (campaignId: number, atMost: number): number => deleteSome.run(campaignId, atMost).changes,

    /** In the order of their arrival. @param roundId null: of all rounds. */
    page(campaignId: number, roundId: number | null, { limit, cursor }: Slice): Page<RoundLinkCheck> {
      const select = roundId === null ? selectPage : selectPageOfRound;
      return pageOf(select.all({ campaignId, roundId, cursor, limit }), limit, toLinkCheck, (row) => row.seq);
    },

    /** What results are made of. */
    *ofResults(campaignId: number): Generator<ResultLinkCheck> {
      for (const { document, counted } of selectAll.iterate(campaignId)) {
        yield { ...(JSON.parse(document) as LinkCheck), counted: counted === 1 };
      }
    },
  };
}

const toLinkCheck = ({ campaignId, roundId, attempt, document }: Row): RoundLinkCheck => ({
  ...(JSON.parse(document) as LinkCheck),
  campaignId: String(campaignId),
  roundId: String(roundId),
  attempt,
});
