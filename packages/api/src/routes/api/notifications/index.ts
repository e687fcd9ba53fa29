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
import { usualEvents } from '@pronghorn/core/vocabulary';
import Type from 'typebox';
import { idempotencyHeaders } from '../../../plugins/app/idempotency/idempotency.ts';
import { newSecret } from '../../../plugins/app/notifications/deliverer.ts';
import { shown } from '../../../plugins/app/notifications/notifications-repository.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, assertNameFree, namedList, params } from '../route.ts';

/** Who is told of what by webhook, and what became of each message. */
export default (async (app) => {
  const { targets, deliveries } = app.notifications;
  const secretFor = (kind: NotificationTarget['kind']) => (kind === 'webhook' ? newSecret() : '');
  const stored = (id: string) => found(targets.find(rowId(id)), `notification target ${id}`);
  const targetOf = (id: number) => shown(stored(String(id)), deliveries.countsOf(id));

  const assertAllowed = (url: string) => app.destinations.assertAllowed(url, { what: 'The webhook' });

  /** A schedule whose only target is gone would fail in silence. @throws ProblemError target-in-use. */
  function assertUnused(id: number): void {
    const schedules = namedList(app.schedules.telling(id));
    if (schedules === null) return;
    throw new ProblemError(
      'target-in-use',
      `Notification target ${id} is named by schedule ${schedules}. Take it out of their notifications first, by PUT /api/v1/schedules/:id.`,
    );
  }

  app.get(
    '/notifications',
    allow('viewer', {
      summary: 'List notification targets',
      querystring: NamedPageQuery,
      response: { 200: Page(NotificationTarget) },
    }),
    async (request) => targets.page(sliceOf(request.query), request.query.name ?? null, deliveries.countsOf),
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
      const { name, url, kind } = request.body;
      const id = await app.once(request, reply, async (note) => {
        await assertAllowed(url);
        return app.write(() => {
          assertNameFree('notification', name, targets.idNamed(name));
          const target = { events: [...usualEvents], campaigns: 'all' as const, enabled: true, ...request.body };
          const made = targets.insert(target, secretFor(kind), new Date(app.now()).toISOString());
          request.audit('notification.create', made, { name });
          note(made);
          return String(made);
        });
      });
      const { secret } = stored(id);
      return reply
        .code(201)
        .header('location', `/api/v1/notifications/${id}`)
        .send({ ...targetOf(Number(id)), secret: secret || null });
    },
  );

  app.get(
    '/notifications/:id',
    allow('viewer', { summary: 'Read a notification target', params, response: { 200: NotificationTarget } }),
    async (request) => targetOf(stored(request.params.id).id),
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
      const { id, ...before } = stored(request.params.id);
      const { url = before.url, ...change } = request.body;
      const isOtherKind = change.kind !== before.kind;
      const secret = isOtherKind ? secretFor(change.kind) : before.secret;
      await assertAllowed(url);
      await app.write(() => {
        app.assertUnchanged(request, targetOf(id));
        assertNameFree('notification', change.name, targets.idNamed(change.name), id);
        targets.update(id, { events: [...usualEvents], campaigns: 'all', enabled: true, ...change, url }, secret);
        request.audit('notification.change', id, { name: change.name });
      });
      return { ...targetOf(id), secret: (isOtherKind && secret) || null };
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
      const { id, name } = stored(request.params.id);
      await app.write(() => {
        app.assertUnchanged(request, targetOf(id));
        assertUnused(id);
        targets.delete(id);
        request.audit('notification.delete', id, { name });
      });
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
      const { id, name, enabled } = stored(request.params.id);
      if (!enabled)
        throw new ProblemError(
          'invalid-request',
          `Notification target ${id} is not enabled, so that nothing is sent to it. Enable it first.`,
        );
      const delivery = await app.once(request, reply, (note) =>
        app.write(() => {
          const made = app.notifications.enqueueTest({ id, name });
          note(made);
          return made;
        }),
      );
      return reply.code(202).send(found(deliveries.find(delivery), `delivery ${delivery}`));
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
    async (request) => deliveries.page(stored(request.params.id).id, sliceOf(request.query)),
  );
}) satisfies FastifyPluginAsyncTypebox;
