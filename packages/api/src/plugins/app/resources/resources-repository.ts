import type { Resource } from '@pronghorn/core';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';

declare module 'fastify' {
  interface FastifyInstance {
    resources: ResourcesRepository;
  }
}

/** How each field is stored: texts as ids of strings, times as whole microseconds. */
const storedAs = {
  seq: 'number',
  url: 'text',
  host: 'text',
  method: 'text',
  type: 'text',
  initiatorType: 'text',
  initiatorUrl: 'text',
  linked: 'flag',
  protocol: 'text',
  connectionId: 'number',
  connectionReused: 'flag',
  remoteAddress: 'text',
  alternateProtocolUsage: 'text',
  startMs: 'time',
  queueingMs: 'time',
  dnsMs: 'time',
  connectMs: 'time',
  tlsMs: 'time',
  sendMs: 'time',
  waitMs: 'time',
  receiveMs: 'time',
  endMs: 'time',
  transferBytes: 'number',
  bodyBytes: 'number',
  status: 'number',
  mimeType: 'text',
  priority: 'text',
  cache: 'text',
  server: 'text',
  altSvc: 'text',
  failure: 'text',
} as const satisfies Record<keyof Resource, 'number' | 'text' | 'time' | 'flag'>;

const fields = Object.entries(storedAs).map(([field, kind]) => ({
  field: field as keyof Resource,
  kind,
  column: kind === 'time' ? field.replace(/Ms$/, 'Us') : field,
}));

/** Owns the tables resources and strings. */
export type ResourcesRepository = ReturnType<typeof createResourcesRepository>;

export function createResourcesRepository(database: Database) {
  const columns = fields.map(({ column }) => column);
  const insert = database.prepare(
    `INSERT INTO resources (visitSeq, ${columns}) VALUES (${['visitSeq', ...columns].map((column) => `@${column}`)})`,
  );
  const findString = database.prepare<[string], { id: number }>('SELECT id FROM strings WHERE value = ?');
  const insertString = database.prepare<[string]>('INSERT INTO strings (value) VALUES (?)');
  const selected = fields.map(({ column, kind }) =>
    kind === 'text' ? `(SELECT value FROM strings WHERE id = resources.${column}) AS ${column}` : column,
  );
  const select = database.prepare<[number], Record<string, string | number | null>>(
    `SELECT ${selected} FROM resources WHERE visitSeq = ? ORDER BY seq`,
  );

  const storedString = (value: string): number => findString.get(value)?.id ?? Number(insertString.run(value).lastInsertRowid);

  return {
    /** @param visitSeq of the visit that they belong to. */
    insertAll(visitSeq: number, resources: readonly Resource[]): void {
      const ids = new Map<string, number>(); // most texts stand in every resource of a visit
      const idOf = (value: string | null): number | null => {
        if (value === null) return null;
        const id = ids.get(value) ?? storedString(value);
        ids.set(value, id);
        return id;
      };
      for (const resource of resources) {
        const row: Record<string, number | null> = { visitSeq };
        for (const { field, kind, column } of fields) {
          const value = resource[field];
          row[column] = kind === 'text' ? idOf(value as string | null) : toNumber(value as number | boolean | null, kind);
        }
        insert.run(row);
      }
    },

    /** Of one visit, in the order of requests. */
    of(visitSeq: number): Resource[] {
      return select.all(visitSeq).map((row) => {
        const entries = fields.map(({ field, kind, column }) => [field, fromColumn(row[column] ?? null, kind)]);
        return Object.fromEntries(entries) as Resource;
      });
    },
  };
}

function toNumber(value: number | boolean | null, kind: 'number' | 'time' | 'flag'): number | null {
  if (value === null) return null;
  return kind === 'time' ? Math.round(Number(value) * 1000) : Number(value);
}

function fromColumn(value: string | number | null, kind: 'number' | 'text' | 'time' | 'flag'): string | number | boolean | null {
  if (value === null || kind === 'text' || kind === 'number') return value;
  return kind === 'time' ? Number(value) / 1000 : value === 1;
}

export default fp(
  async (app) => {
    app.decorate('resources', createResourcesRepository(app.database));
  },
  { name: 'resources-repository', dependencies: ['sqlite'] },
);
