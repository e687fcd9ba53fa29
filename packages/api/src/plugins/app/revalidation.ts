// Clients may keep what they read, ask whether it is still so, and change it only if it is: ETag, If-None-Match and If-Match (RFC 9110, 8.8.3
// and 13.1).
import { createHash } from 'node:crypto';
import fastifyEtag from '@fastify/etag';
import type { FastifySchema, preValidationHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import Type from 'typebox';
import { ProblemError } from '../../shared/problems.ts';
import type { Caller } from '../../store/caller.ts';

/** Of each route that changes something in place. */
export const preconditionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'The ETag of what was read before: if it was changed since, the answer is 412, and nothing is changed. Left out, the last one wins.',
    }),
  ),
});

/** What a strong ETag ends with where its bytes are compressed: other bytes need another one. */
const encoded = /-(?:br|gzip)"/g;

const hashOf = (payload: string | Buffer): string => createHash('sha256').update(payload).digest('base64');

/**
 * Part of the transaction that changes something.
 * @param now what a GET of it answers; undefined: nothing.
 * @throws ProblemError changed-meanwhile: If-Match names another state of it.
 */
export function assertUnchanged({ ifMatch, path }: Pick<Caller, 'ifMatch' | 'path'>, now: unknown): void {
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const tags = ifMatch
    .replaceAll(encoded, '"')
    .split(',')
    .map((tag) => tag.trim());
  if (now !== undefined && tags.includes(`"${hashOf(JSON.stringify(now))}"`)) return;
  throw new ProblemError(
    'changed-meanwhile',
    `${path} was changed since it had the ETag ${ifMatch}. Read it again (GET), and send the change with its new ETag.`,
  );
}

/**
 * Every reply that is not a stream gets the hash of its content as ETag, unless its route set one, which must be strong. Without a
 * word of its route a reply may be kept, by its reader alone, and must be asked for again.
 */
export default fp(async (app) => {
  app.addHook('onRequest', async (request) => {
    const { 'if-none-match': asked } = request.headers;
    if (asked !== undefined) request.headers['if-none-match'] = asked.replaceAll(encoded, '"');
  });
  await app.register(fastifyEtag, { hashFn: hashOf });
  app.addHook('onRoute', (route) => {
    const readOnly = route.method === 'PUT' && route.schema?.headers === preconditionHeaders ? readOnlyOf(route.schema) : [];
    if (readOnly.length > 0) route.preValidation = [dropping(readOnly), route.preValidation ?? []].flat();
  });
  app.addHook('onRoute', (route) => {
    // After compression, which is a hook of the route too.
    route.onSend = [route.onSend ?? []].flat().concat((_request, reply, payload, done) => {
      const [etag, encoding] = [reply.getHeader('etag'), reply.getHeader('content-encoding')];
      if (typeof etag === 'string' && etag.startsWith('"') && (encoding === 'br' || encoding === 'gzip')) {
        reply.header('etag', `${etag.slice(0, -1)}-${encoding}"`);
      }
      if (etag !== undefined && !reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
      done(null, payload);
    });
  });
});

type Properties = { properties?: Record<string, unknown> } | undefined;

/** What a GET tells of something besides what a PUT says of it. */
function readOnlyOf({ body, response }: FastifySchema): string[] {
  const answers = response as Record<string, Properties> | undefined;
  const settable = (body as Properties)?.properties ?? {};
  return Object.keys((answers?.['200'] ?? answers?.['2xx'])?.properties ?? {}).filter((name) => !(name in settable));
}

/** So that what a GET answered can be sent back, with what was changed in it. */
const dropping =
  (names: readonly string[]): preValidationHookHandler =>
  (request, _reply, done) => {
    if (typeof request.body === 'object' && request.body !== null) {
      for (const name of names) delete (request.body as Record<string, unknown>)[name];
    }
    done();
  };
