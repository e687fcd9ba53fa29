// What is answered while the database is brought to a new schema, which may take minutes: that the process lives, and how far it is.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import fastify from 'fastify';
import unusedConnections from './plugins/app/unused-connections.ts';
import { type LogOptions, loggingOf } from './shared/logging.ts';
import { ProblemError } from './shared/problems.ts';
import { type MigrationProgress, readMigrations } from './storage/migrate.ts';

type Address = { host: string; port: number };

/**
 * Brings a database that is there to the newest schema, in a thread, and answers at the service's addresses meanwhile: /healthz 200, /readyz
 * 503 with how far it is, all else 503. A database that is new, or has the schema, takes no time and is left to whoever opens it.
 *
 * @param addresses port 0: any that is free.
 * @returns the addresses, with the ports that were free.
 * @throws Error as `openDatabase`, and when nobody can listen there.
 */
export async function migrateBeside(
  file: string,
  addresses: Address[],
  {
    logger = false,
    listen,
    migrations,
  }: {
    migrations?: string | undefined;
    logger?: boolean | LogOptions;
    listen: (server: ReturnType<typeof answering>, at: Address) => Promise<string>;
  },
): Promise<Address[]> {
  if (!needsMigration(file, migrations)) return addresses;
  let progress: MigrationProgress | undefined;
  const began = performance.now();
  const words = () => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    const step = progress === undefined ? 'waits for the database' : `step ${progress.step} of ${progress.steps}, ${progress.name}`;
    return `The database is being brought to this version's schema: ${step}; ${seconds} s so far.`;
  };
  const servers = addresses.map(() => answering(words));
  const { log } = fastify(loggingOf(logger));
  try {
    const found: Address[] = [];
    for (const [place, server] of servers.entries()) {
      const address = addresses[place] as Address;
      await listen(server, address);
      found.push({ ...address, port: (server.server.address() as AddressInfo).port });
    }
    log.info({ event: 'migrating', file }, words());
    const worker = new Worker(new URL('storage/migrate-worker.ts', import.meta.url), { workerData: { file, migrations } });
    worker.on('message', (message: MigrationProgress) => {
      progress = message;
      log.info({ event: 'migrating', ...message }, words());
    });
    await once(worker, 'exit'); // an error in the thread is thrown here
    log.info({ event: 'migrated', seconds: Math.round((performance.now() - began) / 1_000) }, 'The database has the new schema.');
    return found;
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

function answering(words: () => string) {
  const server = fastify({ logger: false, forceCloseConnections: true });
  server.register(unusedConnections);
  server.get('/healthz', async () => ({ status: 'migrating' }));
  server.get('/readyz', async (_request, reply) =>
    reply
      .code(503)
      .header('cache-control', 'no-store')
      .send({ status: 'not-ready', checks: [{ name: 'schema', ok: false, detail: words() }] }),
  );
  server.setNotFoundHandler(async (_request, reply) => {
    const problem = new ProblemError('storage-busy', `${words()} Nothing was stored; send it again later.`).toProblem();
    return reply.code(problem.status).header('retry-after', '5').type('application/problem+json').serializer(JSON.stringify).send(problem);
  });
  return server;
}

/** Whatever else is wrong with the file is told by whoever opens it. */
function needsMigration(file: string, migrations?: string): boolean {
  if (file === ':memory:' || !existsSync(file)) return false;
  try {
    const database = new Sqlite(file, { readonly: true });
    try {
      const version = database.pragma('user_version', { simple: true }) as number;
      return version > 0 && version < (readMigrations(migrations).at(-1)?.version ?? 0);
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}
