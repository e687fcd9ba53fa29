import type { Gate, GateRequest, Page } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';
import { pageWithin, type Slice } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

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
