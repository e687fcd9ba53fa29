// The tables that need nothing but the database, each behind the repository that owns it.
import fp from 'fastify-plugin';
import type { Database } from '../../storage/database.ts';
import { createCampaignsRepository } from './campaigns/campaigns-repository.ts';
import { createConditionsRepository } from './conditions/conditions-repository.ts';
import { createDiscoveriesRepository } from './discoveries/discoveries-repository.ts';
import { createEnvironmentsRepository } from './environments/environments-repository.ts';
import { createLeasesRepository } from './leases/leases-repository.ts';
import { createLinkChecksRepository } from './link-checks/link-checks-repository.ts';
import { createQueueEntriesRepository } from './queue/queue-entries-repository.ts';
import { createRoundsRepository } from './rounds/rounds-repository.ts';
import { createRunnersRepository, createRunnerWorkRepository } from './runners/runners-repository.ts';
import { createNightsRepository, createSchedulesRepository } from './schedules/schedules-repository.ts';
import { createSitesRepository } from './sites/sites-repository.ts';
import { createVisitsRepository } from './visits/visits-repository.ts';

const createRepositories = (database: Database) => ({
  campaigns: createCampaignsRepository(database),
  conditions: createConditionsRepository(database),
  discoveries: createDiscoveriesRepository(database),
  environments: createEnvironmentsRepository(database),
  leases: createLeasesRepository(database),
  linkChecks: createLinkChecksRepository(database),
  nights: createNightsRepository(database),
  queueEntries: createQueueEntriesRepository(database),
  rounds: createRoundsRepository(database),
  runners: createRunnersRepository(database),
  runnerWork: createRunnerWorkRepository(database),
  schedules: createSchedulesRepository(database),
  sites: createSitesRepository(database),
  visits: createVisitsRepository(database),
});
type Repositories = ReturnType<typeof createRepositories>;

declare module 'fastify' {
  interface FastifyInstance extends Repositories {}
}

export default fp(async (app) => {
  for (const [name, repository] of Object.entries(createRepositories(app.database))) app.decorate(name, repository as object);
});
