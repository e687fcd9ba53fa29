import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  AuditEntry,
  CreatedToken,
  Page,
  PageQuery,
  SealedSecret,
  SecretUpload,
  Session,
  SessionRequest,
  secretName,
  Token,
  TokenRequest,
} from '@pronghorn/core/schemas';
import Type from 'typebox';
import { dropSession, identityOf, owner, sendSession, sessionSecretOf } from '../../../plugins/app/access/access.ts';
import { idempotencyHeaders } from '../../../plugins/app/idempotency.ts';
import { ProblemError } from '../../../shared/problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

const tags = ['access'];
/** Of one address: each is a row in two tables. */
const signInsAMinute = 60;
/** Of a process's own token, which ends with the process: its cookie may stay for a day. */
const ownSessionMs = 24 * 3_600_000;
const secretParams = Type.Object({ name: secretName });

/** Who is asking, how a browser signs in and out, tokens, secrets that campaigns refer to as secret:NAME, and who changed what. */
export default (async (app) => {
  app.get('/session', allow('anyone', { summary: 'Read who is asking', tags, response: { 200: Session } }), async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return app.sessionOf(request.access);
  });

  app.post(
    '/session',
    allow('anyone', {
      summary: 'Sign a browser in: sets a cookie',
      tags,
      body: SessionRequest,
      response: { 200: Session },
      rateLimit: { max: signInsAMinute },
    }),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (app.sessionOf(request.access).access === 'open') return app.sessionOf(request.access);
      if (app.isOwnToken(request.body.token)) {
        sendSession(request, reply, request.body.token, ownSessionMs);
        return app.sessionOf(owner);
      }
      const token = await app.verifyToken(request.body.token, request, reply);
      const { secret, lastsMs } = await app.store.access.createSession(token, { before: sessionSecretOf(request), address: request.ip });
      sendSession(request, reply, secret, lastsMs);
      return app.sessionOf(identityOf(token));
    },
  );

  app.delete(
    '/session',
    allow('anyone', { summary: 'Sign a browser out', tags, response: { 204: Type.Null() } }),
    async (request, reply) => {
      const secret = sessionSecretOf(request);
      if (secret !== undefined) await app.store.access.endSession(secret);
      dropSession(request, reply);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/tokens',
    allow('admin', {
      summary: 'List tokens, newest first',
      tags,
      querystring: PageQuery,
      response: { 200: Page(Token) },
    }),
    async (request) => app.store.access.tokens(sliceOf(request.query)),
  );

  app.post(
    '/tokens',
    allow('admin', {
      summary: 'Create a token; it is shown only once',
      tags,
      headers: idempotencyHeaders,
      body: TokenRequest,
      response: { 201: CreatedToken },
      problems: ['name-taken', 'already-made'],
    }),
    async (request, reply) => {
      const { id, created } = await app.store.access.createToken(request.body, callerOf(request));
      if (created === null) {
        const words = `Token ${id} was made under this Idempotency-Key, and was shown then. Nobody can show it again`;
        throw new ProblemError('already-made', `${words}: revoke it (DELETE /api/v1/tokens/${id}), and make another with another key.`);
      }
      return reply.code(201).header('cache-control', 'no-store').send(created);
    },
  );

  app.delete('/tokens/:id', allow('admin', { summary: 'Revoke a token', tags, params, response: { 200: Token } }), async (request) =>
    app.store.access.revokeToken(request.params.id, callerOf(request)),
  );

  app.get(
    '/secrets',
    allow('admin', {
      summary: 'List sealed secrets by name, without their values',
      tags,
      response: { 200: Type.Object({ items: Type.Array(SealedSecret) }) },
    }),
    async () => ({ items: await app.store.access.secrets() }),
  );

  app.put(
    '/secrets/:name',
    allow('admin', {
      summary: 'Store a sealed secret, in place of one of this name',
      tags,
      params: secretParams,
      body: SecretUpload,
      response: { 200: SealedSecret },
      problems: ['secrets-locked'],
    }),
    async (request) => app.store.access.putSecret(request.params.name, request.body, callerOf(request)),
  );

  app.delete(
    '/secrets/:name',
    allow('admin', {
      summary: 'Delete a secret; campaigns that refer to it fail',
      tags,
      params: secretParams,
      response: { 204: Type.Null() },
      problems: ['not-found'],
    }),
    async (request, reply) => {
      await app.store.access.deleteSecret(request.params.name, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/audit',
    allow('admin', {
      summary: 'Who changed what, newest first',
      tags,
      querystring: PageQuery,
      response: { 200: Page(AuditEntry) },
    }),
    async (request) => app.store.access.audit(sliceOf(request.query)),
  );
}) satisfies FastifyPluginAsyncTypebox;
