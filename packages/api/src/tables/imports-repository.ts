import { adoptionTable } from '@pronghorn/core/adoption';
import type { Adoption, AdoptionUnit, HarImport, HostAnswer, Page } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

type ImportRow = Omit<HarImport, 'id' | 'months' | 'leftOut'> & { id: number; months: string; leftOut: string };
type AnswerRow = Omit<HostAnswer, 'versions'> & { versions: string };

/** Which answers make an adoption table; null: any. */
export type AnswerFilter = { importId: number | null; from: string | null; to: string | null };

/** What is known of an import from its start on. */
export type NewImport = Pick<HarImport, 'createdAt' | 'createdBy' | 'name' | 'creator' | 'pages' | 'requests'>;

/** Owns the tables imports and import_hosts. */
export function createImportsRepository(database: Database) {
  const readable =
    'SELECT id, createdAt, createdBy, name, creator, pages, requests, hosts, months, leftOut FROM imports WHERE hosts IS NOT NULL';
  const select = database.prepare<[number], ImportRow>(`${readable} AND id = ?`);
  const selectByHash = database.prepare<[string], { id: number }>('SELECT id FROM imports WHERE contentHash = ?');
  const selectPage = database.prepare<{ cursor: number | null; limit: number }, ImportRow>(
    `${readable} AND (@cursor IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit + 1`,
  );
  const insert = database.prepare<NewImport & { contentHash: string }>(
    `INSERT INTO imports (createdAt, createdBy, name, contentHash, creator, pages, requests)
     VALUES (@createdAt, @createdBy, @name, @contentHash, @creator, @pages, @requests)`,
  );
  const insertAnswer = database.prepare(
    `INSERT INTO import_hosts (importId, month, host, server, versions, provider, documents, responses)
     VALUES (@importId, @month, @host, @server, @versions, @provider, @documents, @responses)`,
  );
  const finish = database.prepare<[string, number, string, string, number]>(
    'UPDATE imports SET contentHash = ?, hosts = ?, months = ?, leftOut = ? WHERE id = ?',
  );
  // Its hash is free for the same HAR at once.
  const hide = database.prepare<[string, number]>('UPDATE imports SET hosts = NULL, contentHash = ? WHERE id = ? AND hosts IS NOT NULL');
  const selectAbandoned = database.prepare<[string], { id: number }>('SELECT id FROM imports WHERE hosts IS NULL AND createdAt < ?');
  const removeSome = database.prepare<[number, number]>(
    `DELETE FROM import_hosts WHERE (importId, month, host, server, versions) IN
       (SELECT importId, month, host, server, versions FROM import_hosts WHERE importId = ? LIMIT ?)`,
  );
  const remove = database.prepare<[number]>('DELETE FROM imports WHERE id = ?');

  return {
    /** The import that a HAR was counted as. */
    findByHash: (contentHash: string): number | undefined => selectByHash.get(contentHash)?.id,
    /** One that does not count yet. @param contentHash of no HAR. */
    insert: (row: NewImport, contentHash: string): number => Number(insert.run({ ...row, contentHash }).lastInsertRowid),
    insertAnswers(importId: number, answers: readonly HostAnswer[]): void {
      for (const answer of answers) insertAnswer.run({ ...answer, importId, versions: JSON.stringify(answer.versions) });
    },
    /** From now on it counts. */
    finish: (id: number, contentHash: string, { hosts, months, leftOut }: Pick<HarImport, 'hosts' | 'months' | 'leftOut'>): void =>
      void finish.run(contentHash, hosts, JSON.stringify(months), JSON.stringify(leftOut), id),
    /** From now on it counts no longer. @param contentHash of no HAR. @returns whether it was there. */
    hide: (id: number, contentHash: string): boolean => hide.run(contentHash, id).changes === 1,
    /** @returns how many of its rows were removed: fewer than `atMost` when none is left. */
    deleteAnswers: (id: number, atMost: number): number => removeSome.run(id, atMost).changes,
    delete: (id: number): void => void remove.run(id),
    /** Those that do not count, from before a time (ISO 8601). */
    unfinishedBefore: (time: string): number[] => selectAbandoned.all(time).map(({ id }) => id),

    find(id: number): HarImport | undefined {
      const row = select.get(id);
      return row && toImport(row);
    },

    /** The newest first. */
    page: ({ limit, cursor }: Slice): Page<HarImport> => pageOf(selectPage.all({ limit, cursor }), limit, toImport, (row) => row.id),
  };
}

/** What imports counted, as the adoption table of it. */
export function createAdoptionReads(database: Database) {
  const selectAnswers = database.prepare<AnswerFilter, AnswerRow>(
    `SELECT month, host, server, versions, provider, documents, responses FROM import_hosts
     WHERE importId IN (SELECT id FROM imports WHERE hosts IS NOT NULL AND (@importId IS NULL OR id = @importId))
       AND (@from IS NULL OR month >= @from) AND (@to IS NULL OR month <= @to)
     ORDER BY month, host`,
  );
  return {
    /** @param each is asked at each answer: it may end it by an error. */
    adoption: (filter: AnswerFilter, unit: AdoptionUnit, each: <T>(things: Iterable<T>) => Iterable<T> = (things) => things): Adoption =>
      adoptionTable(answers(each(selectAnswers.iterate(filter))), unit),
  };
}

function* answers(rows: Iterable<AnswerRow>): Generator<HostAnswer> {
  for (const row of rows) yield { ...row, versions: JSON.parse(row.versions) };
}

const toImport = ({ id, months, leftOut, ...row }: ImportRow): HarImport => ({
  id: String(id),
  ...row,
  months: JSON.parse(months) as string[],
  leftOut: JSON.parse(leftOut) as HarImport['leftOut'],
});
