import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { createTokensRepository } from '../../../tables/tokens-repository.ts';
import { testFolder, tokenApi } from '../../../testing/test-api.ts';

const request = { name: 'runner Berlin', role: 'runner' };

test('a token is shown once, when it is made, and works from then on', async (t) => {
  const api = await tokenApi(t);
  const { status, headers, body } = await api.ask('admin', 'POST', '/tokens', { payload: request });
  assert.deepEqual([status, headers['cache-control']], [201, 'no-store']);
  const { token, ...rest } = body;
  assert.match(token, /^prg_[0-9a-f]{64}$/);
  assert.deepEqual(rest, {
    id: '5',
    ...request,
    scope: null,
    issuer: null,
    createdAt: '2026-03-01T12:00:00.000Z',
    createdBy: 'the admin',
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  });
  const listed = (await api.ask('admin', 'GET', '/tokens')).body.items;
  assert.deepEqual(listed[0], rest);
  assert.ok(!JSON.stringify(listed).includes(token.slice(4)));
  assert.equal((await api.ask(null, 'POST', '/leases', { payload: {}, headers: { authorization: `Bearer ${token}` } })).status, 400);
});

test('no token and no session is in the database or the log, only their hashes', async (t) => {
  const folder = testFolder(t);
  const log: string[] = [];
  const stream = new PassThrough().on('data', (chunk) => log.push(String(chunk)));
  const options = { database: join(folder, 'pronghorn.db'), logger: { level: 'trace', pretty: false, stream } as const };
  const api = await tokenApi(t, {}, options);
  const { token } = (await api.ask('admin', 'POST', '/tokens', { payload: request })).body;
  const cookie = (await api.ask(null, 'POST', '/session', { payload: { token } })).cookies[0]?.value ?? '';
  await api.ask(null, 'GET', '/campaigns', { headers: { authorization: `Bearer ${token}` } });
  await api.ask(null, 'GET', '/session', { headers: { cookie: `pronghorn=${cookie}` } });
  await api.ask(null, 'POST', '/session', { payload: { token: `${token}x` } });
  await api.ask(null, 'POST', '/leases', { payload: { token }, headers: { authorization: `Bearer ${token}` } });
  api.app.log.error({ headers: { authorization: `Bearer ${token}`, cookie }, token }, 'somebody logs too much');
  api.app.database.pragma('wal_checkpoint(TRUNCATE)');
  const stored = readFileSync(options.database, 'latin1');
  const logged = log.join('');
  assert.match(logged, /"route":"\/api\/v1\/session"/);
  assert.match(logged, /somebody logs too much/);
  assert.equal(cookie.length, 64);
  for (const secret of [token.slice(4), cookie]) {
    assert.ok(!logged.includes(secret), 'in the log');
    assert.ok(!stored.includes(secret) && !stored.includes(Buffer.from(secret, 'hex').toString('latin1')), 'in the database');
  }
});

test('a revoked token ends at once, for good, and its name is free again', async (t) => {
  const api = await tokenApi(t);
  const { id, token } = (await api.ask('admin', 'POST', '/tokens', { payload: { name: 'ci', role: 'submitter' } })).body;
  const asToken = async () => (await api.ask(null, 'GET', '/campaigns', { headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await asToken(), 200);
  const taken = await api.ask('admin', 'POST', '/tokens', { payload: { name: 'ci', role: 'viewer' } });
  assert.deepEqual([taken.status, taken.body.type], [409, problemType('name-taken')]);
  api.clock.now += 1000;
  const revoked = await api.ask('admin', 'DELETE', `/tokens/${id}`);
  assert.deepEqual([revoked.status, revoked.body.revokedAt], [200, '2026-03-01T12:00:01.000Z']);
  assert.equal(await asToken(), 401);
  api.clock.now += 1000;
  assert.equal((await api.ask('admin', 'DELETE', `/tokens/${id}`)).body.revokedAt, '2026-03-01T12:00:01.000Z');
  assert.equal((await api.ask('admin', 'POST', '/tokens', { payload: { name: 'ci', role: 'viewer' } })).status, 201);
  for (const id of ['99', 'ci', '-1', '1e3']) assert.equal((await api.ask('admin', 'DELETE', `/tokens/${id}`)).status, 404, id);
});

test('its last use is known at once, and stored later: who reads writes nothing', async (t) => {
  const api = await tokenApi(t);
  const changes = () => api.app.database.prepare<[], { count: number }>('SELECT total_changes() AS count').get()?.count;
  const stored = () => createTokensRepository(api.app.database, Date.now).findByName('the viewer')?.lastUsedAt;
  const useAt = async (time: string) => {
    api.clock.now = Date.parse(time);
    await api.ask('viewer', 'GET', '/campaigns');
    return api.app.tables.tokens.findByName('the viewer')?.lastUsedAt;
  };
  const before = changes();
  assert.equal(await useAt('2026-03-01T12:00:59.999Z'), '2026-03-01T12:00:59.999Z');
  assert.deepEqual([changes(), stored()], [before, null]);
  await api.app.store.access.storeTokenUses(await api.app.store.access.unstoredTokenUses());
  assert.equal(stored(), '2026-03-01T12:00:59.999Z');
});

test('a token that would be expired when it is made is refused, and so is a time that is none', async (t) => {
  const api = await tokenApi(t);
  for (const expiresAt of ['2026-03-01T12:00:00Z', '2026-03-01T12:30:00+01:00', '2026-12-31T23:59:60Z', 'tomorrow']) {
    const { status, body } = await api.ask('admin', 'POST', '/tokens', { payload: { ...request, expiresAt } });
    assert.equal(status, 400, expiresAt);
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['#/expiresAt'],
      expiresAt,
    );
  }
});

test('a name is readable and no id', async (t) => {
  const api = await tokenApi(t);
  const statusFor = async (name: string) => (await api.ask('admin', 'POST', '/tokens', { payload: { name, role: 'viewer' } })).status;
  for (const name of ['77', ' ', '1 2', 'a\nb', 'a\0', '\x1b[2J', '', 'x'.repeat(101)])
    assert.equal(await statusFor(name), 400, JSON.stringify(name));
  for (const name of ['2nd runner', 'naïve Läufer', '跑者', "o'clock", 'x'.repeat(100)]) assert.equal(await statusFor(name), 201, name);
});

test('what happens to tokens is in the audit log, with who did it', async (t) => {
  const api = await tokenApi(t);
  const { id } = (await api.ask('admin', 'POST', '/tokens', { payload: request })).body;
  await api.ask('admin', 'DELETE', `/tokens/${id}`);
  await api.ask('admin', 'DELETE', `/tokens/${id}`); // changes nothing, and is not told of
  const { items } = (await api.ask('admin', 'GET', '/audit?limit=2')).body;
  assert.deepEqual(
    items.map(({ by, action, subject, at }: Record<string, string>) => [by, action, subject, at]),
    [
      ['the admin', 'token.revoke', id, '2026-03-01T12:00:00.000Z'],
      ['the admin', 'token.create', id, '2026-03-01T12:00:00.000Z'],
    ],
  );
  assert.deepEqual(items[1].detail, { name: 'runner Berlin', role: 'runner', expiresAt: null });
});
