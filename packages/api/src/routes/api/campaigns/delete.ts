import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Campaign, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { assertOwn } from '../../../plugins/app/access/access.ts';
import { assertInScope } from '../../../plugins/app/access/scope.ts';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const tags = ['campaigns'];
const DeletionQuery = Type.Object(
  {
    purge: Type.Optional(
      Type.Boolean({ description: 'At once and for good, also of one that is deleted already. Default: it can be restored for a week.' }),
    ),
  },
  { additionalProperties: false },
);

/** Campaigns: deleted, and brought back. */
export default (async (app) => {
  app.delete(
    '/campaigns/:id',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: ['campaign-active'] },
      schema: {
        summary: 'Delete a campaign that is done or cancelled, with all that was measured in it; it can be restored for a week',
        tags,
        params,
        querystring: DeletionQuery,
        response: { 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { purge = false } = request.query;
      const campaignId = purge && app.campaigns.isDeleted(rowId(id)) ? rowId(id) : app.campaigns.known(id).campaignId;
      assertOwn(request.access, `Campaign ${id}`, app.campaigns.ownerOf(campaignId));
      assertInScope(request.access, app.campaigns.ledBy(campaignId));
      const record = () => app.audit.record({ by: request.access.name, action: purge ? 'campaign.purge' : 'campaign.delete', subject: id });
      await (purge ? app.campaignDeletion.purge(id, record) : app.campaignDeletion.begin(id, record));
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/campaigns/:id/restore',
    {
      config: { access: 'submitter' },
      schema: {
        summary: 'Bring back a campaign that was deleted within the last week, with all that was measured in it',
        tags,
        params,
        response: { 200: Campaign, '4xx': Problem },
      },
    },
    async (request) => {
      const { id } = request.params;
      if (app.campaigns.isDeleted(rowId(id))) {
        assertOwn(request.access, `Campaign ${id}`, app.campaigns.ownerOf(rowId(id)));
        await app.campaignDeletion.restore(id, () =>
          app.audit.record({ by: request.access.name, action: 'campaign.restore', subject: id }),
        );
      }
      return found(app.campaigns.find(id), `campaign ${id}`);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
