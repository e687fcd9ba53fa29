import { type Adoption, type AdoptionUnit, adoptionTable, type HarImport, type HostAnswer, type Page } from '@pronghorn/core';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';
import type { ReadHar } from './read-har.ts';

declare module 'fastify' {
  interface FastifyInstance {
    imports: ImportsRepository;
  }
}

type ImportRow = Omit<HarImport, 'id' | 'months'> & { id: number; months: string };
type AnswerRow = Omit<HostAnswer, 'versions'> & { versions: string };

/** Which answers make an adoption table; null: any. */
export type AnswerFilter = { importId: number | null; from: string | null; to: string | null };

/** Owns the tables imports and import_hosts. */
export type ImportsRepository = ReturnType<typeof createImportsRepository>;

export function createImportsRepository(database: Database, now: () => number) {
  const readable = `SELECT imports.id, createdAt, createdBy, name, creator, pages, requests,
      (SELECT count(DISTINCT host) FROM import_hosts WHERE importId = imports.id) AS hosts,
      (SELECT json_group_array(DISTINCT month) FROM import_hosts WHERE importId = imports.id) AS months
    FROM imports`;
  const select = database.prepare<[number], ImportRow>(`${readable} WHERE id = ?`);
  const selectByHash = database.prepare<[string], { id: number }>('SELECT id FROM imports WHERE contentHash = ?');
  const selectPage = database.prepare<{ cursor: number | null; limit: number }, ImportRow>(
    `${readable} WHERE @cursor IS NULL OR id < @cursor ORDER BY id DESC LIMIT @limit + 1`,
  );
  const insert = database.prepare(
    `INSERT INTO imports (createdAt, createdBy, name, contentHash, creator, pages, requests)
     VALUES (@createdAt, @createdBy, @name, @contentHash, @creator, @pages, @requests)`,
  );
  const insertAnswer = database.prepare(
    `INSERT INTO import_hosts (importId, month, host, server, versions, provider, documents, responses)
     VALUES (@importId, @month, @host, @server, @versions, @provider, @documents, @responses)`,
  );
  const remove = database.prepare<[number]>('DELETE FROM imports WHERE id = ?');
  const selectAnswers = database.prepare<AnswerFilter, AnswerRow>(
    `SELECT month, host, server, versions, provider, documents, responses FROM import_hosts
     WHERE (@importId IS NULL OR importId = @importId) AND (@from IS NULL OR month >= @from) AND (@to IS NULL OR month <= @to)
     ORDER BY month, host`,
  );

  return {
    /** Part of a transaction. @returns 'same' when the same HAR was counted before. */
    add(read: ReadHar, name: string | null, createdBy: string | null): { id: number; stored: 'new' | 'same' } {
      const { tally, contentHash } = read;
      const before = selectByHash.get(contentHash);
      if (before) return { id: before.id, stored: 'same' };
      const createdAt = new Date(now()).toISOString();
      const { creator, pages, requests } = tally;
      const id = Number(insert.run({ createdAt, createdBy, name, contentHash, creator, pages, requests }).lastInsertRowid);
      for (const answer of tally.answers()) insertAnswer.run({ ...answer, importId: id, versions: JSON.stringify(answer.versions) });
      return { id, stored: 'new' };
    },

    find(id: number): HarImport | undefined {
      const row = select.get(id);
      return row && toImport(row);
    },

    /** The newest first. */
    page: ({ limit, cursor }: Slice): Page<HarImport> => pageOf(selectPage.all({ limit, cursor }), limit, toImport, (row) => row.id),

    /** @returns whether it was there. */
    delete: (id: number): boolean => remove.run(id).changes > 0,

    adoption: (filter: AnswerFilter, unit: AdoptionUnit): Adoption => adoptionTable(answers(selectAnswers.iterate(filter)), unit),
  };
}

function* answers(rows: Iterable<AnswerRow>): Generator<HostAnswer> {
  for (const row of rows) yield { ...row, versions: JSON.parse(row.versions) };
}

const toImport = ({ id, months, ...row }: ImportRow): HarImport => ({
  id: String(id),
  ...row,
  months: (JSON.parse(months) as string[]).sort(),
});

export default fp<{ now: () => number }>(
  async (app, { now }) => {
    app.decorate('imports', createImportsRepository(app.database, now));
  },
  { name: 'imports-repository', dependencies: ['sqlite'] },
);
