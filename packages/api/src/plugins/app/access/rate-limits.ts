// How many requests a minute: of each token, and of what has none, of each address.
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../shared/problems.ts';
import { defaultRateLimits, type RateLimits } from './access-options.ts';

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits;
    /** What an address is counted as: itself, or the /64 of IPv6, which is what one customer has. */
    addressOf(request: FastifyRequest): string;
    /** Who asks, where requests are counted: a token, or an address that has none. */
    countedAs(request: FastifyRequest): string;
  }
}

const windowMs = 60_000;
const libraryHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

type Count = { current: number; ttl: number; endsAt: number };
/** Of each store; the longest unused go first. */
const maxCounted = 5_000;

/** As the library's own, which counts by the machine's clock: set back by a day, it would hold up for a day who had asked too often. */
class SteadyStore {
  readonly #counts = new Map<string, Count>();

  incr(key: string, callback: (error: Error | null, count?: { current: number; ttl: number }) => void, timeWindow = 60_000): void {
    const now = performance.now();
    const before = this.#counts.get(key);
    const endsAt = before !== undefined && before.endsAt > now ? before.endsAt : now + timeWindow;
    const count = {
      current: before?.endsAt === endsAt ? before.current + 1 : 1,
      ttl: Math.min(timeWindow, Math.ceil(endsAt - now)),
      endsAt,
    };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > maxCounted) this.#counts.delete(this.#counts.keys().next().value as string);
    callback(null, count);
  }

  child(): SteadyStore {
    return new SteadyStore();
  }
}

/**
 * Each process counts for itself: with two of them twice as many pass, which is as good a fence. Where access is open nothing is
 * counted, since everybody is the machine's own user.
 */
export default fp(async (app) => {
  const { accessOptions: access } = app;
  const limits = { ...defaultRateLimits, ...(access.kind === 'tokens' ? access.rateLimits : {}) };
  app.decorate('rateLimits', limits);
  app.decorate('addressOf', (request: FastifyRequest) => normalizeIP(request.ip));
  app.decorate('countedAs', (request: FastifyRequest) =>
    request.access.tokenId === null ? app.addressOf(request) : `token ${request.access.tokenId}`,
  );
  if (access.kind === 'open') return;
  // As draft-ietf-httpapi-ratelimit-headers-10 has them, which the library does not write.
  app.addHook('onSend', async (_request, reply) => {
    const [limit, remaining, resetS] = libraryHeaders.map((name) => reply.getHeader(name));
    for (const name of libraryHeaders) reply.removeHeader(name);
    if (limit === undefined) return;
    reply.header('ratelimit-policy', `"minute";q=${limit};w=${windowMs / 1_000}`);
    reply.header('ratelimit', `"minute";r=${remaining};t=${resetS}`);
  });
  await app.register(rateLimit, {
    timeWindow: windowMs,
    store: SteadyStore,
    max: ({ access: { role, tokenId } }) => limits[tokenId === null || role === null ? 'withoutToken' : role],
    keyGenerator: app.countedAs,
    errorResponseBuilder: ({ access: { name } }, { max, ttl }) =>
      new ProblemError(
        'rate-limited',
        `More than ${max} requests in a minute ${name === null ? 'from this address without a token' : `with the token "${name}"`}. Ask again in ${Math.ceil(ttl / 1000)} s.`,
      ),
  });
});
