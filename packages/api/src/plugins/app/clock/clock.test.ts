// What happens to everything that knows a time when the machine's clock is set: nothing is lost, and nothing waits for years.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Readiness } from '@pronghorn/core/schemas';
import { type ApiOptions, buildApi } from '../../../app.ts';
import { openRetention } from '../../../offline.ts';
import { openDatabase } from '../../../storage/database.ts';
import { ownCaller } from '../../../store/caller.ts';
import { dayMs } from '../../../tables/retention-repository.ts';
import { seriesOf } from '../../../testing/exposition.ts';
import { receiver } from '../../../testing/receiver.ts';
import { sampleRegistration, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';
import { removeOld } from '../retention/retention.ts';
import { createClock, probationMs } from './clock.ts';

const [hourMs, yearMs] = [3_600_000, 365 * dayMs];
const start = Date.parse('2026-03-01T12:00:00Z');
const policy = { resourcesDays: 30, evidenceDays: 7, logDays: 30 };
const never = new AbortController().signal;

async function measured(api: Pick<TestApi, 'campaign' | 'lease' | 'upload' | 'complete'> & { app: TestApi['app'] }): Promise<string> {
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0);
  await api.upload(lease, visit);
  const headers = { 'content-type': 'application/gzip' };
  const sent = await api.app.inject({
    method: 'PUT',
    url: `/api/v1/visits/${visit.id}/evidence`,
    payload: gzipSync(JSON.stringify(visit.id)),
    headers,
  });
  assert.equal(sent.statusCode, 201, sent.body);
  await api.complete(lease);
  return visit.id;
}

/** A look of retention's loop. */
const retain = ({ app, clock }: TestApi) => {
  const { retention, store, log } = app;
  return removeOld({ retention, store, now: () => clock.now, log }, policy, never);
};
const evidenceOf = async (api: TestApi, id: string) => (await api.app.inject(`/api/v1/visits/${id}/evidence`)).statusCode;

/** A clock on a database of its own, whose machine runs for a while. */
function alone() {
  const database = openDatabase(':memory:');
  const machine = { now: start, ran: 0 };
  const boot = () =>
    createClock(
      database,
      () => machine.now,
      () => machine.ran,
    );
  let clock = boot();
  return {
    machine,
    clock: () => clock,
    boot() {
      clock = boot();
      clock.look();
    },
    /** By minutes, as the loop looks. */
    run(ms: number) {
      for (let left = ms; left > 0; left -= 60_000) {
        machine.now += Math.min(left, 60_000);
        machine.ran += Math.min(left, 60_000);
        clock.look();
      }
    },
  };
}

test('a service that starts ten years ahead removes nothing, says so, and goes on as before when the clock is right again', async (t) => {
  const folder = testFolder(t);
  const serve = async (now: number) => {
    const options: ApiOptions = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), now: () => now };
    const app = await buildApi({ ...options, retention: policy, readiness: { minFreeBytes: 1 } });
    const read = async (url: string) => app.inject({ method: 'GET', url });
    return { app, read };
  };
  const ahead = start + 10 * yearMs;
  const api = await testApi(t, { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') });
  const visit = await measured(api);
  await api.app.close();

  const wrong = await serve(ahead);
  assert.equal((await wrong.read(`/api/v1/visits/${visit}/evidence`)).statusCode, 200);
  const readiness: Readiness = (await wrong.read('/readyz')).json();
  assert.equal(readiness.status, 'ready');
  assert.match(
    readiness.checks.find(({ name }) => name === 'clock')?.detail ?? '',
    /^The clock of this machine is 3650 days ahead of the time that the service last saw\. Nothing is removed by its age until the service has run for 24 more hours\./,
  );
  assert.equal(readiness.checks.find(({ name }) => name === 'clock')?.isWarning, true);
  assert.equal(seriesOf((await wrong.read('/metrics')).body).get('pronghorn_clock_doubt_seconds'), (10 * yearMs) / 1_000);
  await wrong.app.close();

  const right = await serve(start + hourMs);
  t.after(() => right.app.close());
  assert.equal((await right.read(`/api/v1/visits/${visit}/evidence`)).statusCode, 200);
  assert.equal((await right.read(`/api/v1/visits/${visit}/resources`)).statusCode, 200);
  assert.equal(seriesOf((await right.read('/metrics')).body).get('pronghorn_clock_doubt_seconds'), 0);
});

test('a clock that stays ahead is believed after a day of running, over restarts and pauses; then retention goes on', () => {
  const { machine, clock, boot, run } = alone();
  clock().look();
  machine.now += 30 * dayMs; // the machine was off for a month
  boot();
  for (let days = 0; days < 2; days += 1) {
    run(8 * hourMs);
    assert.notEqual(clock().doubt(), null);
    machine.now += 16 * hourMs;
    boot();
  }
  assert.deepEqual(clock().doubt(), { byMs: 30 * dayMs + 48 * hourMs, leftMs: probationMs - 16 * hourMs });
  run(8 * hourMs);
  assert.equal(clock().doubt(), null);
});

test('a clock that comes back is believed at once, and the next false time begins its day anew', () => {
  const { machine, clock, run } = alone();
  clock().look();
  const away = () => {
    machine.now += 10 * yearMs;
    clock().look();
    run(20 * hourMs);
    assert.notEqual(clock().doubt(), null);
  };
  away();
  machine.now -= 10 * yearMs;
  clock().look();
  assert.equal(clock().doubt(), null);
  away();
  assert.notEqual(clock().doubt(), null, 'two times 20 hours are no day');
});

test('several processes run no longer together than the clock goes on', () => {
  const database = openDatabase(':memory:');
  const machine = { now: start };
  const processes = [0, 1, 2].map(() =>
    createClock(
      database,
      () => machine.now,
      () => machine.now,
    ),
  );
  processes[0]?.look();
  machine.now += 10 * yearMs;
  for (const clock of processes) clock.look();
  for (let minutes = 0; minutes < 23 * 60; minutes += 1) {
    machine.now += 60_000;
    for (const clock of processes) clock.look();
  }
  assert.equal(processes[0]?.doubt()?.leftMs, hourMs);
});

test('a new database believes the first time that it sees', () => {
  assert.equal(createClock(openDatabase(':memory:'), () => start).doubt(), null);
});

for (const [jump, ms] of [
  ['an hour', hourMs],
  ['a day and a bit', dayMs + hourMs],
  ['ten years', 10 * yearMs],
] as const) {
  test(`set ahead by ${jump} and back: evidence, requests and log stay, retention goes on`, async (t) => {
    const api = await testApi(t);
    const before = await measured(api);
    api.clock.now += ms;
    await retain(api);
    const meanwhile = await measured(api);
    api.clock.now += -ms + 60_000;
    await retain(api);
    const after = await measured(api);
    for (const id of [before, meanwhile, after]) {
      assert.deepEqual([await evidenceOf(api, id), (await api.get(`/visits/${id}/resources`)).status], [200, 200]);
    }
    api.clock.now += 10 * dayMs;
    await api.app.store.clock.believe(); // it ran all the time
    await retain(api);
    for (const id of [before, meanwhile, after]) assert.equal(await evidenceOf(api, id), 410);
  });

  test(`set back by ${jump} and ahead again: what was measured meanwhile is not taken for old`, async (t) => {
    const api = await testApi(t);
    await measured(api);
    api.clock.now += 40 * dayMs;
    await api.app.store.clock.believe(); // it ran all the time
    await retain(api);
    api.clock.now -= ms;
    const meanwhile = await measured(api);
    api.clock.now += ms + dayMs;
    await api.app.store.clock.believe();
    await retain(api);
    assert.equal(await evidenceOf(api, meanwhile), 200);
  });

  test(`set ahead by ${jump} and back: a lease of that time ends, by its runner or without it; an upload is stored once`, async (t) => {
    const api = await testApi(t);
    await api.campaign({ protocols: ['h2'], rounds: 2 });
    api.clock.now += ms;
    const [alive, gone] = [await api.lease({ runner: 'alive' }), await api.lease({ runner: 'gone' })];
    api.clock.now -= ms;
    const visit = sampleVisit(alive, 0);
    assert.deepEqual([(await api.upload(alive, visit)).status, (await api.upload(alive, visit)).status], [201, 200]);
    assert.equal((await api.complete(alive)).status, 204);
    await api.lease({ runner: 'asks' }); // nothing is queued yet; the look shortens what lasts too long
    api.clock.now += 61_000;
    const again = await api.lease({ runner: 'asks' });
    assert.deepEqual([again?.round.id, again?.round.attempt], [gone.round.id, 2]);
  });

  test(`set back by ${jump}: a runner that died before is lost, one that is there is seen with its next sign`, async (t) => {
    const api = await testApi(t);
    const [dead, there] = [sampleRegistration('dead'), sampleRegistration('there')];
    for (const registration of [dead, there]) await api.post('/runners', registration);
    api.clock.now -= ms;
    const said = { instance: there.instance, doing: 'working', trouble: null, cpuShare: null };
    await api.post('/runners/2/heartbeat', said);
    const states = (await api.get('/runners')).body.items.map(({ name, state }: { name: string; state: string }) => [name, state]);
    assert.deepEqual(states, [
      ['dead', 'lost'],
      ['there', 'alive'],
    ]);
  });

  test(`set ahead by ${jump} and back: tokens and sessions are as they were`, async (t) => {
    const api = await tokenApi(t);
    const expiresAt = new Date(start + 30 * 60_000).toISOString();
    const { access } = api.app.store;
    const { created } = await access.createToken({ name: 'short', role: 'viewer', expiresAt }, ownCaller);
    const { token } = created ?? assert.fail();
    const status = async () =>
      (await api.app.inject({ method: 'GET', url: '/api/v1/campaigns', headers: { authorization: `Bearer ${token}` } })).statusCode;
    const admin = { id: 1, name: 'x', role: 'admin', scope: null, expiresAt: null } as const;
    const signIn = () => access.createSession(admin, { before: undefined, address: '127.0.0.1' });
    const { secret: session } = await signIn();
    assert.equal(await status(), 200);
    api.clock.now += ms;
    assert.equal(await status(), 401);
    await signIn(); // removes what has ended
    api.clock.now -= ms;
    assert.equal(await status(), 200);
    assert.equal(api.app.tables.sessions.findTokenId(session), 1);
  });

  test(`set ahead by ${jump} and back: a schedule starts the next night, and no night twice`, async (t) => {
    const api = await testApi(t);
    const made = await api.post('/schedules', {
      name: 'nightly',
      cron: '30 2 * * *',
      timeZone: 'UTC',
      campaign: { sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 1 },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    api.clock.now += ms;
    await api.app.scheduler.tick();
    api.clock.now -= ms;
    const nights: string[] = [];
    for (let hours = 0; hours < 72; hours += 1) {
      api.clock.now += hourMs;
      await api.app.scheduler.tick();
      for (const { id } of (await api.get('/campaigns')).body.items) await api.post(`/campaigns/${id}/cancel`);
    }
    for (const { dueAt } of (await api.get(`/schedules/${made.body.id}/starts`)).body.items) if (dueAt !== null) nights.push(dueAt);
    const expected = ['2026-03-04T02:30:00.000Z', '2026-03-03T02:30:00.000Z', '2026-03-02T02:30:00.000Z'];
    assert.deepEqual(nights, expected);
  });

  test(`set ahead by ${jump} and back: a notification of that time is delivered`, async (t) => {
    const api = await testApi(t);
    const { url, got } = await receiver(t);
    const { body } = await api.post('/notifications', { name: 'hook', kind: 'webhook', url, events: ['gate-failed'] });
    api.clock.now += ms;
    await api.post(`/notifications/${body.id}/test`);
    api.clock.now -= ms;
    await api.app.notifications.tick();
    if (ms === hourMs) api.clock.now += hourMs; // less than a pause between tries: it waits for its time
    await api.app.notifications.tick();
    assert.equal(got.length, 1);
  });
}

test('retention by hand refuses a clock that is doubted', async (t) => {
  const folder = testFolder(t);
  const file = join(folder, 'pronghorn.db');
  const database = openDatabase(file);
  createClock(database, () => Date.now() - 40 * dayMs).look();
  database.close();
  const open = openRetention({ database: file, evidenceDirectory: join(folder, 'evidence') });
  t.after(() => open.close());
  assert.equal(Math.round(((await open.clock.doubt())?.byMs ?? 0) / dayMs), 40);
});

test('whoever asked too often is let in after a minute, whatever the clock was set to', async (t: TestContext) => {
  let steady = 1_000;
  t.mock.method(performance, 'now', () => steady);
  t.mock.timers.enable({ apis: ['Date'], now: start + 10 * yearMs });
  const api = await tokenApi(t, { rateLimits: { viewer: 1 } });
  const ask = async () => (await api.ask('viewer', 'GET', '/campaigns')).status;
  assert.deepEqual([await ask(), await ask()], [200, 429]);
  t.mock.timers.setTime(start);
  steady += 60_001;
  assert.equal(await ask(), 200);
});
