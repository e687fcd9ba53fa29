import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { OfferedSite } from '@pronghorn/core/schemas';
import fastify, { type FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { type LogOptions, loggingOf } from './logging.ts';
import access from './plugins/app/access/access.ts';
import type { AccessOptions } from './plugins/app/access/access-options.ts';
import admission from './plugins/app/access/admission.ts';
import firstToken from './plugins/app/access/first-token.ts';
import oidc from './plugins/app/access/oidc.ts';
import rateLimits from './plugins/app/access/rate-limits.ts';
import audit from './plugins/app/audit/audit-repository.ts';
import badges from './plugins/app/badges/badges.ts';
import signedAddresses from './plugins/app/badges/signed-addresses.ts';
import calls, { type CallsOptions } from './plugins/app/calls/calls.ts';
import campaignLog from './plugins/app/campaign-log/campaign-log-repository.ts';
import campaignChanges from './plugins/app/campaigns/campaign-changes.ts';
import campaignDeletion from './plugins/app/campaigns/campaign-deletion.ts';
import campaignWaits from './plugins/app/campaigns/campaign-waits.ts';
import campaigns from './plugins/app/campaigns/campaigns-repository.ts';
import clock from './plugins/app/clock/clock.ts';
import conditions from './plugins/app/conditions/conditions-repository.ts';
import destinations from './plugins/app/destinations/destinations.ts';
import discoveries from './plugins/app/discoveries/discoveries-repository.ts';
import environments from './plugins/app/environments/environments-repository.ts';
import evidencePolicy from './plugins/app/evidence/evidence-policy.ts';
import evidence, { type EvidenceOptions } from './plugins/app/evidence/evidence-store.ts';
import gates from './plugins/app/gates/gates.ts';
import idempotency from './plugins/app/idempotency/idempotency.ts';
import imports from './plugins/app/imports/imports-repository.ts';
import leases from './plugins/app/leases/leases-repository.ts';
import linkChecks from './plugins/app/link-checks/link-checks-repository.ts';
import metrics, { type MetricsOptions } from './plugins/app/metrics/metrics.ts';
import totals from './plugins/app/metrics/totals-repository.ts';
import notifications, { type NotificationsOptions } from './plugins/app/notifications/notifications.ts';
import preview from './plugins/app/preview/preview.ts';
import { answerUnreadable } from './plugins/app/problems/client-errors.ts';
import problemDetails, { sendProblem, toProblemError } from './plugins/app/problems/problem-details.ts';
import queueEntries from './plugins/app/queue/queue-entries-repository.ts';
import queue, { type QueueOptions } from './plugins/app/queue/sqlite-queue.ts';
import readiness, { type ReadinessOptions } from './plugins/app/readiness/readiness.ts';
import requestLog from './plugins/app/request-log.ts';
import resources from './plugins/app/resources/resources-repository.ts';
import results, { type ResultsOptions } from './plugins/app/results/results.ts';
import dailyRetention from './plugins/app/retention/daily-retention.ts';
import type { RetentionPolicy } from './plugins/app/retention/retention.ts';
import revalidation from './plugins/app/revalidation.ts';
import rounds from './plugins/app/rounds/rounds-repository.ts';
import runnerRegistry, { lostAfterMs, type RunnersOptions } from './plugins/app/runners/runner-registry.ts';
import runnerWork from './plugins/app/runners/runner-work-repository.ts';
import runners from './plugins/app/runners/runners-repository.ts';
import sameHost from './plugins/app/same-host.ts';
import scheduler, { type SchedulesOptions } from './plugins/app/schedules/schedules.ts';
import schedules from './plugins/app/schedules/schedules-repository.ts';
import secrets from './plugins/app/secrets/secrets-repository.ts';
import sessions from './plugins/app/sessions/sessions-repository.ts';
import sites from './plugins/app/sites/sites-repository.ts';
import tokens from './plugins/app/tokens/tokens-repository.ts';
import unusedConnections from './plugins/app/unused-connections.ts';
import visits from './plugins/app/visits/visits-repository.ts';
import apiPage from './plugins/external/api-page.ts';
import checkpoints from './plugins/external/checkpoints.ts';
import compress from './plugins/external/compress.ts';
import cookie from './plugins/external/cookie.ts';
import helmet from './plugins/external/helmet.ts';
import openapi from './plugins/external/openapi.ts';
import sqlite from './plugins/external/sqlite.ts';
import files from './plugins/external/static.ts';
import typebox from './plugins/external/typebox.ts';
import routes from './routes/api/index.ts';
import operation, { type OperationRoutes } from './routes/operation/index.ts';
import versions from './routes/versions/index.ts';

export type ApiOptions = {
  /** File of the SQLite database, or ':memory:'. */
  database: string;
  /** How long a change waits while another process holds the database, milliseconds; default 25,000. */
  lockWaitMs?: number;
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
  /** Whether results are computed ahead. */
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
    access: accessOptions = { kind: 'open' },
    serializerCompiler,
  } = options;
  const app = fastify({
    ...loggingOf(logger),
    requestTimeout: 300_000, // Node's own, which Fastify turns off: nobody keeps a connection busy by sending a byte now and then
    trustProxy: accessOptions.kind === 'tokens' && [...(accessOptions.trustedProxies ?? [])],
    clientErrorHandler: answerUnreadable,
    // Errors before routing, such as a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => void sendProblem(toProblemError(error, request), error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>();
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
    await app.register(clock, { now });
    await app.register(tokens, { now });
    await app.register(sessions, { access: accessOptions, now });
    await app.register(audit, { now });
    await app.register(rateLimits, { access: accessOptions });
    await app.register(oidc, { access: accessOptions, now });
    await app.register(access, { access: accessOptions, now });
    await app.register(idempotency, { now });
    await app.register(firstToken, { access: accessOptions });
    await app.register(destinations, { access: accessOptions, now });
    await app.register(evidence, { budgetBytes: null, ...options.evidence, directory: evidenceDirectory, now });
    for (const plugin of [campaignChanges, conditions, campaigns, rounds, leases, visits, resources, environments, discoveries, linkChecks])
      await app.register(plugin);
    await app.register(campaignWaits);
    await app.register(secrets, { database, now });
    await app.register(calls, { access: accessOptions, calls: options.calls ?? {} });
    await app.register(campaignLog, { now });
    await app.register(imports, { now });
    await app.register(admission, { access: accessOptions });
    for (const plugin of [queueEntries, runners, runnerWork, schedules]) await app.register(plugin);
    await app.register(notifications, { now, options: options.notifications ?? {} });
    await app.register(results, { database, now, results: options.results ?? {} });
    await app.register(queue, { now, leaseMs, lostAfterMs: lostAfterMs(options.runners), options: options.queue ?? {} });
    await app.register(preview, { now });
    await app.register(scheduler, { now, options: options.schedules ?? {} });
    await app.register(runnerRegistry, { now, options: options.runners ?? {} });
    await app.register(sites);
    await app.register(evidencePolicy, { now });
    await app.register(dailyRetention, { policy: options.retention ?? null, now });
    await app.register(campaignDeletion, { now });
    await app.register(gates, { now });
    await app.register(signedAddresses, { now });
    await app.register(badges);
    if (webRoot !== undefined) await app.register(files, { webRoot });
    await app.register(totals);
    await app.register(metrics, { process: options.metrics?.process ?? false, evidenceDirectory, now });
    await app.register(readiness, { minFreeBytes: 500e6, ...options.readiness, evidenceDirectory, now });
    await app.register(operation, { metricsAccess: options.metrics?.access ?? 'viewer' });
    await app.register(versions);
    await app.register(routes, { prefix: '/api/v1', offeredSites: options.offeredSites ?? [], now });
    await app.register(apiPage);
    await app.ready();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
