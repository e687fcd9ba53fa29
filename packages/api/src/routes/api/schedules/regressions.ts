import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CampaignRegressions, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';

const params = Type.Object({ id: Type.String() });

/** What got worse in a campaign than in those of its schedule before. */
export default (async (app) => {
  const { schedules, scheduler } = app;

  app.get(
    '/campaigns/:id/regressions',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'What got worse than in the schedule’s campaigns before',
        tags: ['campaigns'],
        params,
        response: { 200: CampaignRegressions, '4xx': Problem },
      },
    },
    async (request): Promise<CampaignRegressions> => {
      const { id } = request.params;
      const { campaignId, state } = app.campaigns.known(id);
      const schedule = schedules.ofCampaign(campaignId);
      const scheduleId = schedule ? String(schedule.id) : null;
      const findings = scheduler.nights.findings(campaignId);
      if (findings) return { campaignId: id, scheduleId, ...findings };
      const none = { campaignId: id, scheduleId, comparedWith: [], regressions: [], unmeasured: [] };
      if (!schedule)
        return { ...none, state: 'not-scheduled', words: 'No schedule started this campaign: there is nothing to compare it with.' };
      const words =
        state === 'done'
          ? 'The campaign is done, and is looked at within a minute.'
          : `The campaign is ${state}; it is compared when it is done.`;
      return { ...none, state: 'waiting', words };
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
