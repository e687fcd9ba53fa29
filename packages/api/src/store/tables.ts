// The tables of one connection, each behind the repository that owns it. Commands and queries are made of them.

import { createAlerting } from '../plugins/app/alerts/alerts.ts';
import { createSigningKeysRepository } from '../plugins/app/badges/badges.ts';
import { createOwnershipRepository } from '../plugins/app/calls/calls.ts';
import { createClock } from '../plugins/app/clock/clock.ts';
import { createOutbox } from '../plugins/app/notifications/outbox.ts';
import { createComputation } from '../plugins/app/results/computation.ts';
import { createUnsummarised, createVersions } from '../plugins/app/results/results-version.ts';
import type { Database } from '../storage/database.ts';
import { sealBeside } from '../storage/seal.ts';
import { createAlertsRepository } from '../tables/alerts-repository.ts';
import { createAuditRepository } from '../tables/audit-repository.ts';
import { createCampaignLogRepository } from '../tables/campaign-log-repository.ts';
import { createCampaignsRepository } from '../tables/campaigns-repository.ts';
import { createConditionsRepository } from '../tables/conditions-repository.ts';
import { createDiscoveriesRepository } from '../tables/discoveries-repository.ts';
import { createEnvironmentsRepository } from '../tables/environments-repository.ts';
import { createEvidenceRepository } from '../tables/evidence-repository.ts';
import { createGateAnswersRepository, createGatesRepository } from '../tables/gates-repository.ts';
import { createImportsRepository } from '../tables/imports-repository.ts';
import { createKeysRepository } from '../tables/keys-repository.ts';
import { createLeasesRepository } from '../tables/leases-repository.ts';
import { createLinkChecksRepository } from '../tables/link-checks-repository.ts';
import { createDeliveriesRepository, createTargetsRepository } from '../tables/notifications-repository.ts';
import { createQueueEntriesRepository } from '../tables/queue-entries-repository.ts';
import { createReadingsRepository } from '../tables/readings-repository.ts';
import { createResourcesRepository } from '../tables/resources-repository.ts';
import { createResultsRepository } from '../tables/results-repository.ts';
import { createDailyJobsRepository, createRetentionRepository } from '../tables/retention-repository.ts';
import { createRoundsRepository } from '../tables/rounds-repository.ts';
import { createRunnersRepository, createRunnerWorkRepository } from '../tables/runners-repository.ts';
import { createNightsRepository, createSchedulesRepository } from '../tables/schedules-repository.ts';
import { createSecretsRepository } from '../tables/secrets-repository.ts';
import { createSiteResultsRepository } from '../tables/site-results-repository.ts';
import { createSitesRepository } from '../tables/sites-repository.ts';
import { createSessionsRepository, createTokensRepository } from '../tables/tokens-repository.ts';
import { createVisitsRepository } from '../tables/visits-repository.ts';
import { createEffectsOf } from './effects.ts';
import type { StoreSettings } from './settings.ts';

export type Tables = ReturnType<typeof createRepositories> & {
  alerting: ReturnType<typeof createAlerting>;
  outbox: ReturnType<typeof createOutbox>;
};

type Options = { settings: StoreSettings; now: () => number };

/** @param options.now whole milliseconds since 1970. */
export function createTables(database: Database, options: Options): Tables {
  const repositories = createRepositories(database, options);
  const alerting = createAlerting(repositories);
  return { ...repositories, alerting, outbox: createOutbox({ ...repositories, alerting }) };
}

function createRepositories(database: Database, { settings, now }: Options) {
  const effects = createEffectsOf();
  const transaction = database.transaction((work: () => unknown) => work());
  let computation: ReturnType<typeof createComputation> | undefined;
  const clock = createClock(database, now);
  return {
    now,
    /** ISO 8601. */
    timeNow: () => new Date(now()).toISOString(),
    settings,
    effects,
    /** All that `read` reads, others may write meanwhile. */
    atOneMoment: <T>(read: () => T): T => transaction.deferred(read) as T,
    /** The jobs of results, made when the first is done. */
    computation: () => (computation ??= createComputation(database, database)),
    clock,
    alerts: createAlertsRepository(database),
    answers: createGateAnswersRepository(database),
    audit: createAuditRepository(database, now),
    campaignLog: createCampaignLogRepository(database, now, ({ campaignId, level, event, text }) =>
      effects.log(level, { event, campaign: String(campaignId) }, text),
    ),
    campaigns: createCampaignsRepository(database),
    conditions: createConditionsRepository(database),
    dailyJobs: createDailyJobsRepository(database),
    deliveries: createDeliveriesRepository(database),
    discoveries: createDiscoveriesRepository(database),
    environments: createEnvironmentsRepository(database),
    evidence: createEvidenceRepository(database),
    gates: createGatesRepository(database),
    imports: createImportsRepository(database),
    keys: createKeysRepository(database, now),
    leases: createLeasesRepository(database),
    linkChecks: createLinkChecksRepository(database),
    nights: createNightsRepository(database),
    ownership: createOwnershipRepository(database),
    queueEntries: createQueueEntriesRepository(database),
    readings: createReadingsRepository(database),
    resources: createResourcesRepository(database),
    results: createResultsRepository(database),
    resultVersionOf: createVersions(database),
    unsummarised: createUnsummarised(database),
    retention: createRetentionRepository(database),
    rounds: createRoundsRepository(database),
    runners: createRunnersRepository(database),
    runnerWork: createRunnerWorkRepository(database),
    schedules: createSchedulesRepository(database),
    schemaVersion: () => Number(database.pragma('user_version', { simple: true })),
    secrets: createSecretsRepository(database, sealBeside(settings.file), now),
    sessions: createSessionsRepository(database, { clock, now, sessionMs: settings.sessionMs }),
    signingKeys: createSigningKeysRepository(database),
    siteResults: createSiteResultsRepository(database),
    sites: createSitesRepository(database),
    targets: createTargetsRepository(database),
    tokens: createTokensRepository(database, now),
    visits: createVisitsRepository(database),
  };
}
