import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Lease, problemType, type Round, type Visit, type VisitUpload } from '@pronghorn/core/schemas';
import {
  invalidOutcome,
  sampleDiscovery,
  sampleEnvironment,
  sampleMetrics,
  sampleResource,
  sampleVisit,
} from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const protocols = ['h2', 'h3'] as const;
const visitOf = async (api: TestApi, { id }: VisitUpload): Promise<Visit> => (await api.get(`/visits/${id}`)).body;
const roundsOf = async (api: TestApi): Promise<Round[]> => (await api.get('/campaigns/1/rounds')).body.items;

test('rounds are lent in the order of their campaign, campaigns in turns, and 204 says that none is left', async (t) => {
  const api = await testApi(t);
  await api.campaign({ rounds: 2 });
  await api.campaign({ rounds: 1 });
  const lent = [await api.lease(), await api.lease(), await api.lease()];
  assert.deepEqual(
    lent.map(({ round }) => [round.campaignId, round.number, round.state, round.attempt]),
    [
      ['1', 1, 'leased', 1],
      ['2', 1, 'leased', 1],
      ['1', 2, 'leased', 1],
    ],
  );
  assert.equal((await api.post('/leases', { runner: 'runner' })).status, 204);
});

test('a lease brings all that its visits need', async (t) => {
  const api = await testApi(t);
  const visitor = { device: 'phone' as const };
  const campaign = await api.campaign({
    sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/', name: 'B', expectStatus: 404, visitor }],
  });
  assert.deepEqual(
    campaign.sites.map((site) => site.visitor),
    [undefined, visitor],
  );
  const lease = await api.lease();
  assert.deepEqual(lease.spec, campaign.spec);
  assert.deepEqual(
    lease.site,
    campaign.sites.find(({ id }) => id === lease.round.siteId),
  );
  assert.equal(lease.expiresAt, '2026-03-01T12:01:00.000Z');
  assert.equal(lease.heartbeatMs, 15_000);
  assert.deepEqual((await api.get(`/leases/${lease.id}/sites`)).body.items, campaign.sites);
});

test('a lease of a thousand sites has one of them, and their campaign has each once', async (t) => {
  const api = await testApi(t);
  const sites = Array.from({ length: 1_000 }, (_, n) => ({ url: `https://site.example/${n}${'x'.repeat(1_850)}` }));
  const campaign = await api.campaign({ sites, rounds: 1 });
  assert.equal(JSON.stringify(campaign).match(/site\.example\/7x{1850}"/g)?.length, 1);
  const lease = await api.lease();
  const size = JSON.stringify(lease).length;
  assert.ok(size < 10_000, `${size} characters`);
  assert.equal(lease.site.id, lease.round.siteId);
});

test('a runner may ask for rounds of one campaign only', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const second = await api.campaign();
  assert.equal((await api.lease({ campaignId: second.id })).round.campaignId, second.id);
  assert.equal((await api.post('/leases', { runner: 'runner', campaignId: second.id })).status, 204);
  const unknown = await api.post('/leases', { runner: 'runner', campaignId: 'none' });
  assert.deepEqual([unknown.status, unknown.body.detail], [404, 'There is no campaign none.']);
});

test('an upload is stored once however often it is sent, and nothing else is stored under its id', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: [...protocols] });
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0);
  const first = await api.upload(lease, visit);
  assert.equal(first.status, 201);
  const { resources, ...read } = visit;
  assert.deepEqual(first.body, {
    ...read,
    campaignId: '1',
    siteId: '1',
    condition: 'native',
    view: 'cold',
    roundNumber: 1,
    counted: false,
    settled: null,
  });
  const otherOrder = Object.fromEntries(Object.entries(visit).reverse()) as VisitUpload;
  assert.equal((await api.upload(lease, otherOrder)).status, 200);
  assert.deepEqual((await api.get(`/visits/${visit.id}/resources`)).body, resources);

  const conflict = await api.upload(lease, { ...visit, wallMs: visit.wallMs + 1 });
  assert.deepEqual([conflict.status, conflict.body.type], [409, problemType('already-different')]);
  assert.equal((await visitOf(api, visit)).wallMs, visit.wallMs);
  assert.equal((await api.get('/campaigns/1/visits')).body.items.length, 1);
});

test('a round is done when every slot was visited; completing it twice is once', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: [...protocols] });
  const lease = await api.lease();
  const h2 = sampleVisit(lease, 0);
  await api.upload(lease, h2);
  const early = await api.complete(lease);
  assert.deepEqual([early.status, early.body.type], [409, problemType('round-incomplete')]);
  assert.match(early.body.detail, /has no visit of slot 1 \(h3\)/);
  assert.equal((await visitOf(api, h2)).counted, false);

  const h3 = sampleVisit(lease, 1, invalidOutcome('quic-error'));
  await api.upload(lease, h3);
  assert.equal((await api.complete(lease)).status, 204);
  assert.equal((await api.complete(lease)).status, 204);
  assert.equal((await visitOf(api, h2)).counted, true);
  assert.equal((await visitOf(api, h3)).counted, true, 'as a failure');
  assert.equal((await api.get('/campaigns/1')).body.state, 'done');

  const late = await api.upload(lease, sampleVisit(lease, 1));
  assert.deepEqual([late.status, late.body.type], [409, problemType('lease-ended')]);
  assert.equal((await api.upload(lease, h2)).status, 200);
});

test('of several visits of a slot the first counts that is no failure of the measurement', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const visits = [
    sampleVisit(lease, 0, { position: 2, retry: 2 }),
    sampleVisit(lease, 0, { position: 0, retry: 0, ...invalidOutcome('busy-machine') }),
    sampleVisit(lease, 0, { position: 1, retry: 1, ...invalidOutcome('load-timeout') }),
    sampleVisit(lease, 0, { position: 3, retry: 3 }),
  ];
  for (const visit of visits) await api.upload(lease, visit);
  await api.complete(lease);
  const counted = await Promise.all(visits.map(async (visit) => (await visitOf(api, visit)).counted));
  assert.deepEqual(counted, [false, false, true, false]);
});

test('heartbeats keep a lease; without them the round goes to whoever asks next', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lost = await api.lease({ runner: 'first' });
  api.clock.now += 59_000;
  assert.deepEqual((await api.post(`/leases/${lost.id}/heartbeat`)).body, { expiresAt: '2026-03-01T12:01:59.000Z' });
  api.clock.now += 59_000;
  assert.equal((await api.post('/leases', { runner: 'second' })).status, 204);
  const kept = sampleVisit(lost, 0);
  await api.upload(lost, kept);
  api.clock.now += 1_000;
  const won = await api.lease({ runner: 'second' });
  assert.deepEqual([won.round.id, won.round.attempt], [lost.round.id, 2]);
  assert.equal(won.round.reason, 'Attempt 1 by runner "first" was lost: no sign of life until 2026-03-01T12:01:59.000Z');

  const late = sampleVisit(lost, 0);
  for (const refused of [
    await api.upload(lost, late),
    await api.complete(lost),
    await api.post(`/leases/${lost.id}/heartbeat`),
    await api.post(`/leases/${lost.id}/release`, { reason: 'late' }),
  ]) {
    assert.deepEqual([refused.status, refused.body.type], [409, problemType('lease-lost')]);
    assert.match(refused.body.detail, /round 1, attempt 1, is lost: no sign of life until/);
  }
  assert.equal((await api.get(`/visits/${late.id}`)).status, 404);
  assert.equal((await api.upload(lost, kept)).status, 200);

  const counting = sampleVisit(won, 0);
  await api.upload(won, counting);
  await api.complete(won);
  assert.deepEqual([(await visitOf(api, kept)).counted, (await visitOf(api, counting)).counted], [false, true]);
  assert.deepEqual((await api.get('/campaigns/1')).body.progress, { rounds: 1, roundsDone: 1, visitsValid: 1, visitsInvalid: 0 });
});

test('a lease that ran out, but that nobody else wanted, can still be used', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  api.clock.now += 3_600_000;
  assert.equal((await api.upload(lease, sampleVisit(lease, 0))).status, 201);
  assert.equal((await api.post(`/leases/${lease.id}/heartbeat`)).status, 200);
  assert.equal((await api.complete(lease)).status, 204);
});

test('a released round is lent again at once, in its old place, and what was uploaded stays without counting', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 2 });
  const released = await api.lease();
  const left = sampleVisit(released, 0);
  await api.upload(released, left);
  assert.equal((await api.post(`/leases/${released.id}/release`, { reason: 'interrupted by its user' })).status, 204);
  assert.equal((await api.post(`/leases/${released.id}/release`, { reason: 'interrupted by its user' })).status, 204);
  const again = await api.lease();
  assert.deepEqual(
    [again.round.id, again.round.attempt, again.round.reason],
    [released.round.id, 2, 'Attempt 1 was released: interrupted by its user'],
  );
  await api.upload(again, sampleVisit(again, 0));
  await api.complete(again);
  assert.equal((await visitOf(api, left)).counted, false);
  assert.equal((await roundsOf(api))[0]?.reason, null);
});

test('a runner that starts anew gets its round back without waiting for the lease to run out', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 3 });
  await api.campaign({ protocols: ['h2'], rounds: 1 });
  const [mine, others] = [await api.lease({ runner: 'mine' }), await api.lease({ runner: 'others', campaignId: '1' })];
  const elsewhere = await api.lease({ runner: 'mine', campaignId: '2' });
  assert.deepEqual((await api.delete('/leases?runner=mine&campaignId=1')).body, { lost: 1 });
  assert.deepEqual((await api.delete('/leases?runner=mine&campaignId=1')).body, { lost: 0 });
  const again = await api.lease({ runner: 'mine' });
  assert.deepEqual([again.round.id, again.round.attempt], [mine.round.id, 2]);
  assert.match(again.round.reason ?? '', /its runner started anew/);
  for (const kept of [others, elsewhere]) assert.equal((await api.post(`/leases/${kept.id}/heartbeat`)).status, 200);
  assert.equal((await api.post(`/leases/${mine.id}/heartbeat`)).body.type, problemType('lease-lost'));
  assert.equal((await api.delete('/leases')).status, 400);
});

test('after five lost attempts a round is cancelled with its reason; releases are no losses', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  for (let release = 0; release < 6; release++) {
    const lease = await api.lease();
    await api.post(`/leases/${lease.id}/release`, { reason: 'not now' });
  }
  for (let loss = 0; loss < 5; loss++) {
    assert.equal((await api.lease()).round.attempt, 7 + loss);
    api.clock.now += 60_000;
  }
  assert.equal((await api.post('/leases', { runner: 'runner' })).status, 204);
  const [round] = await roundsOf(api);
  assert.equal(round?.state, 'cancelled');
  assert.match(
    round?.reason ?? '',
    /^Given up after 5 lost attempts\. Last: Attempt 11 by runner "runner" was lost: no sign of life until 2026/,
  );
  assert.equal((await api.get('/campaigns/1')).body.state, 'done');
});

test('a round that runners fail at goes behind the others, and is given up after ten failures of one that completes others', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 2 });
  const fail = async (lease: Lease) => api.post(`/leases/${lease.id}/release`, { reason: 'Chrome crashed', failed: true });
  const hard = await api.lease();
  await fail(hard);
  const other = await api.lease();
  assert.notEqual(other.round.id, hard.round.id);
  api.clock.now += 1000;
  await api.upload(other, sampleVisit(other, 0));
  await api.complete(other);
  for (let failure = 2; failure <= 10; failure++) {
    const lease = await api.lease();
    assert.equal(lease.round.id, hard.round.id);
    await fail(lease);
  }
  const round = (await roundsOf(api)).find(({ id }) => id === hard.round.id);
  assert.equal(round?.state, 'cancelled');
  assert.equal(round?.reason, 'Given up after 10 attempts at which runners failed. Last, by runner "runner": Chrome crashed');
  assert.equal((await api.get('/campaigns/1')).body.state, 'done');
});

test('a runner that fails at everything takes no round out of a campaign; another one then performs all', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 3 });
  for (let failure = 0; failure < 50; failure++) {
    const lease = await api.lease({ runner: 'broken' });
    await api.post(`/leases/${lease.id}/release`, { reason: 'There is no Chrome', failed: true });
    api.clock.now += 1000;
  }
  assert.deepEqual(new Set((await roundsOf(api)).map(({ state }) => state)), new Set(['queued']));
  for (let round = 0; round < 3; round++) {
    const lease = await api.lease({ runner: 'whole' });
    await api.upload(lease, sampleVisit(lease, 0));
    await api.complete(lease);
  }
  assert.deepEqual(new Set((await roundsOf(api)).map(({ state }) => state)), new Set(['done']));
});

test('a site whose first three rounds show that it cannot be measured is given up, the others are measured on', async (t) => {
  const api = await testApi(t);
  const campaign = await api.campaign({
    protocols: ['h2'],
    rounds: 5,
    sites: [{ url: 'https://gone.invalid/' }, { url: 'https://good.example/' }],
  });
  const gone = campaign.sites[0]?.id;
  for (let reply = await api.post('/leases', { runner: 'r' }); reply.status === 200; reply = await api.post('/leases', { runner: 'r' })) {
    const lease = reply.body;
    await api.upload(
      lease,
      sampleVisit(lease, 0, lease.site.id === gone ? invalidOutcome('dns-error', 'gone.invalid: net::ERR_NAME_NOT_RESOLVED') : {}),
    );
    await api.complete(lease);
  }
  const rounds = await roundsOf(api);
  const statesOf = (given: (siteId: string) => boolean) => rounds.filter(({ siteId }) => given(siteId)).map(({ state }) => state);
  assert.deepEqual(statesOf((siteId) => siteId === gone).sort(), ['cancelled', 'cancelled', 'done', 'done', 'done']);
  assert.deepEqual(new Set(statesOf((siteId) => siteId !== gone)), new Set(['done']));
  assert.match(
    rounds.find(({ state }) => state === 'cancelled')?.reason ?? '',
    /dns-error \(a host name did not resolve\) in 3 of 3 visits/,
  );
  const { state, progress } = (await api.get('/campaigns/1')).body;
  assert.deepEqual([state, progress], ['done', { rounds: 10, roundsDone: 10, visitsValid: 5, visitsInvalid: 3 }]);
});

test('a site with reasons that may pass, or with one valid visit, is not given up', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 5, sites: [{ url: 'https://busy.example/' }] });
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 5, sites: [{ url: 'https://only-h2.example/' }] });
  for (let reply = await api.post('/leases', { runner: 'r' }); reply.status === 200; reply = await api.post('/leases', { runner: 'r' })) {
    const lease = reply.body;
    if (lease.round.campaignId === '1')
      await api.upload(lease, sampleVisit(lease, 0, invalidOutcome(lease.round.number === 1 ? 'busy-machine' : 'dns-error')));
    else {
      await api.upload(lease, sampleVisit(lease, 0));
      await api.upload(lease, sampleVisit(lease, 1, invalidOutcome('protocol-unavailable')));
    }
    await api.complete(lease);
  }
  for (const id of [1, 2]) {
    const rounds: Round[] = (await api.get(`/campaigns/${id}/rounds`)).body.items;
    assert.deepEqual(new Set(rounds.map(({ state }) => state)), new Set(['done']));
  }
});

test('what a visit refers to must be stored before it', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const [environment, discovery] = [sampleEnvironment('ab'.repeat(32)), sampleDiscovery(lease)];
  const visit = sampleVisit(lease, 0, { environmentId: environment.id, discoveryId: discovery.id });
  for (const put of [
    { path: `/environments/${environment.id}`, payload: environment },
    { path: `/leases/${lease.id}/discoveries/${discovery.id}`, payload: discovery },
  ]) {
    const refused = await api.upload(lease, visit);
    assert.deepEqual([refused.status, refused.body.type], [422, problemType('unknown-reference')]);
    assert.ok(refused.body.detail.includes(`PUT /api/v1${put.path}`), refused.body.detail);
    assert.equal((await api.put(put.path, put.payload)).status, 201);
  }
  assert.equal((await api.upload(lease, visit)).status, 201);
});

for (const [what, given, words] of [
  ['another round', { roundId: '77' }, /is of round 77, attempt 1; its lease is for round 1, attempt 1/],
  ['another attempt', { attempt: 2 }, /is of round 1, attempt 2/],
  ['a slot that is not there', { slot: 2 }, /is of slot 2; the campaign has the slots 0 to 1/],
  ['another protocol than its slot', { protocol: 'h3' }, /has protocol h3 in slot 0, which is h2/],
  ['two resources in one place', { resources: [sampleResource(0), sampleResource(0)] }, /has two resources with seq 0/],
  ['a leap second', { startedAt: '2016-12-31T23:59:60Z' }, /has the start 2016-12-31T23:59:60Z/],
  ['a count that no column holds', { outcome: { verdict: 'valid', metrics: sampleMetrics({ requests: 1e300 }) } }, /cannot be stored/],
] as const satisfies [string, Partial<VisitUpload>, RegExp][]) {
  test(`a visit of ${what} is refused, and nothing of it is kept`, async (t) => {
    const api = await testApi(t);
    await api.campaign({ protocols: [...protocols] });
    const lease = await api.lease();
    const visit = sampleVisit(lease, 0, { ...given } as Partial<VisitUpload>);
    const refused = await api.upload(lease, visit);
    assert.deepEqual([refused.status, refused.body.type], [422, problemType('invalid-visit')]);
    assert.match(refused.body.detail, words);
    assert.equal((await api.get(`/visits/${visit.id}`)).status, 404);
    assert.equal((await api.upload(lease, sampleVisit(lease, 0))).status, 201);
  });
}

test('a visit that does not fit its schema is refused with each wrong place', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const { resources: _, ...visit } = sampleVisit(lease, 0, { startedAt: 'yesterday' });
  const outcome = { verdict: 'valid', metrics: { ...sampleMetrics(), onLoad: -1, speedIndex: 'fast' } };
  const { status, body } = await api.put(`/leases/${lease.id}/visits/${visit.id}`, { ...visit, outcome });
  assert.equal(status, 400);
  assert.deepEqual(body.errors, [
    { pointer: '#/resources', detail: '/resources is missing' },
    { pointer: '#/startedAt', detail: '/startedAt is "yesterday"; expected a time such as 2026-01-31T12:00:00.000Z' },
    { pointer: '#/outcome/metrics/onLoad', detail: '/outcome/metrics/onLoad is -1; expected at least 0' },
    { pointer: '#/outcome/metrics/speedIndex', detail: '/outcome/metrics/speedIndex is "fast"; expected a number, or null' },
  ]);
});

test('a visit with numbers that no page has is refused with their places', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const beyond = { startMs: 1e13, waitMs: 1e300, bodyBytes: 1e17, connectionId: -1 };
  const { status, body } = await api.upload(lease, sampleVisit(lease, 0, { resources: [sampleResource(0, beyond)] }));
  assert.equal(status, 400);
  assert.deepEqual(
    body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
    Object.keys(beyond)
      .map((field) => `#/resources/0/${field}`)
      .sort(),
  );
});

test('leases and visits of other names are refused', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0);
  assert.equal((await api.put(`/leases/${randomUUID()}/visits/${visit.id}`, visit)).status, 404);
  const mismatch = await api.put(`/leases/${lease.id}/visits/${randomUUID()}`, visit);
  assert.deepEqual([mismatch.status, mismatch.body.type], [400, problemType('invalid-request')]);
  assert.equal((await api.post(`/leases/${randomUUID()}/complete`)).status, 404);
});

test('a visit with a text that is too long is refused in words, and nothing of it is stored', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const url = `https://site.example/${'x'.repeat(9_000)}`;
  const refused: [Partial<VisitUpload>, string][] = [
    [{ resources: [sampleResource(0, { url })] }, '/resources/0/url'],
    [{ resources: [sampleResource(0, { headers: { via: url } })] }, '/resources/0/headers/via'],
    [{ finalUrl: url }, '/finalUrl'],
    [invalidOutcome('http-status', url), '/outcome/detail'],
  ];
  for (const [given, place] of refused) {
    const { status, body } = await api.upload(lease, sampleVisit(lease, 0, given));
    assert.deepEqual([status, body.type], [400, problemType('invalid-request')], place);
    assert.match(body.detail, new RegExp(`${place} is .{80,90}; expected at most [\\d,]+ characters`), place);
  }
  assert.equal(api.app.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM strings').get()?.n, 0);
});
