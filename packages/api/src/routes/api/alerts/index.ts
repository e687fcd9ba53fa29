import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Alert, AlertPage, AlertQuery } from '@pronghorn/core/schemas';
import { found } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

/** What is wrong, until it is right again. */
export default (async (app) => {
  const { alerts } = app.store;
  const alertOf = async (id: string) => found(await alerts.find(id), `alert ${id}`);

  app.get(
    '/alerts',
    allow('viewer', {
      summary: 'List alerts, newest first; of those that are open or acknowledged, regressions first',
      querystring: AlertQuery,
      response: { 200: AlertPage },
    }),
    async ({ query }) => {
      const { state = null, kind = null } = query;
      const rowOf = (id: string | undefined) => (id === undefined ? null : rowId(id));
      const of = {
        siteId: rowOf(query.siteId),
        scheduleId: rowOf(query.scheduleId),
        campaignId: rowOf(query.campaignId),
        gateId: rowOf(query.gateId),
      };
      return alerts.page({ state, kind, ...of }, sliceOf(query));
    },
  );

  app.get('/alerts/:id', allow('viewer', { summary: 'Read an alert', params, response: { 200: Alert } }), async ({ params }) =>
    alertOf(params.id),
  );

  app.post(
    '/alerts/:id/acknowledge',
    allow('submitter', { summary: 'Acknowledge an alert: it no longer counts as open', params, response: { 200: Alert } }),
    async (request) => {
      await alerts.acknowledge(request.params.id, callerOf(request));
      return alertOf(request.params.id);
    },
  );

  app.delete(
    '/alerts/:id/acknowledge',
    allow('submitter', { summary: 'Take the acknowledgement of an alert back', params, response: { 200: Alert } }),
    async (request) => {
      await alerts.reopen(request.params.id, callerOf(request));
      return alertOf(request.params.id);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
