import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { type TokenApi, tokenApi } from '../../../testing/test-api.ts';

const signIn = async (api: TokenApi, token = api.tokens.submitter, headers: Record<string, string> = {}) =>
  api.ask(null, 'POST', '/session', { payload: { token }, headers });
const cookieOf = ({ cookies }: Awaited<ReturnType<typeof signIn>>) => `${cookies[0]?.name}=${cookies[0]?.value}`;

test('a browser signs in with a token, is known by its cookie, and signs out', async (t) => {
  const api = await tokenApi(t);
  assert.deepEqual((await api.ask(null, 'GET', '/session')).body, {
    access: 'tokens',
    publicReading: false,
    publicLinkDays: null,
    role: null,
    name: null,
  });
  const reply = await signIn(api);
  assert.equal(reply.status, 200);
  assert.equal(
    String(reply.headers['set-cookie']).replace(/=[0-9a-f]{64};/, '=…;'),
    'pronghorn=…; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict',
  );
  const cookie = cookieOf(reply);
  assert.ok(!cookie.includes(api.tokens.submitter.slice(4)));
  const who = { access: 'tokens', publicReading: false, publicLinkDays: null, role: 'submitter', name: 'the submitter' };
  assert.deepEqual(reply.body, who);
  assert.deepEqual((await api.ask(null, 'GET', '/session', { headers: { cookie } })).body, who);
  assert.equal((await api.ask(null, 'GET', '/tokens', { headers: { cookie } })).status, 403);

  const out = await api.ask(null, 'DELETE', '/session', { headers: { cookie, origin: 'http://localhost:80' } });
  assert.deepEqual([out.status, out.cookies[0]?.value, out.cookies[0]?.expires?.getTime()], [204, '', 0]);
  assert.equal((await api.ask(null, 'GET', '/session', { headers: { cookie } })).body.role, null, 'who kept the cookie is out too');
});

test('over https the cookie is for https alone', async (t) => {
  const api = await tokenApi(t, { trustedProxies: ['127.0.0.1'] });
  const overHttps = { 'x-forwarded-proto': 'https' };
  const reply = await signIn(api, api.tokens.viewer, overHttps);
  assert.match(String(reply.headers['set-cookie']), /^__Host-pronghorn=[0-9a-f]{64}; .*; Secure/);
  const cookie = cookieOf(reply);
  const roleWith = async (headers: Record<string, string>) => (await api.ask(null, 'GET', '/session', { headers })).body.role;
  assert.equal(await roleWith({ cookie, ...overHttps }), 'viewer');
  assert.equal(await roleWith({ cookie: cookie.replace('__Host-', ''), ...overHttps }), null);
  // Who is no trusted proxy does not say what the connection was.
  const direct = await tokenApi(t);
  assert.doesNotMatch(String((await signIn(direct, direct.tokens.viewer, overHttps)).headers['set-cookie']), /Secure/);
});

test('a session ends with its token, when that is revoked or expires, and after seven days', async (t) => {
  const api = await tokenApi(t);
  const { id, token } = await api.app.commit(() =>
    api.app.tables.tokens.create({ name: 'a week and a day', role: 'viewer', expiresAt: '2026-03-09T12:00:00Z' }, null),
  );
  const roleOf = async (cookie: string) => (await api.ask(null, 'GET', '/session', { headers: { cookie } })).body.role;
  const first = cookieOf(await signIn(api, token));
  api.clock.now = Date.parse('2026-03-08T11:59:59Z');
  assert.equal(await roleOf(first), 'viewer');
  api.clock.now = Date.parse('2026-03-08T12:00:00Z');
  assert.equal(await roleOf(first), null);

  const last = await signIn(api, token);
  assert.equal(last.cookies[0]?.maxAge, 24 * 3600, 'no longer than the token');
  assert.equal(await roleOf(cookieOf(last)), 'viewer');
  api.clock.now = Date.parse('2026-03-09T12:00:00Z');
  assert.equal(await roleOf(cookieOf(last)), null);

  api.clock.now = Date.parse('2026-03-08T13:00:00Z');
  const another = cookieOf(await signIn(api, token));
  await api.app.commit(() => api.app.tables.tokens.revoke(id));
  assert.equal(await roleOf(another), null);
});

test('a cookie that is not known any more does not keep anybody from what all may read', async (t) => {
  const api = await tokenApi(t, { publicReading: true });
  assert.equal((await api.ask(null, 'GET', '/campaigns', { headers: { cookie: 'pronghorn=gone' } })).status, 200);
});

test('signing in anew ends the session before', async (t) => {
  const api = await tokenApi(t);
  const cookie = cookieOf(await signIn(api));
  await signIn(api, api.tokens.viewer, { cookie, origin: 'http://localhost:80' });
  assert.equal((await api.ask(null, 'GET', '/session', { headers: { cookie } })).body.role, null);
});

test('with the cookie, only pages of this service change anything', async (t) => {
  const api = await tokenApi(t);
  const cookie = cookieOf(await signIn(api));
  const payload = { name: 'mine', up: {}, down: { rateKbps: 500 } };
  const put = async (headers: Record<string, string>) =>
    await api.ask(null, 'PUT', '/conditions/mine', { payload, headers: { cookie, ...headers } });
  for (const origin of ['https://evil.example', 'http://localhost:8081', 'http://sub.localhost', 'null']) {
    const { status, body } = await put({ origin });
    assert.deepEqual([status, body.type], [403, problemType('foreign-origin')], origin);
  }
  assert.equal((await put({})).body.type, problemType('foreign-origin'), 'a form without Origin');
  assert.equal((await put({ 'sec-fetch-site': 'same-site' })).body.type, problemType('foreign-origin'));
  assert.equal((await put({ origin: 'http://localhost' })).status, 201);
  assert.equal((await put({ 'sec-fetch-site': 'same-origin' })).status, 200);
  // Another page can't sign a browser in as somebody else, either.
  assert.equal((await signIn(api, api.tokens.viewer, { origin: 'https://evil.example' })).status, 403);
});

test('a wrong token signs nobody in, and wrong ones from one address are soon not answered', async (t) => {
  const api = await tokenApi(t, { rateLimits: { failedSignIns: 3 } });
  const from = (remoteAddress: string, token: string) => api.ask(null, 'POST', '/session', { payload: { token }, remoteAddress });
  const bearer = (remoteAddress: string, token: string) =>
    api.ask(null, 'GET', '/campaigns', { headers: { authorization: `Bearer ${token}` }, remoteAddress });
  for (let attempt = 1; attempt <= 2; attempt += 1) assert.equal((await from('192.0.2.1', 'prg_guess')).status, 401);
  assert.equal((await bearer('192.0.2.1', 'prg_guess')).status, 401);
  const { status, headers, body } = await from('192.0.2.1', 'prg_guess');
  assert.deepEqual([status, body.type, headers['content-type']], [429, problemType('rate-limited'), 'application/problem+json']);
  assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 60);
  assert.equal((await bearer('192.0.2.1', 'prg_guess')).status, 429);
  assert.equal((await from('192.0.2.2', 'prg_guess')).status, 401, 'another address');
  assert.equal((await bearer('192.0.2.1', api.tokens.viewer)).status, 200, 'a right token behind the same address');
  assert.equal((await from('192.0.2.1', api.tokens.viewer)).status, 200);
});

test('nobody signs in without end', async (t) => {
  const api = await tokenApi(t);
  const statuses = new Set<number>();
  for (let count = 1; count <= 60; count += 1) statuses.add((await signIn(api)).status);
  assert.deepEqual([...statuses], [200]);
  assert.equal((await signIn(api)).status, 429);
  assert.equal((await api.ask(null, 'GET', '/session')).status, 200);
});
