import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Problem, problemType, type Schedule, type ScheduleRequest, type ScheduleStart } from '@pronghorn/core/schemas';
import { openDatabase } from '../../../storage/database.ts';
import { ownCaller } from '../../../store/caller.ts';
import { createSchedulesRepository } from '../../../tables/schedules-repository.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

const nightly: ScheduleRequest = {
  name: 'shop at night',
  cron: '30 2 * * *',
  timeZone: 'Europe/Berlin',
  campaign: { sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 1 },
};

async function schedule(api: TestApi, given: Partial<ScheduleRequest> = {}): Promise<Schedule> {
  const { status, body } = await api.post('/schedules', { ...nightly, ...given });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

const startsOf = async (api: TestApi, id: string): Promise<ScheduleStart[]> =>
  (await api.get(`/schedules/${id}/starts?limit=1000`)).body.items;

/** What schedules started is called off, so that the next start doesn't overlap. */
async function cancelAll({ app }: TestApi): Promise<void> {
  for (const { id } of app.tables.schedules.page({ limit: 10, cursor: null }, null).items) {
    const last = app.tables.schedules.lastCampaign(id);
    if (last !== undefined && app.tables.campaigns.stateOf(last) === 'queued') await app.store.campaigns.cancel(String(last), ownCaller);
  }
}

/** Moves the clock by steps up to a time, with a look after each; what was started is done before the next look. */
async function live(api: TestApi, until: string, stepMs = 15 * 60_000): Promise<void> {
  for (const end = Date.parse(until); api.clock.now < end; ) {
    api.clock.now = Math.min(end, api.clock.now + stepMs);
    await api.app.scheduler.tick();
    await cancelAll(api);
  }
}

test('a schedule is made with every choice, read, listed, changed and deleted', async (t) => {
  const api = await testApi(t);
  const made = await schedule(api);
  assert.deepEqual(made, {
    id: made.id,
    ...nightly,
    campaign: { ...nightly.campaign, priority: 'schedule' },
    paused: false,
    missed: 'run-once',
    jitterSeconds: 0,
    gate: null,
    notifications: null,
    baselineRuns: 28,
    regressionThreshold: 0.1,
    createdAt: '2026-03-01T12:00:00.000Z',
    createdBy: null,
    nextRuns: ['02', '03', '04', '05', '06'].map((day) => `2026-03-${day}T01:30:00.000Z`),
    lastStart: null,
  });
  assert.deepEqual((await api.get(`/schedules/${made.id}`)).body, made);
  assert.deepEqual((await api.get('/schedules')).body, { items: [made], nextCursor: null });
  const changed = await api.put(`/schedules/${made.id}`, { ...nightly, cron: '0 4 * * 1', timeZone: 'UTC' });
  assert.deepEqual([changed.status, changed.body.nextRuns[0]], [200, '2026-03-02T04:00:00.000Z']);
  assert.equal((await api.delete(`/schedules/${made.id}`)).status, 204);
  assert.equal((await api.get(`/schedules/${made.id}`)).status, 404);
});

test('pausing takes nothing back that another process changed at the same moment', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const api = await testApi(t, { database });
  const { id } = await schedule(api);
  const other = openDatabase(database);
  t.after(() => other.close());
  const elsewhere = createSchedulesRepository(other);
  other.exec('BEGIN IMMEDIATE');
  const pausing = api.post(`/schedules/${id}/pause`);
  await api.get(`/schedules/${id}`); // by now it has read, and waits to write
  const before = elsewhere.find(Number(id)) ?? assert.fail();
  elsewhere.update(before.id, { ...before.spec, name: 'changed elsewhere', cron: '0 4 * * 1', timeZone: 'UTC' });
  other.exec('COMMIT');
  assert.equal((await pausing).status, 200);
  const { name, cron, paused } = (await api.get(`/schedules/${id}`)).body;
  assert.deepEqual([name, cron, paused], ['changed elsewhere', '0 4 * * 1', true]);
  assert.deepEqual((await api.post(`/schedules/${id}/resume`)).body.nextRuns[0], '2026-03-02T04:00:00.000Z');
});

test('what could not be started is refused at once, with every fault', async (t) => {
  const api = await testApi(t);
  const faults = async (given: Partial<ScheduleRequest>) => {
    const { status, body }: { status: number; body: Problem } = await api.post('/schedules', { ...nightly, ...given });
    assert.deepEqual([status, body.type], [422, problemType('invalid-schedule')]);
    return (body.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`).join('\n');
  };
  assert.match(await faults({ cron: 'at night' }), /^#\/cron "at night" is no cron expression/);
  assert.match(await faults({ cron: '* * * * *' }), /^#\/cron "\* \* \* \* \*" is due after 1 min again; expected at least 5 min/);
  assert.match(await faults({ cron: '0 0 31 2 *' }), /^#\/cron .* is never due again/);
  assert.match(await faults({ timeZone: 'Berlin' }), /^#\/timeZone There is no time zone "Berlin"/);
  assert.match(await faults({ cron: '0 * * * *', jitterSeconds: 3601 }), /^#\/jitterSeconds jitterSeconds is 3601/);
  assert.match(await faults({ notifications: ['7'] }), /^#\/notifications\/0 There is no notification target 7/);
  const two = await faults({ cron: 'x', campaign: { sites: [{ url: 'ftp://site.example/' }], conditions: ['nowhere'] } });
  assert.match(
    two,
    /^#\/cron .*\n#\/campaign\/sites\/0\/url .* has the scheme ftp.*\n#\/campaign\/conditions\/0 There is no condition "nowhere"/,
  );
  assert.equal((await api.get('/schedules')).body.items.length, 0);
  await schedule(api);
  assert.equal((await api.post('/schedules', nightly)).body.type, problemType('name-taken'));
});

for (const [timeZone, cron, from, to] of [
  ['Europe/Berlin', '30 2 * * *', '2026-03-14T12:00:00Z', '2026-04-13T12:00:00Z'],
  ['Europe/Berlin', '30 2 * * *', '2026-10-10T12:00:00Z', '2026-11-09T12:00:00Z'],
  ['America/New_York', '30 2 * * *', '2026-02-25T12:00:00Z', '2026-03-27T12:00:00Z'],
  ['America/New_York', '30 1 * * *', '2026-10-18T12:00:00Z', '2026-11-17T12:00:00Z'],
  ['Australia/Lord_Howe', '15 2 * * *', '2026-09-20T02:00:00Z', '2026-10-20T02:00:00Z'],
  ['Australia/Lord_Howe', '45 1 * * *', '2026-03-20T02:00:00Z', '2026-04-19T02:00:00Z'],
  ['UTC', '30 2 * * *', '2026-03-14T12:00:00Z', '2026-04-13T12:00:00Z'],
] as const) {
  test(`thirty nights in ${timeZone} from ${from.slice(0, 10)}, with the clocks changed among them, start thirty campaigns`, async (t) => {
    const api = await testApi(t);
    api.clock.now = Date.parse(from);
    const { id } = await schedule(api, { timeZone, cron });
    await live(api, to);
    const starts = await startsOf(api, id);
    assert.equal(starts.length, 30);
    assert.ok(starts.every(({ outcome, words }) => outcome === 'started' && words === 'Started in time.'));
    const night = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    assert.equal(new Set(starts.map(({ dueAt }) => night.format(Date.parse(dueAt ?? '')))).size, 30);
    assert.equal(new Set(starts.map(({ campaignId }) => campaignId)).size, 30);
    assert.equal((await api.get('/campaigns?limit=1000')).body.items.length, 30);
  });
}

test('a campaign of a schedule waits behind all others, and says who asked for it', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api, { campaign: { ...nightly.campaign, priority: 'interactive' } });
  await live(api, '2026-03-02T02:00:00Z');
  const [start] = await startsOf(api, id);
  const campaign = (await api.get(`/campaigns/${start?.campaignId}`)).body;
  assert.deepEqual([campaign.priority, campaign.createdBy], ['schedule', 'shop at night']);
  assert.deepEqual((await api.get(`/schedules/${id}`)).body.lastStart, start);
});

test('jitter delays each start by an amount of its own, and what is due stays what it is', async (t) => {
  const api = await testApi(t);
  const made = await schedule(api, { jitterSeconds: 3600 });
  await live(api, '2026-03-06T12:00:00Z', 60_000);
  const starts = (await startsOf(api, made.id)).reverse();
  assert.deepEqual(
    starts.map(({ dueAt }) => dueAt),
    ['02', '03', '04', '05', '06'].map((day) => `2026-03-${day}T01:30:00.000Z`),
  );
  const early = starts.map(({ decidedAt }, night) => Date.parse(decidedAt) - Date.parse(made.nextRuns[night] ?? ''));
  assert.ok(
    early.every((ms) => ms >= 0 && ms < 60_000),
    `started ${early} ms after the time that was told`,
  );
  const jitters = made.nextRuns.map((run) => Date.parse(run) % 86_400_000);
  assert.equal(new Set(jitters).size, 5);
});

test('of starts that were missed the last one is made up for, once, and the history tells of all', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api);
  api.clock.now = Date.parse('2026-03-05T09:00:00Z'); // three nights and a half without the service
  for (let looks = 0; looks < 3; looks++) await api.app.scheduler.tick();
  const starts = await startsOf(api, id);
  assert.deepEqual(
    starts.map(({ dueAt, outcome }) => [dueAt?.slice(8, 10), outcome]),
    [
      ['05', 'started'],
      ['04', 'missed'],
      ['03', 'missed'],
      ['02', 'missed'],
    ],
  );
  assert.equal(starts[0]?.words, 'Missed: the service did not run at that time. It is made up for.');
  await cancelAll(api);
  await live(api, '2026-03-06T12:00:00Z');
  assert.deepEqual((await startsOf(api, id)).map(({ outcome }) => outcome).slice(0, 2), ['started', 'started']);
});

test('a schedule that skips missed starts waits for the next one', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api, { missed: 'skip' });
  api.clock.now = Date.parse('2026-03-03T09:00:00Z');
  await api.app.scheduler.tick();
  assert.deepEqual(
    (await startsOf(api, id)).map(({ outcome }) => outcome),
    ['missed', 'missed'],
  );
  api.clock.now = Date.parse('2026-03-04T01:34:00Z'); // four minutes late are in time
  await api.app.scheduler.tick();
  assert.deepEqual(
    (await startsOf(api, id)).map(({ outcome }) => outcome),
    ['started', 'missed', 'missed'],
  );
});

test('a stop of a year leaves a short history, and one campaign', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api, { cron: '*/5 * * * *', timeZone: 'UTC' });
  api.clock.now = Date.parse('2027-03-01T12:01:00Z');
  await api.app.scheduler.tick();
  const starts = await startsOf(api, id);
  assert.deepEqual([starts[0]?.outcome, starts[0]?.dueAt], ['started', '2027-03-01T12:00:00.000Z']);
  assert.ok(starts.length < 200 && starts.slice(1).every(({ outcome }) => outcome === 'missed'));
  assert.equal((await api.get(`/schedules/${id}`)).body.nextRuns[0], '2027-03-01T12:05:00.000Z');
});

test('while the campaign before is not finished none is started, and the history says which one', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api);
  for (const day of ['02', '03']) {
    api.clock.now = Date.parse(`2026-03-${day}T01:30:00Z`);
    await api.app.scheduler.tick();
  }
  const [second, first] = await startsOf(api, id);
  assert.deepEqual([first?.outcome, second?.outcome, second?.campaignId], ['started', 'overlapping', null]);
  assert.equal(second?.words, `Campaign ${first?.campaignId}, which this schedule started before, is not finished: 0 of 1 rounds are.`);
  assert.equal((await api.get('/campaigns')).body.items.length, 1);
  const refused = await api.post(`/schedules/${id}/start`);
  assert.deepEqual([refused.status, refused.body.type], [409, problemType('schedule-busy')]);
  await cancelAll(api);
  await live(api, '2026-03-04T02:00:00Z');
  assert.equal((await startsOf(api, id))[0]?.outcome, 'started');
});

test('a campaign that cannot be run any more is told of, and the schedule goes on', async (t) => {
  const api = await testApi(t);
  await api.put('/conditions/lab', { name: 'lab', up: { delayMs: 5 }, down: {} });
  const { id } = await schedule(api, { campaign: { ...nightly.campaign, conditions: ['lab'] } });
  await api.delete('/conditions/lab');
  await live(api, '2026-03-02T02:00:00Z');
  const [start] = await startsOf(api, id);
  assert.deepEqual([start?.outcome, start?.campaignId], ['failed', null]);
  assert.match(start?.words ?? '', /There is no condition "lab"/);
  await api.put('/conditions/lab', { name: 'lab', up: { delayMs: 5 }, down: {} });
  await live(api, '2026-03-03T02:00:00Z');
  assert.equal((await startsOf(api, id))[0]?.outcome, 'started');
});

test('a paused schedule starts nothing, misses nothing, and can be started by hand', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api);
  assert.deepEqual((await api.post(`/schedules/${id}/pause`)).body.nextRuns, []);
  await live(api, '2026-03-04T12:00:00Z', 3_600_000);
  assert.deepEqual(await startsOf(api, id), []);
  const started = await api.post(`/schedules/${id}/start`);
  assert.deepEqual([started.status, started.body.priority], [201, 'schedule']);
  await cancelAll(api);
  const resumed = await api.post(`/schedules/${id}/resume`);
  assert.deepEqual([resumed.body.paused, resumed.body.nextRuns[0]], [false, '2026-03-05T01:30:00.000Z']);
  await live(api, '2026-03-05T12:00:00Z');
  assert.deepEqual(
    (await startsOf(api, id)).map(({ outcome, dueAt, words }) => [outcome, dueAt, words]),
    [
      ['started', '2026-03-05T01:30:00.000Z', 'Started in time.'],
      ['started', null, 'Started by hand.'],
    ],
  );
});

test('a schedule that is deleted leaves its campaigns', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api);
  const campaign = (await api.post(`/schedules/${id}/start`)).body;
  await api.delete(`/schedules/${id}`);
  await live(api, '2026-03-03T12:00:00Z');
  assert.deepEqual(
    (await api.get('/campaigns')).body.items.map((one: { id: string }) => one.id),
    [campaign.id],
  );
});

test('a clock that is set back starts no night again', async (t) => {
  const api = await testApi(t);
  const { id } = await schedule(api);
  await live(api, '2026-03-03T02:00:00Z');
  api.clock.now = Date.parse('2026-03-02T22:00:00Z');
  const changed = await api.put(`/schedules/${id}`, { ...nightly, jitterSeconds: 1 });
  assert.equal(changed.body.nextRuns[0].slice(0, 10), '2026-03-04');
  await live(api, '2026-03-04T02:00:00Z');
  assert.deepEqual(
    (await startsOf(api, id)).map(({ dueAt }) => dueAt?.slice(8, 10)),
    ['04', '03', '02'],
  );
});

test('who wants to know is told of a start that failed, and of no other', async (t) => {
  const api = await testApi(t);
  const team = (
    await api.post('/notifications', { name: 'team', kind: 'webhook', events: ['schedule-failed'], url: 'https://hooks.example/' })
  ).body;
  const made = await schedule(api, { missed: 'skip' });
  const told = async () => (await api.get(`/notifications/${team.id}/deliveries`)).body.items.length;
  await live(api, '2026-03-02T02:00:00Z');
  assert.equal(await told(), 0);
  api.clock.now = Date.parse('2026-03-03T09:00:00Z');
  await api.app.scheduler.tick();
  assert.equal(await told(), 1, 'missed');
  await api.post(`/schedules/${made.id}/start`);
  api.clock.now = Date.parse('2026-03-04T01:30:00Z');
  await api.app.scheduler.tick();
  assert.equal(await told(), 2, 'overlapping');
});

test('a service that starts makes up for what was missed, by itself', async (t) => {
  const folder = testFolder(t);
  const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
  const before = await testApi(t, paths);
  const { id } = await schedule(before);
  await before.app.close();
  const now = () => Date.parse('2026-03-02T09:00:00Z');
  const serving = await testApi(t, { ...paths, now, schedules: { enabled: true } });
  await serving.app.close(); // not before the look is over that began with the service
  const [start] = await startsOf(await testApi(t, paths), id);
  assert.deepEqual([start?.outcome, start?.campaignId], ['started', '1']);
});

test('viewers read schedules, submitters change them', async (t) => {
  const api = await tokenApi(t, { lookUp: async () => [{ address: '192.0.78.9' }] });
  assert.equal((await api.ask('viewer', 'POST', '/schedules', { payload: nightly })).status, 403);
  const { status, body } = await api.ask('submitter', 'POST', '/schedules', { payload: nightly });
  assert.deepEqual([status, body.createdBy], [201, 'the submitter']);
  for (const path of [`/schedules/${body.id}`, `/schedules/${body.id}/starts`, '/schedules']) {
    assert.equal((await api.ask('viewer', 'GET', path)).status, 200);
    assert.equal((await api.ask(null, 'GET', path)).status, 401);
  }
  for (const verb of ['start', 'pause', 'resume'])
    assert.equal((await api.ask('viewer', 'POST', `/schedules/${body.id}/${verb}`)).status, 403);
  const inside = { ...nightly, name: 'inside', campaign: { ...nightly.campaign, sites: [{ url: 'https://127.0.0.1/' }] } };
  assert.equal((await api.ask('submitter', 'POST', '/schedules', { payload: inside })).body.type, problemType('address-refused'));
});

test('of two that ask for one name at the same moment, one gets it', async (t) => {
  const api = await testApi(t);
  const target = { name: 'team', kind: 'webhook', events: ['campaign-done'], url: 'https://hooks.example/' };
  for (const [path, payload] of [
    ['/schedules', nightly],
    ['/notifications', target],
  ] as const) {
    const replies = await Promise.all([api.post(path, payload), api.post(path, payload)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409]);
  }
});

test('runs of REST calls are started by the clock, and a gate of pages is refused for them', async (t) => {
  const api = await testApi(t);
  const campaign = {
    ...{ sites: [{ url: 'https://api.example/items' }], engine: 'transaction' as const, workload: { users: 5, requests: 20 } },
    ...{ protocols: ['h2', 'h3'] as const, rounds: 6 },
  };
  const request = { ...nightly, campaign };
  for (const [name, assertion] of [
    ['pages', 'onLoad <= 1 s'],
    ['runs', 'responseTime <= 1 s'],
  ] as const)
    assert.equal((await api.post('/gates', { name, rules: { assertions: [assertion] }, campaign: null })).status, 201);
  const refused = await api.post('/schedules', { ...request, gate: 'pages' });
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [
      422,
      [
        {
          pointer: '#/gate',
          detail: 'Gate pages: A run of REST calls has no onLoad, which is measured for pages; did you mean responseTime?',
        },
      ],
    ],
  );
  const made = await api.post('/schedules', { ...request, gate: 'runs' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  api.clock.now = Date.parse('2026-03-02T01:31:00.000Z');
  await api.app.scheduler.tick();
  const [start] = await startsOf(api, made.body.id);
  const started = (await api.get(`/campaigns/${start?.campaignId}`)).body;
  assert.deepEqual(
    [started.spec.engine, started.spec.workload, started.spec.primaryMetric, started.spec.views],
    ['transaction', campaign.workload, 'responseTime', ['warm']],
  );
});
