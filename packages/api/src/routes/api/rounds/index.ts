import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, Round } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { toRound } from '../../../plugins/app/rounds/rounds-repository.ts';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });

/** Rounds, read by themselves; a campaign's list has them too. */
export default (async (app) => {
  app.get(
    '/rounds/:id',
    {
      config: { access: 'viewer' },
      schema: { summary: 'Read a round', tags: ['campaigns'], params, response: { 200: Round, '4xx': Problem } },
    },
    async (request) => {
      const { id } = request.params;
      const round = found(app.rounds.find(rowId(id)), `round ${id}`);
      found(app.campaigns.stateOf(round.campaignId), `round ${id}`); // of a campaign that is being deleted
      return toRound(round);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
