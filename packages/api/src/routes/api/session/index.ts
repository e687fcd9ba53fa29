import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, Session, SessionRequest } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { identityOf, owner } from '../../../plugins/app/access/access.ts';
import { dropSession, sendSession, sessionSecretOf } from '../../../plugins/app/access/session-cookie.ts';

const config = { access: 'anyone' } as const;
const tags = ['access'];
/** Of one address: each is a row in two tables. */
const signInsAMinute = 60;
/** Of a process's own token, which ends with the process: its cookie may stay for a day. */
const ownSessionMs = 24 * 3_600_000;

/** Who is asking; and how a browser signs in and out. */
export default (async (app) => {
  app.get(
    '/session',
    { config, schema: { summary: 'Who is asking', tags, response: { 200: Session, '4xx': Problem } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return app.sessionOf(request.access);
    },
  );

  app.post(
    '/session',
    {
      config: { ...config, rateLimit: { max: signInsAMinute } },
      schema: {
        summary: 'Sign a browser in: sets a cookie',
        tags,
        body: SessionRequest,
        response: { 200: Session, '4xx': Problem },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (app.sessionOf(request.access).access === 'open') return app.sessionOf(request.access);
      if (app.isOwnToken(request.body.token)) {
        sendSession(request, reply, request.body.token, ownSessionMs);
        return app.sessionOf(owner);
      }
      const token = await app.verifyToken(request.body.token, request, reply);
      const before = sessionSecretOf(request);
      const { id, name } = token;
      const { secret, lastsMs } = await app.write(() => {
        if (before !== undefined) app.sessions.end(before);
        app.audit.record({ by: name, action: 'session.create', subject: String(id), detail: { address: request.ip } });
        return app.sessions.create(token);
      });
      sendSession(request, reply, secret, lastsMs);
      return app.sessionOf(identityOf(token));
    },
  );

  app.delete(
    '/session',
    { config, schema: { summary: 'Sign a browser out', tags, response: { 204: Type.Null(), '4xx': Problem } } },
    async (request, reply) => {
      const secret = sessionSecretOf(request);
      if (secret !== undefined) await app.write(() => app.sessions.end(secret));
      dropSession(request, reply);
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
