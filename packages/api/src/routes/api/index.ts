import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import adoption from './adoption/index.ts';
import audit from './audit/index.ts';
import badges, { type BadgesOptions } from './badges/index.ts';
import calls from './calls/index.ts';
import cloneCampaign from './campaigns/clone.ts';
import campaignContents from './campaigns/contents.ts';
import deleteCampaign from './campaigns/delete.ts';
import campaignEvents from './campaigns/events.ts';
import campaignExports from './campaigns/exports.ts';
import campaigns from './campaigns/index.ts';
import campaignLog from './campaigns/log.ts';
import previewCampaign from './campaigns/preview.ts';
import campaignQueue from './campaigns/queue.ts';
import campaignResults from './campaigns/results.ts';
import conditions from './conditions/index.ts';
import discoveries from './discoveries/index.ts';
import environments from './environments/index.ts';
import gateAnswers from './gates/answers.ts';
import gates from './gates/index.ts';
import readGate from './gates/read.ts';
import health from './health/index.ts';
import imports from './imports/index.ts';
import leases from './leases/index.ts';
import notifications from './notifications/index.ts';
import openapi from './openapi/index.ts';
import rounds from './rounds/index.ts';
import runners from './runners/index.ts';
import runnerWork from './runners/work.ts';
import schedules from './schedules/index.ts';
import regressions from './schedules/regressions.ts';
import scheduleStarts from './schedules/starts.ts';
import scheduleTimes from './schedules/times.ts';
import secrets from './secrets/index.ts';
import session from './session/index.ts';
import sites, { type SitesOptions } from './sites/index.ts';
import tokens from './tokens/index.ts';
import evidence from './visits/evidence.ts';
import filmstrip from './visits/filmstrip.ts';
import visits from './visits/index.ts';

/** All routes under /api/v1; docs/api.md lists them. */
export default (async (app, { offeredSites, now }) => {
  for (const routes of [
    adoption,
    audit,
    calls,
    campaigns,
    campaignContents,
    cloneCampaign,
    deleteCampaign,
    campaignEvents,
    campaignExports,
    campaignLog,
    campaignQueue,
    campaignResults,
    previewCampaign,
    conditions,
    discoveries,
    environments,
    evidence,
    filmstrip,
    gates,
    gateAnswers,
    readGate,
    health,
    imports,
    leases,
    notifications,
    openapi,
    runners,
    runnerWork,
    regressions,
    schedules,
    scheduleStarts,
    scheduleTimes,
    secrets,
    session,
    tokens,
    rounds,
    visits,
  ]) {
    await app.register(routes);
  }
  await app.register(badges, { now });
  await app.register(sites, { offeredSites });
}) satisfies FastifyPluginAsyncTypebox<SitesOptions & BadgesOptions>;
