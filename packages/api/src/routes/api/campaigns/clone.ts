import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Campaign, type CampaignRequest, CloneRequest, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { creatorOf } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { found } from '../../../problems.ts';
import { campaignBodyLimit } from './body-limit.ts';

const params = Type.Object({ id: Type.String() });

/** A campaign made of another. */
export default (async (app) => {
  const campaignOf = (id: string) => found(app.campaigns.find(id), `campaign ${id}`);

  app.post(
    '/campaigns/:id/clone',
    {
      config: {
        access: 'submitter',
        scopes: ['hosts'],
        problems: [...admissionProblems, ...idempotencyProblems, 'queue-full'],
      },
      bodyLimit: campaignBodyLimit,
      schema: {
        summary: 'Make the same campaign again, with changes',
        tags: ['campaigns'],
        params,
        headers: idempotencyHeaders,
        body: CloneRequest,
        response: { 201: Campaign, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { spec, sites, priority, location } = campaignOf(request.params.id);
      const { limits, ...changes } = request.body;
      // Conditions as they were, whole: a stored one may have become another since.
      const circumstances = { priority, ...(location === null ? {} : { location }) };
      const clone: CampaignRequest = {
        ...spec,
        sites: sites.map(({ id: _, ...site }) => site),
        ...circumstances,
        ...changes,
        limits: { ...spec.limits, ...limits },
      };
      const detail = { cloneOf: request.params.id };
      const id = await app.once(request, reply, async (note) => {
        await app.admission.admit(clone, request.access);
        return app.queue.submit(clone, creatorOf(request.access), (campaignId) => {
          app.audit.record({ by: request.access.name, action: 'campaign.create', subject: String(campaignId), detail });
          note(campaignId);
        });
      });
      return reply.code(201).header('location', `/api/v1/campaigns/${id}`).send(campaignOf(id));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
