import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { testApi, tokenApi } from '../../../testing/test-api.ts';

test('each token has its own count, and each address that has none', async (t) => {
  const api = await tokenApi(t, { publicReading: true, rateLimits: { viewer: 3, withoutToken: 2 } });
  const other = (await api.app.commit(() => api.app.tables.tokens.create({ name: 'another viewer', role: 'viewer' }, null))).token;
  const statuses = async (count: number, headers: Record<string, string>, remoteAddress = '192.0.2.1') => {
    const found = [];
    for (let index = 0; index < count; index += 1)
      found.push((await api.ask(null, 'GET', '/campaigns', { headers, remoteAddress })).status);
    return found;
  };
  assert.deepEqual(await statuses(4, { authorization: `Bearer ${api.tokens.viewer}` }), [200, 200, 200, 429]);
  assert.deepEqual(await statuses(1, { authorization: `Bearer ${api.tokens.viewer}` }, '192.0.2.2'), [429]);
  assert.deepEqual(await statuses(3, { authorization: `Bearer ${other}` }), [200, 200, 200]);
  assert.deepEqual(await statuses(3, {}), [200, 200, 429]);
  assert.deepEqual(await statuses(1, {}, '192.0.2.2'), [200]);
  assert.deepEqual(await statuses(1, {}, '2001:db8::1'), [200]);
  assert.deepEqual(await statuses(2, {}, '2001:db8::ffff:2'), [200, 429], 'of IPv6, a whole /64 is one');
});

test('too many requests are a problem that says when to ask again, by Retry-After too', async (t) => {
  const api = await tokenApi(t, { rateLimits: { submitter: 1 } });
  await api.ask('submitter', 'GET', '/campaigns');
  const { status, headers, body } = await api.ask('submitter', 'GET', '/conditions');
  assert.equal(status, 429);
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(body.type, problemType('rate-limited'));
  assert.match(body.detail, /^More than 1 requests in a minute with the token "the submitter"\. Ask again in \d+ s\.$/);
  assert.match(String(headers['retry-after']), /^[1-9]\d?$/);
});

test('how often still is said by the fields of the IETF’s draft, of problems and refusals too', async (t) => {
  const api = await tokenApi(t, { rateLimits: { viewer: 2 } });
  for (const [path, status, remaining] of [
    ['/campaigns', 200, 1],
    ['/campaigns/7', 404, 0],
    ['/campaigns', 429, 0],
  ] as const) {
    const reply = await api.ask('viewer', 'GET', path);
    assert.equal(reply.status, status);
    assert.equal(reply.headers['ratelimit-policy'], '"minute";q=2;w=60');
    assert.match(String(reply.headers.ratelimit), new RegExp(`^"minute";r=${remaining};t=(60|[1-5]?\\d)$`));
    assert.deepEqual(
      Object.keys(reply.headers).filter((name) => name.startsWith('x-ratelimit')),
      [],
    );
  }
  const uncounted = await api.app.inject('/healthz');
  assert.deepEqual([uncounted.headers.ratelimit, uncounted.headers['ratelimit-policy']], [undefined, undefined]);
});

test('a minute that just began has no more than 60 s left, whatever the clock’s last digits are', async (t) => {
  const api = await tokenApi(t, { rateLimits: { viewer: 2 } });
  // In floating point, a minute later less now is a little more than a minute.
  const now = 20_000.000001;
  assert.ok(now + 60_000 - now > 60_000);
  t.mock.method(performance, 'now', () => now);
  assert.equal((await api.ask('viewer', 'GET', '/campaigns')).headers.ratelimit, '"minute";r=1;t=60');
});

test('behind a proxy that is trusted, the address is the client’s; of any other proxy it is not believed', async (t) => {
  for (const [trustedProxies, expected] of [[['10.0.0.0/8'], 200] as const, [[], 429] as const]) {
    const api = await tokenApi(t, { publicReading: true, trustedProxies, rateLimits: { withoutToken: 1 } });
    const from = async (client: string) =>
      (await api.ask(null, 'GET', '/campaigns', { remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': client } })).status;
    assert.equal(await from('192.0.2.1'), 200);
    assert.equal(await from('192.0.2.2'), expected);
  }
});

test('a fleet of runners with one token sends 200 visits a second for a minute without being held up', async (t) => {
  const api = await tokenApi(t);
  const { headers } = await api.ask('runner', 'POST', '/leases/none/heartbeat');
  // With each visit its evidence, and a part of a lease, its checks, its completion and its heartbeats.
  const [, limit] = /^"minute";q=(\d+);w=60$/.exec(String(headers['ratelimit-policy'])) ?? [];
  assert.ok(Number(limit) >= 60 * 200 * 3);
});

test('where access is open nothing is counted', async (t) => {
  const { app } = await testApi(t);
  const statuses = await Promise.all(Array.from({ length: 1500 }, async () => (await app.inject('/api/v1/conditions/native')).statusCode));
  assert.deepEqual(new Set(statuses), new Set([200]));
});
