import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { adoptionTable } from '@pronghorn/core/adoption';
import type { Adoption, AdoptionUnit, HarImport, HostAnswer, Page } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';
import type { Write } from '../../../storage/write.ts';
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

/** Rows in one transaction: a few milliseconds, after which everybody else comes first. */
const rowsAtOnce = 500;
/** Longer than any import takes to be stored: what is not whole by then was left by a process that died. */
const abandonedMs = 3_600_000;

/** Owns the tables imports and import_hosts. */
export type ImportsRepository = ReturnType<typeof createImportsRepository>;

export function createImportsRepository(database: Database, write: Write, now: () => number) {
  const readable = 'SELECT id, createdAt, createdBy, name, creator, pages, requests, hosts, months FROM imports WHERE hosts IS NOT NULL';
  const select = database.prepare<[number], ImportRow>(`${readable} AND id = ?`);
  const selectByHash = database.prepare<[string], { id: number }>('SELECT id FROM imports WHERE contentHash = ?');
  const selectPage = database.prepare<{ cursor: number | null; limit: number }, ImportRow>(
    `${readable} AND (@cursor IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit + 1`,
  );
  const insert = database.prepare(
    `INSERT INTO imports (createdAt, createdBy, name, contentHash, creator, pages, requests)
     VALUES (@createdAt, @createdBy, @name, @contentHash, @creator, @pages, @requests)`,
  );
  const insertAnswer = database.prepare(
    `INSERT INTO import_hosts (importId, month, host, server, versions, provider, documents, responses)
     VALUES (@importId, @month, @host, @server, @versions, @provider, @documents, @responses)`,
  );
  function insertSome(importId: number, answers: readonly HostAnswer[]): void {
    for (const answer of answers) insertAnswer.run({ ...answer, importId, versions: JSON.stringify(answer.versions) });
  }
  const finish = database.prepare<[string, number, string, number]>(
    'UPDATE imports SET contentHash = ?, hosts = ?, months = ? WHERE id = ?',
  );
  // Its hash is free for the same HAR at once.
  const hide = database.prepare<[string, number]>('UPDATE imports SET hosts = NULL, contentHash = ? WHERE id = ? AND hosts IS NOT NULL');
  const selectAbandoned = database.prepare<[string], { id: number }>('SELECT id FROM imports WHERE hosts IS NULL AND createdAt < ?');
  const removeSome = database.prepare<[number, number]>(
    `DELETE FROM import_hosts WHERE (importId, month, host, server, versions) IN
       (SELECT importId, month, host, server, versions FROM import_hosts WHERE importId = ? LIMIT ?)`,
  );
  const remove = database.prepare<[number]>('DELETE FROM imports WHERE id = ?');

  async function removeRows(id: number): Promise<void> {
    while ((await write(() => removeSome.run(id, rowsAtOnce).changes)) === rowsAtOnce) await setImmediate();
    await write(() => remove.run(id));
  }

  return {
    /**
     * Stores it in steps; it counts from the last on.
     * @param along what is stored with the last step, wholly or not at all.
     * @returns 'same' when the same HAR was counted before.
     */
    async add(
      { tally, contentHash }: ReadHar,
      name: string | null,
      createdBy: string | null,
      along: (id: number) => void = () => {},
    ): Promise<{ id: number; stored: 'new' | 'same' }> {
      const before = selectByHash.get(contentHash);
      if (before) return { id: before.id, stored: 'same' };
      const { creator, pages, requests } = tally;
      const row = { createdAt: new Date(now()).toISOString(), createdBy, name, contentHash: randomUUID(), creator, pages, requests };
      const id = await write(() => Number(insert.run(row).lastInsertRowid));
      try {
        const [hosts, months] = [new Set<string>(), new Set<string>()];
        let some: HostAnswer[] = [];
        for (const answer of tally.answers()) {
          hosts.add(answer.host);
          months.add(answer.month);
          if (some.push(answer) < rowsAtOnce) continue;
          const rows = some;
          some = [];
          await write(() => insertSome(id, rows));
          await setImmediate();
        }
        await write(() => insertSome(id, some));
        const same = await write(() => {
          const other = selectByHash.get(contentHash); // somebody sent it at the same time
          if (other !== undefined) return other;
          finish.run(contentHash, hosts.size, JSON.stringify([...months].sort()), id);
          along(id);
          return undefined;
        });
        if (same === undefined) return { id, stored: 'new' };
        await removeRows(id);
        return { id: same.id, stored: 'same' };
      } catch (error) {
        await removeRows(id).catch(() => {}); // or the next start does it
        throw error;
      }
    },

    find(id: number): HarImport | undefined {
      const row = select.get(id);
      return row && toImport(row);
    },

    /** The newest first. */
    page: ({ limit, cursor }: Slice): Page<HarImport> => pageOf(selectPage.all({ limit, cursor }), limit, toImport, (row) => row.id),

    /** It counts no longer at once; its rows go in steps. @param along what is stored with it, wholly or not at all. @returns whether it was there. */
    async delete(id: number, along: () => void = () => {}): Promise<boolean> {
      const wasThere = await write(() => {
        if (hide.run(randomUUID(), id).changes === 0) return false;
        along();
        return true;
      });
      if (wasThere) await removeRows(id);
      return wasThere;
    },

    /** What processes that died left half-stored, or half-forgotten. */
    async removeAbandoned(): Promise<void> {
      for (const { id } of selectAbandoned.all(new Date(now() - abandonedMs).toISOString())) await removeRows(id);
    },
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

const toImport = ({ id, months, ...row }: ImportRow): HarImport => ({ id: String(id), ...row, months: JSON.parse(months) as string[] });

export default fp(async (app) => {
  const imports = createImportsRepository(app.database, app.write, app.now);
  app.decorate('imports', imports);
  app.addHook('onReady', async () => {
    // Beside the start of the service, which it need not wait for.
    imports
      .removeAbandoned()
      .catch((error) => app.database.open && app.log.error({ err: error }, 'an import that was left half-stored could not be removed'));
  });
});
