import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import campaignContents from './campaigns/contents.ts';
import campaignEvents from './campaigns/events.ts';
import campaigns from './campaigns/index.ts';
import campaignResults from './campaigns/results.ts';
import conditions from './conditions/index.ts';
import discoveries from './discoveries/index.ts';
import environments from './environments/index.ts';
import health from './health/index.ts';
import leases from './leases/index.ts';
import evidence from './visits/evidence.ts';
import visits from './visits/index.ts';

/** All routes under /api/v1; docs/api.md lists them. */
export default (async (app) => {
  for (const routes of [
    campaigns,
    campaignContents,
    campaignEvents,
    campaignResults,
    conditions,
    discoveries,
    environments,
    evidence,
    health,
    leases,
    visits,
  ]) {
    await app.register(routes);
  }
}) satisfies FastifyPluginAsyncTypebox;
