import assert from 'node:assert/strict';
import { test } from 'node:test';
import cookie from '@fastify/cookie';
import { problemType, roles } from '@pronghorn/core/schemas';
import { type FastifyInstance, fastify } from 'fastify';
import store from '../../../store/plugin.ts';
import { settingsOf } from '../../../store/settings.ts';
import { type Asker, testApi, tokenApi } from '../../../testing/test-api.ts';
import sqlite from '../../external/sqlite.ts';
import clock from '../clock/clock.ts';
import type { Access } from './access.ts';
import accessPlugin from './access.ts';
import oidc from './oidc.ts';
import rateLimits from './rate-limits.ts';
import tokenUses from './token-uses.ts';

/** Who gets through to what. Written out once more, not taken from the code that decides. */
const through: Record<Access, readonly Asker[]> = {
  anyone: [null, 'viewer', 'submitter', 'runner', 'admin'],
  viewer: ['viewer', 'submitter', 'admin'],
  submitter: ['submitter', 'admin'],
  runner: ['runner', 'admin'],
  admin: ['admin'],
};
const askers: readonly Asker[] = [null, ...roles];

/** With ids that nothing has: who gets through finds nothing there. */
const pathOf = (url: string) => url.replace(/^\/api\/v1/, '').replaceAll(/:\w+/g, '0');

test('every route lets in the roles that it declares, and nobody else', async (t) => {
  const api = await tokenApi(t);
  assert.ok(api.app.routeAccess.length > 60);
  for (const { method, url, access } of api.app.routeAccess.filter(({ url }) => url.startsWith('/api/v1/'))) {
    for (const asker of askers) {
      const { status, body } = await api.ask(asker, method, pathOf(url));
      const what = `${method} ${url} (${access}) by ${asker ?? 'nobody'}: ${status}`;
      if (through[access].includes(asker)) assert.ok(status !== 401 && status !== 403, what);
      else assert.equal(status, asker === null ? 401 : 403, what);
      if (status === 403) assert.equal(body === '' || body.type === problemType('forbidden'), true, what);
    }
  }
});

test('with public reading, what viewers may read needs no token, and nothing else changes', async (t) => {
  const api = await tokenApi(t, { publicReading: true });
  for (const { method, url, access } of api.app.routeAccess.filter(({ url }) => url.startsWith('/api/v1/'))) {
    const { status } = await api.ask(null, method, pathOf(url));
    assert.equal(status === 401, access !== 'anyone' && access !== 'viewer', `${method} ${url} (${access}): ${status}`);
  }
});

/** What the rules of docs/security.md say of a route, whatever it declares. */
/** Questions that are too long for an address: they change nothing. */
const readByPost = ['/gates/read', '/conditions/preview'];

function expected(method: string, path: string): readonly Access[] {
  if (/^\/(tokens|audit)(\/|$)/.test(path)) return ['admin'];
  if (path === '/session') return ['anyone'];
  if (/^\/leases(\/|$)/.test(path)) return ['runner'];
  if (method === 'GET' || method === 'HEAD' || readByPost.includes(path)) return ['viewer', 'anyone', 'admin'];
  return ['submitter', 'runner', 'admin'];
}

test('what changes something is for nobody without a token, and no reader', async (t) => {
  const { app } = await testApi(t);
  for (const { method, url, access } of app.routeAccess.filter(({ url }) => url.startsWith('/api/v1/'))) {
    const may = expected(method, url.replace('/api/v1', ''));
    assert.ok(may.includes(access), `${method} ${url} is for ${access}; expected ${may.join(' or ')}`);
  }
  const access = (method: string, path: string) =>
    app.routeAccess.find((route) => route.method === method && route.url === `/api/v1${path}`);
  for (const [method, path, least] of [
    ['GET', '/health', 'anyone'],
    ['GET', '/campaigns', 'viewer'],
    ['GET', '/campaigns/:id/events', 'viewer'],
    ['GET', '/visits/:id/evidence', 'viewer'],
    ['GET', '/visits/:id/filmstrip', 'viewer'],
    ['POST', '/campaigns', 'submitter'],
    ['POST', '/campaigns/:id/cancel', 'submitter'],
    ['DELETE', '/conditions/:name', 'submitter'],
    ['PUT', '/environments/:id', 'runner'],
    ['PUT', '/leases/:id/discoveries/:discoveryId', 'runner'],
    ['PUT', '/visits/:id/evidence', 'runner'],
    ['PUT', '/leases/:id/visits/:visitId', 'runner'],
  ] as const) {
    assert.equal(access(method, path)?.access, least, `${method} ${path}`);
  }
});

test('a route of the api that does not say who may ask it keeps the service from starting', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  app.decorate('now', Date.now);
  app.decorate('accessOptions', { getter: () => ({ kind: 'open' as const }) });
  await app.register(cookie);
  await app.register(sqlite, { file: ':memory:' });
  await app.register(store, {
    settings: settingsOf({ database: ':memory:', evidenceDirectory: '' }),
    lockWaitMs: undefined,
    checkpoints: 'service',
    threads: false,
  });
  await app.register(clock);
  await app.register(tokenUses);
  await app.register(rateLimits);
  await app.register(oidc);
  await app.register(accessPlugin);
  const routes = async (scope: FastifyInstance) => {
    scope.get('/said', { config: { access: 'viewer' } }, () => '');
    scope.get('/forgotten', () => '');
  };
  await assert.rejects(
    async () => app.register(routes, { prefix: '/api/v1' }),
    /The route GET \/api\/v1\/forgotten does not say who may ask it\. Declare it/,
  );
});

test('where access is open everybody is admin, without a name', async (t) => {
  const api = await testApi(t);
  assert.deepEqual((await api.get('/session')).body, {
    access: 'open',
    publicReading: false,
    publicLinkDays: null,
    role: 'admin',
    name: null,
  });
  assert.equal((await api.get('/tokens')).status, 200);
  assert.equal((await api.post('/session', { token: 'prg_whatever' })).body.role, 'admin');
  assert.equal((await api.campaign()).createdBy, null);
});

test('where access is open with a token of the process’s own, that one alone asks, and a browser that was signed in by it', async (t) => {
  const ownToken = 'f'.repeat(64);
  const { app } = await testApi(t, { access: { kind: 'open', ownToken }, queue: { localReferences: true } });
  const ofDatabase = (await app.commit(() => app.tables.tokens.create({ name: 'of the service', role: 'admin' }, null))).token;
  const ask = async (headers: Record<string, string>, path = '/secrets', payload?: object) =>
    app.inject({ method: payload ? 'POST' : 'GET', url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
  const own = { authorization: `Bearer ${ownToken}` };
  for (const { method, url, access } of app.routeAccess.filter(({ url }) => url.startsWith('/api/v1/'))) {
    const { statusCode } = await app.inject({ method: method as 'GET', url: `/api/v1${pathOf(url)}` });
    assert.equal(statusCode === 401, access !== 'anyone', `${method} ${url} (${access}): ${statusCode}`);
  }
  for (const token of [ofDatabase, 'f'.repeat(63), '']) assert.equal((await ask({ authorization: `Bearer ${token}` })).statusCode, 401);
  assert.equal((await ask({}, '/session', { token: ofDatabase })).statusCode, 401);
  assert.equal((await ask(own)).statusCode, 200);
  const request = { sites: [{ url: 'https://site.example/' }], visitor: { headers: [{ name: 'X-Pass', value: 'env:PASS' }] } };
  const made = await ask(own, '/campaigns', request);
  assert.deepEqual([made.statusCode, made.json().createdBy], [201, null]);

  const signedIn = await ask({}, '/session', { token: ownToken });
  assert.deepEqual(signedIn.json(), { access: 'tokens', publicReading: false, publicLinkDays: null, role: 'admin', name: 'owner' });
  const [{ name, value } = { name: '', value: '' }] = signedIn.cookies;
  const cookie = `${name}=${value}`;
  assert.equal((await ask({ cookie })).statusCode, 200);
  assert.equal((await ask({ cookie }, '/campaigns', request)).statusCode, 403, 'a change needs a page of its own');
  assert.deepEqual((await ask({}, '/session')).json(), {
    access: 'tokens',
    publicReading: false,
    publicLinkDays: null,
    role: null,
    name: null,
  });
});

test('who asks without a token is told which one is needed, and how to send it', async (t) => {
  const api = await tokenApi(t);
  const { status, headers, body } = await api.ask(null, 'POST', '/campaigns', { payload: {} });
  assert.equal(status, 401);
  assert.equal(headers['www-authenticate'], 'Bearer realm="pronghorn"');
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(body.type, problemType('unauthenticated'));
  assert.match(body.detail, /POST \/api\/v1\/campaigns needs a token of role submitter or admin\. Send it as Authorization: Bearer/);
});

test('who has the wrong role is told so by the name of the token', async (t) => {
  const api = await tokenApi(t);
  const { body } = await api.ask('viewer', 'POST', '/campaigns', { payload: {} });
  assert.match(body.detail, /needs a token of role submitter or admin; "the viewer" is viewer/);
});

test('a token that is unknown, mistyped, expired or revoked is refused, also where none is needed', async (t) => {
  const api = await tokenApi(t, { publicReading: true });
  const statusWith = async (authorization: string, path = '/campaigns') =>
    (await api.ask(null, 'GET', path, { headers: { authorization } })).status;
  const { token } = await api.app.commit(() =>
    api.app.tables.tokens.create({ name: 'short', role: 'viewer', expiresAt: '2026-03-01T15:00:00+02:00' }, null),
  );
  assert.equal(await statusWith(`Bearer ${token}`), 200);
  assert.equal(await statusWith(`bearer  ${token} `), 200);
  api.clock.now = Date.parse('2026-03-01T12:59:59.999Z');
  assert.equal(await statusWith(`Bearer ${token}`), 200);
  api.clock.now += 1;
  assert.equal(await statusWith(`Bearer ${token}`), 401);

  assert.equal(await statusWith(`Bearer ${api.tokens.viewer}`), 200);
  assert.equal((await api.ask('admin', 'DELETE', `/tokens/${api.app.tables.tokens.findByName('the viewer')?.id}`)).status, 200);
  assert.equal(await statusWith(`Bearer ${api.tokens.viewer}`), 401);
  for (const wrong of ['Bearer', 'Bearer prg_', `Bearer ${api.tokens.admin}0`, `Bearer ${api.tokens.admin.slice(0, -1)}`, 'Bearer a b'])
    assert.equal(await statusWith(wrong, '/health'), 401, wrong);
  // Such as what a gateway asks for before it lets anybody through: not ours.
  assert.equal(await statusWith('Basic dXNlcjpwYXNz'), 200);
});

test('a campaign tells by its createdBy which token asked for it', async (t) => {
  const api = await tokenApi(t);
  const payload = { sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 };
  assert.equal((await api.ask('submitter', 'POST', '/campaigns', { payload })).body.createdBy, 'the submitter');
});
