import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CampaignAcross,
  CampaignDistributions,
  CampaignResults,
  campaignAcross,
  campaignDistributions,
  campaignResults,
  MetricName,
  Problem,
  View,
} from '@pronghorn/core';
import Type from 'typebox';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const metric = Type.Optional(MetricName);
const AcrossQuery = Type.Object({ metric }, { additionalProperties: false });
const DistributionQuery = Type.Object(
  { metric, siteId: Type.Optional(Type.String()), condition: Type.Optional(Type.String()), view: Type.Optional(View) },
  { additionalProperties: false },
);

/** What came out of a campaign, computed of its visits when it is asked for. */
export default (async (app) => {
  const campaignOf = (id: string) => ({ id, rowId: rowId(id), ...found(app.campaigns.findSpec(rowId(id)), `campaign ${id}`) });

  app.get('/campaigns/:id/results', { schema: { params, response: { 200: CampaignResults, '4xx': Problem } } }, async (request) => {
    const campaign = campaignOf(request.params.id);
    const complete = campaign.state === 'done';
    return campaignResults(campaign, app.visits.ofResults(campaign.rowId), app.linkChecks.ofResults(campaign.rowId), complete);
  });

  app.get(
    '/campaigns/:id/across',
    { schema: { params, querystring: AcrossQuery, response: { 200: CampaignAcross, '4xx': Problem } } },
    async (request) => {
      const campaign = campaignOf(request.params.id);
      return campaignAcross(
        campaign,
        app.visits.ofResults(campaign.rowId),
        app.discoveries.ofCampaign(campaign.rowId),
        request.query.metric ?? campaign.spec.primaryMetric,
      );
    },
  );

  app.get(
    '/campaigns/:id/distributions',
    { schema: { params, querystring: DistributionQuery, response: { 200: CampaignDistributions, '4xx': Problem } } },
    async (request) => {
      const campaign = campaignOf(request.params.id);
      const { metric: asked = campaign.spec.primaryMetric, ...filter } = request.query;
      return campaignDistributions(campaign, app.visits.ofResults(campaign.rowId), asked, filter);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
