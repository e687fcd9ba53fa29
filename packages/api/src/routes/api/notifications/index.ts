import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Delivery,
  NamedPageQuery,
  NotificationChange,
  NotificationRequest,
  NotificationTarget,
  Page,
  PageQuery,
  Problem,
  SavedNotificationTarget,
} from '@pronghorn/core/schemas';
import { usualEvents } from '@pronghorn/core/vocabulary';
import Type from 'typebox';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { newSecret } from '../../../plugins/app/notifications/signature.ts';
import { shown } from '../../../plugins/app/notifications/targets-repository.ts';
import { preconditionHeaders, preconditionProblems } from '../../../plugins/app/revalidation.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const tags = ['notifications'];

/** Who is told of what by webhook, and what became of each message. */
export default (async (app) => {
  const { targets, deliveries, now } = app.notifications;
  const secretFor = (kind: NotificationTarget['kind']) => (kind === 'webhook' ? newSecret() : '');
  const stored = (id: string) => found(targets.find(rowId(id)), `notification target ${id}`);
  const targetOf = (id: number) => shown(stored(String(id)), deliveries.countsOf(id));

  const assertAllowed = (url: string) => app.destinations.assertAllowed(url, { what: 'The webhook' });

  /** Part of the transaction that takes the name. @throws ProblemError name-taken. */
  function assertNameFree(name: string, own?: number): void {
    const other = targets.idNamed(name);
    if (other !== undefined && other !== own) {
      throw new ProblemError(
        'name-taken',
        `Notification target ${other} is called "${name}". Change that one (PUT /api/v1/notifications/${other}), or take another name.`,
      );
    }
  }

  /** A schedule whose only target is gone would fail in silence. @throws ProblemError target-in-use. */
  function assertUnused(id: number): void {
    const schedules = app.schedules.telling(id);
    if (schedules.length === 0) return;
    const named = schedules.slice(0, 10).map((schedule) => `${schedule.id} (${schedule.name})`);
    const more = schedules.length > named.length ? ` and ${schedules.length - named.length} more` : '';
    throw new ProblemError(
      'target-in-use',
      `Notification target ${id} is named by schedule ${named.join(', ')}${more}. Take it out of their notifications first, by PUT /api/v1/schedules/:id.`,
    );
  }

  app.get(
    '/notifications',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List who is told',
        tags,
        querystring: NamedPageQuery,
        response: { 200: Page(NotificationTarget), '4xx': Problem },
      },
    },
    async (request) => targets.page(sliceOf(request.query), request.query.name ?? null, deliveries.countsOf),
  );

  app.post(
    '/notifications',
    {
      config: { access: 'admin', problems: ['address-refused', 'name-taken', ...idempotencyProblems] },
      schema: {
        summary: 'Tell somebody by webhook',
        tags,
        headers: idempotencyHeaders,
        body: NotificationRequest,
        response: { 201: SavedNotificationTarget, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { name, url, kind } = request.body;
      const id = await app.once(request, reply, async (note) => {
        await assertAllowed(url);
        return app.write(() => {
          assertNameFree(name);
          const target = { events: [...usualEvents], campaigns: 'all' as const, enabled: true, ...request.body };
          const made = targets.insert(target, secretFor(kind), new Date(now()).toISOString());
          app.audit.record({ by: request.access.name, action: 'notification.create', subject: String(made), detail: { name } });
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
    {
      config: { access: 'viewer' },
      schema: { summary: 'Read who is told', tags, params, response: { 200: NotificationTarget, '4xx': Problem } },
    },
    async (request) => targetOf(stored(request.params.id).id),
  );

  app.put(
    '/notifications/:id',
    {
      config: { access: 'admin', problems: ['address-refused', 'name-taken', ...preconditionProblems] },
      schema: {
        summary: 'Change who is told',
        tags,
        params,
        headers: preconditionHeaders,
        body: NotificationChange,
        response: { 200: SavedNotificationTarget, '4xx': Problem },
      },
    },
    async (request) => {
      const { id, ...before } = stored(request.params.id);
      const { url = before.url, ...change } = request.body;
      const isOtherKind = change.kind !== before.kind;
      const secret = isOtherKind ? secretFor(change.kind) : before.secret;
      await assertAllowed(url);
      await app.write(() => {
        app.assertUnchanged(request, targetOf(id));
        assertNameFree(change.name, id);
        targets.update(id, { events: [...usualEvents], campaigns: 'all', enabled: true, ...change, url }, secret);
        app.audit.record({ by: request.access.name, action: 'notification.change', subject: String(id), detail: { name: change.name } });
      });
      return { ...targetOf(id), secret: (isOtherKind && secret) || null };
    },
  );

  app.delete(
    '/notifications/:id',
    {
      config: { access: 'admin', problems: ['target-in-use', ...preconditionProblems] },
      schema: { summary: 'Tell them no more', tags, params, headers: preconditionHeaders, response: { 204: Type.Null(), '4xx': Problem } },
    },
    async (request, reply) => {
      const { id, name } = stored(request.params.id);
      await app.write(() => {
        app.assertUnchanged(request, targetOf(id));
        assertUnused(id);
        targets.delete(id);
        app.audit.record({ by: request.access.name, action: 'notification.delete', subject: String(id), detail: { name } });
      });
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/notifications/:id/test',
    {
      config: { access: 'admin', problems: ['invalid-request', ...idempotencyProblems] },
      schema: { summary: 'Send a test message', tags, params, headers: idempotencyHeaders, response: { 202: Delivery, '4xx': Problem } },
    },
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
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'What became of each message, newest first',
        tags,
        params,
        querystring: PageQuery,
        response: { 200: Page(Delivery), '4xx': Problem },
      },
    },
    async (request) => deliveries.page(stored(request.params.id).id, sliceOf(request.query)),
  );
}) satisfies FastifyPluginAsyncTypebox;
