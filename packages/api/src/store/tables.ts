// The tables of one connection, each behind the repository that owns it. Commands and queries are made of them.

import { createAuditRepository } from '../plugins/app/audit/audit-repository.ts';
import { createSigningKeysRepository } from '../plugins/app/badges/signed-addresses.ts';
import { createOwnershipRepository } from '../plugins/app/calls/calls.ts';
import { createCampaignLogRepository } from '../plugins/app/campaign-log/campaign-log-repository.ts';
import { createCampaignsRepository } from '../plugins/app/campaigns/campaigns-repository.ts';
import { createClock } from '../plugins/app/clock/clock.ts';
import { createConditionsRepository } from '../plugins/app/conditions/conditions-repository.ts';
import { createDiscoveriesRepository } from '../plugins/app/discoveries/discoveries-repository.ts';
import { createEnvironmentsRepository } from '../plugins/app/environments/environments-repository.ts';
import { createEvidenceRepository } from '../plugins/app/evidence/evidence-repository.ts';
import { createGateAnswersRepository, createGatesRepository } from '../plugins/app/gates/gates-repository.ts';
import { createKeysRepository } from '../plugins/app/idempotency/keys-repository.ts';
import { createImportsRepository } from '../plugins/app/imports/imports-repository.ts';
import { createLeasesRepository } from '../plugins/app/leases/leases-repository.ts';
import { createLinkChecksRepository } from '../plugins/app/link-checks/link-checks-repository.ts';
import { createReadingsRepository } from '../plugins/app/metrics/readings-repository.ts';
import { createDeliveriesRepository, createTargetsRepository } from '../plugins/app/notifications/notifications-repository.ts';
import { createOutbox } from '../plugins/app/notifications/outbox.ts';
import { createQueueEntriesRepository } from '../plugins/app/queue/queue-entries-repository.ts';
import { createResourcesRepository } from '../plugins/app/resources/resources-repository.ts';
import { createComputation } from '../plugins/app/results/computation.ts';
import { createResultsRepository } from '../plugins/app/results/results-repository.ts';
import { createVersions } from '../plugins/app/results/results-version.ts';
import { createDailyJobsRepository, createRetentionRepository } from '../plugins/app/retention/retention-repository.ts';
import { createRoundsRepository } from '../plugins/app/rounds/rounds-repository.ts';
import { createRunnersRepository, createRunnerWorkRepository } from '../plugins/app/runners/runners-repository.ts';
import { createNightsRepository, createSchedulesRepository } from '../plugins/app/schedules/schedules-repository.ts';
import { sealBeside } from '../plugins/app/secrets/seal.ts';
import { createSecretsRepository } from '../plugins/app/secrets/secrets-repository.ts';
import { createSessionsRepository } from '../plugins/app/sessions/sessions-repository.ts';
import { createSitesRepository } from '../plugins/app/sites/sites-repository.ts';
import { createTokensRepository } from '../plugins/app/tokens/tokens-repository.ts';
import { createVisitsRepository } from '../plugins/app/visits/visits-repository.ts';
import type { Database } from '../storage/database.ts';
import { createEffectsOf } from './effects.ts';
import type { StoreSettings } from './settings.ts';

export type Tables = ReturnType<typeof createRepositories> & { outbox: ReturnType<typeof createOutbox> };

type Options = { settings: StoreSettings; now: () => number };

/** @param options.now whole milliseconds since 1970. */
export function createTables(database: Database, options: Options): Tables {
  const repositories = createRepositories(database, options);
  return { ...repositories, outbox: createOutbox(repositories) };
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
    retention: createRetentionRepository(database),
    rounds: createRoundsRepository(database),
    runners: createRunnersRepository(database),
    runnerWork: createRunnerWorkRepository(database),
    schedules: createSchedulesRepository(database),
    schemaVersion: () => Number(database.pragma('user_version', { simple: true })),
    secrets: createSecretsRepository(database, sealBeside(settings.file), now),
    sessions: createSessionsRepository(database, { clock, now, sessionMs: settings.sessionMs }),
    signingKeys: createSigningKeysRepository(database),
    sites: createSitesRepository(database),
    targets: createTargetsRepository(database),
    tokens: createTokensRepository(database, now),
    visits: createVisitsRepository(database),
  };
}
