import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Delivery,
  NamedPageQuery,
  NotificationChange,
  NotificationRequest,
  NotificationTarget,
  Page,
  PageQuery,
  SavedNotificationTarget,
} from '@pronghorn/core/schemas';
import Type from 'typebox';
import { idempotencyHeaders } from '../../../plugins/app/idempotency.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { found } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

/** Who is told of what by webhook, and what became of each message. */
export default (async (app) => {
  const { notifications } = app.store;
  const targetOf = async (id: string) => found(await notifications.findTarget(id), `notification target ${id}`);
  const secretOf = async (id: string) => (await notifications.addressOf(rowId(id)))?.secret || null;
  const assertAllowed = (url: string) => app.destinations.assertAllowed(url, { what: 'The webhook' });

  app.get(
    '/notifications',
    allow('viewer', {
      summary: 'List notification targets',
      querystring: NamedPageQuery,
      response: { 200: Page(NotificationTarget) },
    }),
    async (request) => notifications.targets(sliceOf(request.query), request.query.name ?? null),
  );

  app.post(
    '/notifications',
    allow('admin', {
      summary: 'Create a notification target',
      headers: idempotencyHeaders,
      body: NotificationRequest,
      response: { 201: SavedNotificationTarget },
      problems: ['address-refused', 'name-taken'],
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const before = await app.store.keys.find(caller);
      if (before === undefined) await assertAllowed(request.body.url);
      const id = reply.made(before ?? (await notifications.create(request.body, caller)));
      return reply
        .code(201)
        .header('location', `/api/v1/notifications/${id}`)
        .send({ ...(await targetOf(id)), secret: await secretOf(id) });
    },
  );

  app.get(
    '/notifications/:id',
    allow('viewer', { summary: 'Read a notification target', params, response: { 200: NotificationTarget } }),
    async (request) => targetOf(request.params.id),
  );

  app.put(
    '/notifications/:id',
    allow('admin', {
      summary: 'Change a notification target',
      params,
      headers: preconditionHeaders,
      body: NotificationChange,
      response: { 200: SavedNotificationTarget },
      problems: ['address-refused', 'name-taken'],
    }),
    async (request) => {
      const { id } = await targetOf(request.params.id);
      const url = request.body.url ?? (await notifications.addressOf(rowId(id)))?.url;
      if (url !== undefined) await assertAllowed(url);
      const secret = await notifications.change(id, request.body, callerOf(request));
      return { ...(await targetOf(id)), secret };
    },
  );

  app.delete(
    '/notifications/:id',
    allow('admin', {
      summary: 'Delete a notification target',
      params,
      headers: preconditionHeaders,
      response: { 204: Type.Null() },
      problems: ['target-in-use'],
    }),
    async (request, reply) => {
      await notifications.delete(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/notifications/:id/test',
    allow('admin', {
      summary: 'Send a test message',
      params,
      headers: idempotencyHeaders,
      response: { 202: Delivery },
      problems: ['invalid-request'],
    }),
    async (request, reply) => {
      const delivery = reply.made(await notifications.sendTest(request.params.id, callerOf(request)));
      return reply.code(202).send(found(await notifications.findDelivery(delivery), `delivery ${delivery}`));
    },
  );

  app.get(
    '/notifications/:id/deliveries',
    allow('viewer', {
      summary: 'List the deliveries of a target, newest first',
      params,
      querystring: PageQuery,
      response: { 200: Page(Delivery) },
    }),
    async (request) => notifications.deliveriesOf(request.params.id, sliceOf(request.query)),
  );
}) satisfies FastifyPluginAsyncTypebox;
