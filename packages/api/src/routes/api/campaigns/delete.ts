import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem } from '@pronghorn/core';
import Type from 'typebox';
import { assertOwn } from '../../../plugins/app/access/access.ts';
import { assertInScope } from '../../../plugins/app/access/scope.ts';

const params = Type.Object({ id: Type.String() });

/** Campaigns, deleted. */
export default (async (app) => {
  app.delete(
    '/campaigns/:id',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: ['campaign-active'] },
      schema: {
        summary: 'Delete a campaign that is done or cancelled, with all that was measured in it',
        tags: ['campaigns'],
        params,
        response: { 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { campaignId } = app.campaigns.known(id);
      assertOwn(request.access, `Campaign ${id}`, app.campaigns.ownerOf(campaignId));
      assertInScope(request.access, app.campaigns.findSpec(campaignId)?.spec ?? null);
      await app.campaignDeletion.begin(request.params.id, () =>
        app.audit.record({ by: request.access.name, action: 'campaign.delete', subject: request.params.id }),
      );
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
