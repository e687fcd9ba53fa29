import cookie from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { OfferedSite } from '@pronghorn/core/schemas';
import fastify, { type FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import access from './plugins/app/access/access.ts';
import type { AccessOptions } from './plugins/app/access/access-options.ts';
import admission from './plugins/app/access/admission.ts';
import oidc from './plugins/app/access/oidc.ts';
import rateLimits from './plugins/app/access/rate-limits.ts';
import tokenUses from './plugins/app/access/token-uses.ts';
import badges from './plugins/app/badges/badges.ts';
import type { CallsOptions } from './plugins/app/calls/calls.ts';
import campaignChanges from './plugins/app/campaigns/campaign-changes.ts';
import campaignDeletion from './plugins/app/campaigns/campaign-deletion.ts';
import clock from './plugins/app/clock/clock.ts';
import destinations from './plugins/app/destinations/destinations.ts';
import evidencePolicy from './plugins/app/evidence/evidence-policy.ts';
import evidence, { type EvidenceOptions } from './plugins/app/evidence/evidence-store.ts';
import gates from './plugins/app/gates/gates.ts';
import idempotency from './plugins/app/idempotency.ts';
import imports from './plugins/app/imports/imports.ts';
import metrics, { type MetricsOptions } from './plugins/app/metrics/metrics.ts';
import notifications, { type NotificationsOptions } from './plugins/app/notifications/notifications.ts';
import preview from './plugins/app/preview/preview.ts';
import problemDetails, { answerUnreadable, sendProblem, toProblemError } from './plugins/app/problems/problem-details.ts';
import queue, { type QueueOptions } from './plugins/app/queue/queue.ts';
import readiness, { type ReadinessOptions } from './plugins/app/readiness/readiness.ts';
import requestLog from './plugins/app/request-log.ts';
import results, { type ResultsOptions } from './plugins/app/results/results.ts';
import retention from './plugins/app/retention/retention.ts';
import type { RetentionPolicy } from './plugins/app/retention/retention-commands.ts';
import revalidation from './plugins/app/revalidation.ts';
import type { RunnersOptions } from './plugins/app/runners/runner-commands.ts';
import sameHost from './plugins/app/same-host.ts';
import scheduler, { type SchedulesOptions } from './plugins/app/schedules/schedules.ts';
import unusedConnections from './plugins/app/unused-connections.ts';
import apiPage from './plugins/external/api-page.ts';
import checkpoints from './plugins/external/checkpoints.ts';
import compress from './plugins/external/compress.ts';
import helmet from './plugins/external/helmet.ts';
import openapi from './plugins/external/openapi.ts';
import sqlite from './plugins/external/sqlite.ts';
import files from './plugins/external/static.ts';
import typebox from './plugins/external/typebox.ts';
import routes from './routes/api/index.ts';
import operation, { type OperationRoutes } from './routes/operation/index.ts';
import { type LogOptions, loggingOf } from './shared/logging.ts';
import store from './store/plugin.ts';
import { settingsOf } from './store/settings.ts';

export type ApiOptions = {
  /** File of the SQLite database, or ':memory:'. */
  database: string;
  /** How long a change waits while another process holds the database, milliseconds; default 25,000. */
  lockWaitMs?: number;
  /**
   * Whether changes and long reads run in threads of their own, for a service of many; default not: threads take half a second to start. A database
   * in memory is seen by none.
   */
  threads?: boolean;
  /** Folder for the evidence of visits. */
  evidenceDirectory: string;
  /** Folder of the dashboard's files; served at /. */
  webRoot?: string;
  /** What to log to standard output, and how; default nothing, true: JSON from `info` on. */
  logger?: boolean | LogOptions;
  /** Who may read /metrics, and whether it tells of the process too; default: viewers, and not. */
  metrics?: Partial<MetricsOptions> & { access?: OperationRoutes['metricsAccess'] };
  /** How much evidence may take; default as much as the disk has. */
  evidence?: Partial<EvidenceOptions>;
  /** What is removed once a day; default nothing. */
  retention?: RetentionPolicy;
  /** Who moves the write-ahead log into the database; default the service. */
  checkpoints?: 'service' | 'elsewhere';
  /** When the service counts as ready; default: with 500 MB free. */
  readiness?: Partial<ReadinessOptions>;
  /** Who may do what; default open: whoever reaches the service is admin. */
  access?: AccessOptions;
  /** Whose servers campaigns of REST calls may load, and how much; default: nobody’s where access is by tokens. */
  calls?: CallsOptions;
  /** Pages of an origin beside the service, for those who have none to measure yet; default none. */
  offeredSites?: readonly OfferedSite[];
  /** Names by which clients may ask, besides localhost and addresses. */
  allowedHosts?: readonly string[];
  /** How long a lease lasts without a heartbeat, milliseconds; default one minute. */
  leaseMs?: number;
  /** Of the queue; see `defaultQueueOptions`. */
  queue?: Partial<QueueOptions>;
  /** Of registered runners; see `defaultRunnersOptions`. */
  runners?: Partial<RunnersOptions>;
  /** Whether results are computed ahead, and by how many threads. */
  results?: ResultsOptions;
  /** Whether this process starts the campaigns of schedules; default not. */
  schedules?: Partial<SchedulesOptions>;
  /** Whether this process delivers notifications; default not. */
  notifications?: Partial<NotificationsOptions>;
  /** Whole milliseconds since 1970; default the machine's clock. */
  now?: () => number;
  /** Folder of the database's migrations; default: those of this version. */
  migrations?: string;
  /** How replies become text; default plain JSON. */
  serializerCompiler?: FastifySerializerCompiler<TSchema>;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Whole milliseconds since 1970. */
    now(): number;
    accessOptions: AccessOptions;
  }
}

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
    now = Date.now,
    access: accessOptions = { kind: 'open' },
    serializerCompiler,
  } = options;
  const app = fastify({
    ...loggingOf(logger),
    pluginTimeout: 120_000, // of ten seconds a busy machine takes more to start the threads of the store
    requestTimeout: 300_000, // Node's own, which Fastify turns off: nobody keeps a connection busy by sending a byte now and then
    trustProxy: accessOptions.kind === 'tokens' && [...(accessOptions.trustedProxies ?? [])],
    clientErrorHandler: answerUnreadable,
    // Errors before routing, such as a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => void sendProblem(toProblemError(error, request), error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.decorate('now', now);
  app.decorate('accessOptions', { getter: () => accessOptions });
  try {
    await app.register(unusedConnections);
    await app.register(typebox, serializerCompiler ? { serializerCompiler } : {});
    await app.register(requestLog);
    await app.register(problemDetails);
    await app.register(compress);
    await app.register(revalidation);
    await app.register(openapi);
    await app.register(helmet);
    await app.register(cookie);
    await app.register(sameHost, { allowedHosts });
    await app.register(sqlite, {
      ...{ file: database, migrations: options.migrations },
      ...(options.lockWaitMs !== undefined && { lockWaitMs: options.lockWaitMs }),
    });
    await app.register(checkpoints, { file: database, by: options.checkpoints ?? 'service' });
    await app.register(store, {
      settings: settingsOf(options),
      lockWaitMs: options.lockWaitMs,
      checkpoints: options.checkpoints ?? 'service',
      threads: options.threads === true && database !== ':memory:',
    });
    for (const plugin of [campaignChanges, clock, tokenUses, rateLimits, oidc, access]) await app.register(plugin);
    for (const plugin of [idempotency, destinations, imports]) await app.register(plugin);
    await app.register(evidence, { budgetBytes: null, ...options.evidence, directory: evidenceDirectory });
    await app.register(admission);
    await app.register(notifications, options.notifications ?? {});
    await app.register(results, { database, now, results: options.results ?? {} });
    await app.register(queue);
    await app.register(preview);
    await app.register(scheduler, options.schedules ?? {});
    await app.register(evidencePolicy);
    await app.register(retention, { policy: options.retention ?? null });
    for (const plugin of [campaignDeletion, gates, badges]) await app.register(plugin);
    if (webRoot !== undefined) await app.register(files, { webRoot });
    await app.register(metrics, { process: options.metrics?.process ?? false, evidenceDirectory });
    await app.register(readiness, { minFreeBytes: 500e6, ...options.readiness, evidenceDirectory });
    await app.register(operation, { metricsAccess: options.metrics?.access ?? 'viewer' });
    await app.register(routes, { prefix: '/api/v1', offeredSites: options.offeredSites ?? [] });
    await app.register(apiPage);
    await app.ready();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
