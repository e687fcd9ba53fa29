import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import campaignChanges from './plugins/app/campaigns/campaign-changes.ts';
import campaigns from './plugins/app/campaigns/campaigns-repository.ts';
import conditions from './plugins/app/conditions/conditions-repository.ts';
import discoveries from './plugins/app/discoveries/discoveries-repository.ts';
import environments from './plugins/app/environments/environments-repository.ts';
import evidence from './plugins/app/evidence/evidence-store.ts';
import leases from './plugins/app/leases/leases-repository.ts';
import linkChecks from './plugins/app/link-checks/link-checks-repository.ts';
import problemDetails, { sendProblem, toProblemError } from './plugins/app/problem-details.ts';
import queue from './plugins/app/queue/sqlite-queue.ts';
import resources from './plugins/app/resources/resources-repository.ts';
import rounds from './plugins/app/rounds/rounds-repository.ts';
import sameHost from './plugins/app/same-host.ts';
import visits from './plugins/app/visits/visits-repository.ts';
import sqlite from './plugins/external/sqlite.ts';
import files from './plugins/external/static.ts';
import typebox from './plugins/external/typebox.ts';
import routes from './routes/api/index.ts';

export type ApiOptions = {
  /** File of the SQLite database, or ':memory:'. */
  database: string;
  /** Folder for the evidence of visits. */
  evidenceDirectory: string;
  /** Folder of the dashboard's files; served at /. */
  webRoot?: string;
  /** Whether to log to standard output; default false. */
  logger?: boolean;
  /** Names by which clients may ask, besides localhost and addresses. */
  allowedHosts?: readonly string[];
  /** How long a lease lasts without a heartbeat, milliseconds; default one minute. */
  leaseMs?: number;
  /** Whole milliseconds since 1970; default the machine's clock. */
  now?: () => number;
  /** How replies become text; default plain JSON. */
  serializerCompiler?: FastifySerializerCompiler<TSchema>;
};

export type Api = Awaited<ReturnType<typeof buildApi>>;

/**
 * The service, ready for `inject` or `listen`; `close` ends it and closes its database.
 * @throws Error that names the database, the evidence folder or the web folder when one of them can't be used.
 */
export async function buildApi(options: ApiOptions) {
  const {
    database,
    evidenceDirectory,
    webRoot,
    logger = false,
    allowedHosts = [],
    leaseMs = 60_000,
    now = Date.now,
    serializerCompiler,
  } = options;
  const app = fastify({
    logger,
    // Errors before routing, such as a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => void sendProblem(toProblemError(error, request), error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>();
  try {
    await app.register(typebox, serializerCompiler ? { serializerCompiler } : {});
    await app.register(problemDetails);
    await app.register(sameHost, { allowedHosts });
    await app.register(sqlite, { file: database });
    await app.register(evidence, { directory: evidenceDirectory });
    for (const plugin of [campaignChanges, conditions, campaigns, rounds, leases, visits, resources, environments, discoveries, linkChecks])
      await app.register(plugin);
    await app.register(queue, { now, leaseMs });
    if (webRoot !== undefined) await app.register(files, { webRoot });
    await app.register(routes, { prefix: '/api/v1' });
    await app.ready();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
