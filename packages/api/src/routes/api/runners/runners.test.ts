import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { problemType, type RunnerHeartbeat, type RunnerRegistration, runnerProtocol } from '@pronghorn/core/schemas';
import { sampleRegistration } from '../../../testing/samples.ts';
import { testApi, tokenApi } from '../../../testing/test-api.ts';

const sign = ({ instance }: RunnerRegistration, given: Partial<RunnerHeartbeat> = {}): RunnerHeartbeat => ({
  instance,
  doing: 'working',
  trouble: null,
  cpuShare: 0.25,
  ...given,
});

test('a runner registers once however often it says so, and is shown with all that it said', async (t) => {
  const api = await testApi(t);
  const registration = sampleRegistration('runner', { location: 'fra' });
  const first = await api.post('/runners', registration);
  assert.deepEqual([first.status, first.headers.location], [201, '/api/v1/runners/1']);
  const { instance, ...shown } = registration;
  assert.deepEqual(first.body, {
    id: '1',
    ...shown,
    state: 'alive',
    roundId: null,
    trouble: null,
    cpuShare: null,
    outdated: false,
    versionWords: null,
    registeredAt: '2026-03-01T12:00:00.000Z',
    seenAt: '2026-03-01T12:00:00.000Z',
    heartbeatMs: 15_000,
  });
  api.clock.now += 1000;
  const again = await api.post('/runners', { ...registration, location: 'nyc' });
  assert.deepEqual([again.status, again.body.id, again.body.location], [200, '1', 'nyc']);
  assert.equal(again.body.registeredAt, '2026-03-01T12:00:00.000Z');
  assert.deepEqual((await api.get('/runners')).body.items, [again.body]);
});

test('a runner is alive, busy, draining, lost or stopped', async (t) => {
  const api = await testApi(t);
  const registration = sampleRegistration('runner');
  await api.post('/runners', registration);
  const state = async () => (await api.get('/runners/1')).body.state;
  assert.equal(await state(), 'alive');
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease({ runner: 'runner', instance: registration.instance });
  assert.equal(await state(), 'busy');
  assert.equal((await api.get('/runners/1')).body.roundId, lease.round.id);
  assert.equal((await api.post('/runners/1/heartbeat', sign(registration, { doing: 'draining' }))).body.state, 'draining');
  api.clock.now += 45_000;
  assert.equal(await state(), 'draining');
  api.clock.now += 1;
  assert.equal(await state(), 'lost');
  const back = await api.post('/runners/1/heartbeat', sign(registration, { trouble: 'The disk is full.' }));
  assert.deepEqual([back.body.state, back.body.trouble, back.body.cpuShare], ['busy', 'The disk is full.', 0.25]);
  assert.equal((await api.post('/runners/1/heartbeat', sign(registration, { doing: 'stopped' }))).body.state, 'stopped');
  api.clock.now += 3_600_000;
  assert.equal(await state(), 'stopped');
});

test('signs that overtake each other leave what was said last', async (t) => {
  const api = await testApi(t);
  const registration = sampleRegistration('runner');
  await api.post('/runners', registration);
  const say = async (given: Partial<RunnerHeartbeat>) => {
    const { status, body } = await api.post('/runners/1/heartbeat', sign(registration, given));
    assert.equal(status, 200);
    return [body.state, body.trouble];
  };
  assert.deepEqual(await say({ sequence: 1 }), ['alive', null]);
  assert.deepEqual(await say({ sequence: 4, doing: 'draining' }), ['draining', null]);
  assert.deepEqual(await say({ sequence: 3, trouble: 'The disk is full.' }), ['draining', null]);
  assert.deepEqual(await say({ sequence: 4, trouble: 'Sent twice.' }), ['draining', null]);
  assert.deepEqual(await say({ sequence: 6, doing: 'stopped' }), ['stopped', null]);
  assert.deepEqual(await say({ sequence: 5, doing: 'draining' }), ['stopped', null]);
});

test('a runner that signed off is back only when it registers, also where its signs are not counted', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const registration = sampleRegistration('runner');
  await api.post('/runners', registration);
  await api.post('/runners/1/heartbeat', sign(registration, { doing: 'stopped' }));
  assert.equal((await api.post('/runners/1/heartbeat', sign(registration))).body.state, 'stopped');
  const { status, body } = await api.post('/leases', { runner: 'runner', instance: registration.instance });
  assert.deepEqual([status, body.detail], [404, 'Runner "runner" has signed off. Register it again by POST /api/v1/runners.']);
  await api.post('/runners', registration);
  assert.equal((await api.post('/runners/1/heartbeat', sign(registration))).body.state, 'alive');
  const after = sampleRegistration('runner');
  await api.post('/runners/1/heartbeat', sign(registration, { sequence: 9 }));
  await api.post('/runners', after);
  assert.equal((await api.post('/runners/1/heartbeat', sign(after, { sequence: 1, doing: 'draining' }))).body.state, 'draining');
});

test('a new process of a name takes its place: the old one’s round is lost at once, and its signs are refused', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const [before, after] = [sampleRegistration('runner'), sampleRegistration('runner')];
  await api.post('/runners', before);
  const held = await api.lease({ runner: 'runner', instance: before.instance });
  assert.equal((await api.post('/runners', after)).body.id, '1');
  assert.equal((await api.post(`/leases/${held.id}/heartbeat`)).body.type, problemType('lease-lost'));
  for (const refused of [
    await api.post('/runners/1/heartbeat', sign(before)),
    await api.post('/leases', { runner: 'runner', instance: before.instance }),
  ]) {
    assert.deepEqual([refused.status, refused.body.type], [409, problemType('runner-replaced')]);
    assert.match(refused.body.detail, /End one of the two, or give each a name of its own/);
  }
  const again = await api.lease({ runner: 'runner', instance: after.instance });
  assert.deepEqual([again.round.id, again.round.attempt], [held.round.id, 2]);
  assert.match(again.round.reason ?? '', /its runner started anew/);
});

test('a runner of another protocol is refused, one of another version is told of', async (t) => {
  const api = await testApi(t);
  const stranger = await api.post('/runners', sampleRegistration('stranger', { protocol: runnerProtocol + 1, version: '9.0.0' }));
  assert.deepEqual([stranger.status, stranger.body.type], [409, problemType('runner-incompatible')]);
  assert.match(stranger.body.detail, /of version 9\.0\.0 speaks protocol 3; this service of version \S+ speaks 2\. Update the service\./);
  const older = (await api.post('/runners', sampleRegistration('older', { version: '0.0.9' }))).body;
  assert.equal(older.outdated, true);
  assert.match(older.versionWords, /^0\.0\.9 is older than the service’s/);
  const newer = (await api.post('/runners', sampleRegistration('newer', { version: '1.10.0-rc.1' }))).body;
  assert.equal(newer.outdated, false);
  assert.match(newer.versionWords, /^1\.10\.0-rc\.1 is newer than/);
});

test('a runner’s name belongs to the token that registered it, as long as that is valid and its runner there', async (t) => {
  const api = await tokenApi(t);
  const { token, id } = await api.app.commit(() => api.app.tables.tokens.create({ name: 'of another place', role: 'runner' }, null));
  const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } });
  const register = async (asking: object) =>
    (await api.ask('runner', 'POST', '/runners', { payload: sampleRegistration('fra-1'), ...asking })).status;
  const mine = sampleRegistration('fra-1');
  assert.equal((await api.ask('runner', 'POST', '/runners', { payload: mine })).status, 201);
  const refused = await api.ask('runner', 'POST', '/runners', { payload: sampleRegistration('fra-1'), ...as(token) });
  assert.deepEqual([refused.status, refused.body.type], [409, problemType('runner-present')]);
  assert.match(refused.body.detail, /Runner "fra-1" registered with the token "the runner"/);

  await api.ask('runner', 'POST', '/runners/1/heartbeat', { payload: sign(mine, { doing: 'stopped' }) });
  assert.equal(await register(as(token)), 200);
  assert.equal(await register({}), 409);
  assert.equal(await register(as(api.tokens.admin)), 200);
  assert.equal(await register(as(token)), 409);
  await api.app.commit(() => api.app.tables.tokens.revoke(api.app.tables.tokens.findByName('the admin')?.id ?? ''));
  assert.equal(await register(as(token)), 200);
  await api.app.commit(() => api.app.tables.tokens.revoke(id));
  assert.equal(await register({}), 200);
});

test('leases are lost by their runner’s name only at the word of the token that asked for them, or an admin’s', async (t) => {
  const api = await tokenApi(t);
  const { token } = await api.app.commit(() => api.app.tables.tokens.create({ name: 'of another place', role: 'runner' }, null));
  await api.app.store.campaigns.submit({ sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 2 });
  const lease = async () => (await api.ask('runner', 'POST', '/leases', { payload: { runner: 'fra-1' } })).body;
  const held = await lease();
  const refused = await api.ask('runner', 'DELETE', '/leases?runner=fra-1', { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual([refused.status, refused.body.type], [403, problemType('forbidden')]);
  assert.equal((await api.ask('runner', 'POST', `/leases/${held.id}/heartbeat`)).status, 200);
  assert.deepEqual((await api.ask('runner', 'DELETE', '/leases?runner=fra-1')).body, { lost: 1 });
  await lease();
  assert.deepEqual((await api.ask('admin', 'DELETE', '/leases?runner=fra-1')).body, { lost: 1 });
});

test('a runner that is gone can be forgotten, one that is there cannot; its leases stay', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const registration = sampleRegistration('runner');
  await api.post('/runners', registration);
  const lease = await api.lease({ runner: 'runner', instance: registration.instance });
  const present = await api.delete('/runners/1');
  assert.deepEqual([present.status, present.body.type], [409, problemType('runner-present')]);
  api.clock.now += 50_000;
  assert.equal((await api.delete('/runners/1')).status, 204);
  assert.equal((await api.get('/runners/1')).status, 404);
  assert.equal((await api.post(`/leases/${lease.id}/heartbeat`)).status, 200);
  const unknown = await api.post('/leases', { runner: 'runner', instance: registration.instance });
  assert.deepEqual([unknown.status, unknown.body.detail], [404, 'There is no runner runner. Register it by POST /api/v1/runners.']);
  assert.equal((await api.post('/leases', { runner: 'nobody', instance: randomUUID() })).status, 404);
});
