// Who is asking, and whether the route is for them.
import { timingSafeEqual } from 'node:crypto';
import { type Role, roles, type Session, type TokenScope } from '@pronghorn/core/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../shared/problems.ts';
import type { Creator } from '../../../tables/campaigns-repository.ts';
import { isPublicLinkSecret, type LivePublicLink } from '../../../tables/public-links-repository.ts';
import { type LiveToken, secretHash } from '../../../tables/tokens-repository.ts';
import { isJwt } from './oidc.ts';
import { assertRouteInScope } from './scope.ts';

/** Who asks. */
export type RequestAccess = {
  /** Null: nobody that is known. */
  role: Role | null;
  /** Of the token; null: there is none. */
  name: string | null;
  tokenId: number | null;
  /** Null: all that the role may. */
  scope: TokenScope | null;
  /** Of a job's token: when it ends, ms since 1970. */
  until: number | null;
  /** Of who is nobody that is known, and opens a public link; null: who doesn't. */
  publicLink: LivePublicLink | null;
};

/** A route and who may ask it. */
export type RouteAccess = { method: string; url: string; access: Access };

declare module 'fastify' {
  interface FastifyRequest {
    access: RequestAccess;
  }
  interface FastifyInstance {
    /** Every route that declares who may ask it. */
    routeAccess: RouteAccess[];
    /** Whether who asked is still let in, for an answer that goes on: not once its token was revoked or is expired, or its session ended. */
    isStillKnown(request: FastifyRequest): Promise<boolean>;
    /** Whether it is the token that this process made for itself; false where it has none. */
    isOwnToken(token: string): boolean;
    /** What a client is told of who asks. */
    sessionOf(access: RequestAccess): Session;
    /** Makes the first admin's token where there is no token at all, and hands it to who started the service. */
    handOutFirstToken(): Promise<void>;
    /** The token, if it can be used. @throws ProblemError unauthenticated; rate-limited after too many wrong ones. */
    verifyToken(token: string, request: FastifyRequest, reply: FastifyReply): Promise<LiveToken>;
  }
}

const nobody: RequestAccess = { role: null, name: null, tokenId: null, scope: null, until: null, publicLink: null };
/** This machine's own user. */
export const owner: RequestAccess = { ...nobody, role: 'admin' };

/**
 * Decides for each request who asks (`request.access`), and refuses what the route's `config.access` doesn't allow.
 * A route under /api/v1 that doesn't declare it keeps the service from starting.
 */
export default fp(async (app) => {
  const { accessOptions: access, now } = app;
  app.decorate('routeAccess', []);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access !== undefined) {
      for (const each of [method].flat()) app.routeAccess.push({ method: each, url, access: config.access });
    } else if (/^\/api\/v1(\/|$)/.test(url)) {
      throw new Error(`The route ${method} ${url} does not say who may ask it. Declare it: config: { access: 'viewer' }, or another role.`);
    }
  });

  const publicReading = access.kind === 'tokens' && (access.publicReading ?? false);
  const failedSignIn =
    access.kind === 'tokens' && app.createRateLimit({ max: app.rateLimits.failedSignIns, timeWindow: 60_000, keyGenerator: app.addressOf });
  /** @throws ProblemError */
  async function refuse(request: FastifyRequest, reply: FastifyReply, words: string): Promise<never> {
    // Who has a right token is never held up by others behind the same address who have not.
    const failures = failedSignIn ? await failedSignIn(request) : undefined;
    if (failures && !failures.isAllowed && failures.isExceeded) {
      reply.header('retry-after', failures.ttlInSeconds);
      throw new ProblemError(
        'rate-limited',
        `There were ${failures.max} wrong tokens in a minute from ${request.ip}. Ask again in ${failures.ttlInSeconds} s, with a token that is valid.`,
      );
    }
    reply.header('www-authenticate', 'Bearer realm="pronghorn", error="invalid_token"');
    throw new ProblemError('unauthenticated', words);
  }

  app.decorate('verifyToken', async (token, request, reply) => {
    const live = access.kind === 'tokens' && (await app.store.access.findLiveToken(token));
    return live || refuse(request, reply, 'The token is unknown, expired or revoked. Ask whoever runs this service for another.');
  });

  async function jobOf(token: string, request: FastifyRequest, reply: FastifyReply): Promise<RequestAccess> {
    const job = await app.oidc.verify(token);
    if ('words' in job) return refuse(request, reply, job.words);
    return identityOf(job.token, job.until);
  }

  const ownHash = access.kind === 'open' && access.ownToken !== undefined ? secretHash(access.ownToken) : undefined;
  app.decorate('isOwnToken', (token) => ownHash !== undefined && timingSafeEqual(secretHash(token), ownHash));

  const { publicLinkDays } = app.settings;
  app.decorate('sessionOf', ({ role, name }) =>
    ownHash === undefined
      ? { access: access.kind, publicReading, publicLinkDays, role, name }
      : { access: 'tokens', publicReading, publicLinkDays, role, name: role === null ? null : 'owner' },
  );

  /** Whoever it is besides: what a link shows is the same for everybody. */
  async function openedBy(secret: string, request: FastifyRequest, reply: FastifyReply): Promise<RequestAccess> {
    const publicLink = await app.store.publicLinks.findLive(secret);
    if (publicLink === undefined) return refuse(request, reply, 'The link is over or was revoked. Ask whoever sent it for another.');
    reply.header('cache-control', 'private, no-store');
    return { ...nobody, publicLink };
  }

  async function signedIn(request: FastifyRequest): Promise<LiveToken | undefined> {
    const secret = sessionSecretOf(request);
    const tokenId = secret && (await app.store.access.tokenOfSession(secret));
    return tokenId ? app.store.access.findLiveTokenById(tokenId) : undefined;
  }

  app.decorate('isStillKnown', async (request) => {
    const { tokenId, until } = request.access;
    if (tokenId === null) return true; // access is open, or reading is
    if (until !== null && until <= now()) return false;
    const live = await (bearerOf(request) === undefined ? signedIn(request) : app.store.access.findLiveTokenById(tokenId));
    return live?.id === tokenId;
  });

  async function identify(request: FastifyRequest, reply: FastifyReply): Promise<RequestAccess> {
    const bearer = bearerOf(request);
    if (access.kind === 'open') {
      if (ownHash === undefined) return owner;
      if (!app.isOwnToken(bearer ?? sessionSecretOf(request) ?? '')) return nobody;
      if (bearer === undefined) assertOwnPage(request);
      return owner;
    }
    if (bearer !== undefined && isPublicLinkSecret(bearer)) return openedBy(bearer, request, reply);
    if (bearer !== undefined && isJwt(bearer)) return jobOf(bearer, request, reply);
    if (bearer !== undefined) return identityOf(await app.verifyToken(bearer, request, reply));
    const live = await signedIn(request);
    if (live) {
      assertOwnPage(request);
      return identityOf(live);
    }
    return publicReading ? { ...nobody, role: 'viewer' } : nobody;
  }

  app.decorate('handOutFirstToken', async () => {
    if (access.kind === 'open' || access.onFirstToken === undefined) return;
    const first = await app.store.access.createFirstToken();
    if (first !== null) access.onFirstToken(first.token);
  });

  app.decorateRequest('access', undefined as unknown as RequestAccess); // set before anything reads it
  app.addHook('onRequest', async (request, reply) => {
    const { access: needed, admits } = request.routeOptions.config;
    request.access = nobody;
    if (needed === undefined) return;
    request.access = await identify(request, reply);
    if (needed !== 'anyone' && !(await admits?.(request))) assertMay(request, reply, needed);
    assertRouteInScope(request);
  });
});

/** Undefined: there is none. Other schemes are a gateway's business. */
function bearerOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^bearer(?: +(.*))?$/i.exec(headers.authorization ?? '');
  return bearer ? (bearer[1]?.trim() ?? '') : undefined;
}

/**
 * What a submitter made is its own: nobody else's token changes it, but an admin's.
 *
 * @param what such as `campaign 12`. @param createdBy name of a token; null: this machine's own command.
 * @throws ProblemError forbidden.
 */
export function assertOwn({ role, name }: RequestAccess, what: string, createdBy: string | null): void {
  if (role === 'admin' || (name !== null && createdBy === name)) return;
  const whose = createdBy === null ? 'this machine’s own command' : `"${createdBy}"`;
  throw new ProblemError(
    'forbidden',
    `${what} was made by ${whose}; "${name}" may not change it. Ask with that token, or with an admin's.`,
  );
}

/** Of a campaign that is asked for; null: of this machine's own user. */
export const creatorOf = ({ name }: RequestAccess): Creator | null => (name === null ? null : { kind: 'token', name });

/** @param until when a job's token ends. */
export const identityOf = ({ id, name, role, scope }: LiveToken, until: number | null = null): RequestAccess => ({
  ...{ role, name, scope, until, publicLink: null },
  tokenId: id,
});

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });

function assertMay(request: FastifyRequest, reply: FastifyReply, needed: Access): void {
  const { role, name, publicLink } = request.access;
  if (publicLink !== null) {
    const what = `${request.method} ${request.url.split('?', 1)[0]}`;
    throw new ProblemError('forbidden', `${what} is not part of what this link opens. Sign in with a token to see more.`);
  }
  const may = rolesThatMay(needed);
  if (role !== null && may.includes(role)) return;
  const what = `${request.method} ${request.url.split('?', 1)[0]} needs a token of role ${anyOf.format(may)}`;
  if (name === null) {
    reply.header('www-authenticate', 'Bearer realm="pronghorn"');
    throw new ProblemError('unauthenticated', `${what}. Send it as Authorization: Bearer prg_….`);
  }
  throw new ProblemError('forbidden', `${what}; "${name}" is ${role}. Ask with another token.`);
}

/** Browsers send a cookie by themselves: a change must say that this service's own page asks. Of an Origin that is sent, same-host decides. */
function assertOwnPage({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD' || headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  throw new ProblemError(
    'foreign-origin',
    'A session changes things for pages of this service alone, and there is no Origin. Send a token.',
  );
}

/** Who may ask a route: the least role, or 'anyone', also who has no token. */
export type Access = Role | 'anyone';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may ask; 'anyone': also who has no token. */
    access?: Access;
    /** Whether a request shows by itself that it may ask, whoever sends it: by a public link. */
    admits?: (request: FastifyRequest) => Promise<boolean>;
  }
}

const allowed: Record<Access, readonly Role[]> = {
  anyone: roles,
  viewer: ['viewer', 'submitter', 'admin'],
  submitter: ['submitter', 'admin'],
  // Not above viewer: a runner's token lies on machines in many places, and none of them needs to read what others measured.
  runner: ['runner', 'admin'],
  admin: ['admin'],
};

const rolesThatMay = (access: Access): readonly Role[] => allowed[access];

/**
 * Over https its name makes browsers refuse one that another host or an unencrypted connection sets (RFC 6265bis, cookie name prefixes);
 * the prefix can't be used over plain http, as on a laptop.
 */
const cookieName = ({ protocol }: FastifyRequest) => (protocol === 'https' ? '__Host-pronghorn' : 'pronghorn');

/** Not for scripts, and not with requests that other sites begin. */
const attributesFor = ({ protocol }: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure: protocol === 'https' }) as const;

export const sessionSecretOf = (request: FastifyRequest): string | undefined => request.cookies[cookieName(request)];

/** @param maxAgeMs how long the browser keeps it. */
export function sendSession(request: FastifyRequest, reply: FastifyReply, secret: string, maxAgeMs: number): void {
  reply.setCookie(cookieName(request), secret, { ...attributesFor(request), maxAge: Math.floor(maxAgeMs / 1000) });
}

export function dropSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request), attributesFor(request));
}
