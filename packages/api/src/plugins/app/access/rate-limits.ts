// How many requests a minute: of each token, and of what has none, of each address.
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import { type AccessOptions, defaultRateLimits, type RateLimits } from './access-options.ts';

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits;
    /** What an address is counted as: itself, or the /64 of IPv6, which is what one customer has. */
    addressOf(request: FastifyRequest): string;
  }
}

type Count = { current: number; ttl: number; endsAt: number };
/** Of each store; the longest unused go first. */
const mostCounted = 5_000;

/** As the library's own, which counts by the machine's clock: set back by a day, it would hold up for a day who had asked too often. */
class SteadyStore {
  readonly #counts = new Map<string, Count>();

  incr(key: string, callback: (error: Error | null, count?: { current: number; ttl: number }) => void, timeWindow = 60_000): void {
    const now = performance.now();
    const before = this.#counts.get(key);
    const endsAt = before !== undefined && before.endsAt > now ? before.endsAt : now + timeWindow;
    const count = { current: before?.endsAt === endsAt ? before.current + 1 : 1, ttl: Math.ceil(endsAt - now), endsAt };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > mostCounted) this.#counts.delete(this.#counts.keys().next().value as string);
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
export default fp<{ access: AccessOptions }>(
  async (app, { access }) => {
    const limits = { ...defaultRateLimits, ...(access.kind === 'tokens' ? access.rateLimits : {}) };
    app.decorate('rateLimits', limits);
    app.decorate('addressOf', (request: FastifyRequest) => normalizeIP(request.ip));
    if (access.kind === 'open') return;
    await app.register(rateLimit, {
      timeWindow: 60_000,
      store: SteadyStore,
      max: ({ access: { role, tokenId } }) => limits[tokenId === null || role === null ? 'withoutToken' : role],
      keyGenerator: (request) => (request.access.tokenId === null ? app.addressOf(request) : `token ${request.access.tokenId}`),
      errorResponseBuilder: ({ access: { name } }, { max, ttl }) =>
        new ProblemError(
          'rate-limited',
          `More than ${max} requests in a minute ${name === null ? 'from this address without a token' : `with the token "${name}"`}. Ask again in ${Math.ceil(ttl / 1000)} s.`,
        ),
    });
  },
  { name: 'rate-limits' },
);
