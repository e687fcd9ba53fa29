import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import access from './access/index.ts';
import alerts from './alerts/index.ts';
import badges from './badges/index.ts';
import campaignContents from './campaigns/contents.ts';
import campaignEvents from './campaigns/events.ts';
import campaignExports from './campaigns/exports.ts';
import campaigns from './campaigns/index.ts';
import campaignResults from './campaigns/results.ts';
import conditions from './conditions/index.ts';
import gates from './gates/index.ts';
import imports from './imports/index.ts';
import leases from './leases/index.ts';
import notifications from './notifications/index.ts';
import runners from './runners/index.ts';
import schedules from './schedules/index.ts';
import service from './service/index.ts';
import sites, { type SitesOptions } from './sites/index.ts';
import evidence from './visits/evidence.ts';
import visits from './visits/index.ts';

const campaign = [campaigns, campaignContents, campaignEvents, campaignExports, campaignResults];
const others = [access, alerts, badges, conditions, evidence, gates, imports, leases, notifications, runners, schedules, service, visits];

/** All routes under /api/v1; docs/api.md lists them. */
export default (async (app, { offeredSites }) => {
  for (const routes of [...campaign, ...others]) await app.register(routes);
  await app.register(sites, { offeredSites });
}) satisfies FastifyPluginAsyncTypebox<SitesOptions>;
