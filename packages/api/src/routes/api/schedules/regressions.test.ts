import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CampaignRegressions, problemType, type SiteTrends } from '@pronghorn/core/schemas';
import { campaign, night, nightly, nights, type Place } from '../../../testing/nights.ts';
import { receiver } from '../../../testing/receiver.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const regressionsOf = async (api: TestApi, id: string): Promise<CampaignRegressions> =>
  (await api.get(`/campaigns/${id}/regressions`)).body;

test('a night that is being deleted is compared with no more', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api);
  const before: string[] = [];
  for (const noise of [...nights, 1, -1]) before.push(await night(api, schedule, noise));
  const [first = '', ...others] = before;
  await api.app.commit(() => api.app.tables.campaigns.markDeleted(Number(first), '2026-03-01T12:00:00.000Z'));
  assert.deepEqual((await regressionsOf(api, await night(api, schedule, 0))).comparedWith, others);
});

test('a night that cannot be looked at keeps no other from it', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api);
  const broken = await night(api, schedule, 0);
  await api.app.commit(() => api.app.database.prepare('DELETE FROM schedule_regressions WHERE campaignId = ?').run(broken)); // its medians are in the way of a second look
  await assert.rejects(night(api, schedule, 1), /UNIQUE constraint failed: schedule_medians/);
  assert.equal((await regressionsOf(api, String(Number(broken) + 1))).state, 'too-few-runs');
});

test('a page that is slower two nights in a row is found, stored and told, and nothing else is', async (t) => {
  const api = await testApi(t);
  const { url, got } = await receiver(t);
  await api.post('/notifications', { name: 'team', kind: 'webhook', events: ['regression-found'], url });
  const schedule = await nightly(api);
  const before: string[] = [];
  for (const noise of nights) before.push(await night(api, schedule, noise));
  const slower = ({ site, condition, protocol }: Place) => (site === 'shop' && condition === 'latency-50' && protocol === 'h3' ? 1.25 : 1);
  const first = await night(api, schedule, 1, slower);
  assert.deepEqual((await regressionsOf(api, first)).regressions, [], 'one slow night is none');
  const second = await night(api, schedule, -1, slower);

  const found = await regressionsOf(api, second);
  assert.deepEqual([found.state, found.scheduleId, found.comparedWith], ['compared', schedule, [...before, first]]);
  const shop = found.regressions[0]?.siteId;
  const { series } = (await api.get(`/sites/${shop}/trends`)).body as SiteTrends;
  assert.deepEqual(
    series.flatMap(({ condition, protocol, points }) =>
      points.flatMap(({ campaignId, regression: words }) => (words === null ? [] : [[condition, protocol, campaignId, words]])),
    ),
    [['latency-50', 'h3', second, found.regressions[0]?.words]],
    'the trend marks it where it is',
  );
  const [regression, ...others] = found.regressions;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [regression?.siteName, regression?.condition, regression?.protocol, regression?.metric, regression?.baselineRuns],
    ['shop', 'latency-50', 'h3', 'onLoad', 7],
  );
  assert.equal(
    regression?.words,
    'shop: onLoad got 25 % slower over HTTP/3 under latency-50: 1,003 → 1,252 ms, since 9 Mar. The last two campaigns are at least 24 % above the 7 before, which differ by 1.3 % anyway; p = 0.028 corrected for 8 comparisons.',
  );
  assert.equal(
    found.words,
    '1 of them worse, twice in a row: compared 8 medians of onLoad with the 7 campaigns before the last two. By chance about one campaign in 36 says so where nothing changed, 10 in a year of nights; more where nights resemble their neighbours, until there are 20 campaigns before.',
  );
  await api.app.notifications.tick();
  const [message, ...more] = got.map(({ text }) => JSON.parse(text));
  assert.deepEqual(more, []);
  assert.deepEqual(
    [message.event, message.title, message.campaignId, message.scheduleId, message.lines, message.details],
    ['regression-found', 'nightly: a regression', second, schedule, [regression?.words, found.words], found.regressions],
  );
});

test('what was not compared says why', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api);
  const byHand = await api.campaign();
  assert.equal((await regressionsOf(api, byHand.id)).state, 'not-scheduled');
  await api.post(`/campaigns/${byHand.id}/cancel`);
  const started = (await api.post(`/schedules/${schedule}/start`)).body;
  assert.deepEqual(
    [(await regressionsOf(api, started.id)).state, (await regressionsOf(api, started.id)).words],
    ['waiting', 'The campaign is queued; it is compared when it is done.'],
  );
  await api.post(`/campaigns/${started.id}/cancel`);
  const first = await regressionsOf(api, await night(api, schedule, 0));
  assert.deepEqual(
    [first.state, first.words],
    ['too-few-runs', 'Nothing was compared yet: regressions are seen from 7 done campaigns on, and this is number 1.'],
  );
  assert.equal((await api.get('/campaigns/99/regressions')).status, 404);
});

test('only what was measured in the same way is compared: a condition with other numbers begins anew', async (t) => {
  const api = await testApi(t);
  const lab = (delayMs: number) => ({ name: 'lab', up: { delayMs }, down: {} });
  await api.put('/conditions/lab', lab(5));
  const schedule = await nightly(api, { campaign: { ...campaign, conditions: ['native', 'lab'] } });
  for (const noise of nights) await night(api, schedule, noise);
  await api.put('/conditions/lab', lab(50));
  const slower = ({ condition }: Place) => (condition === 'lab' ? 1.5 : 1);
  await night(api, schedule, 1, slower);
  const found = await regressionsOf(api, await night(api, schedule, -1, slower));
  assert.deepEqual([found.state, found.regressions], ['compared', []]);
  assert.deepEqual(
    found.compared,
    ['1', '2'].map((siteId) => ({ siteId, condition: 'native' })),
  );
});

test('another description of a condition begins nothing anew', async (t) => {
  const api = await testApi(t);
  const lab = (description: string) => ({ name: 'lab', description, baseRttMs: 0, up: { delayMs: 5 }, down: {} });
  await api.put('/conditions/lab', lab('The lab.'));
  const schedule = await nightly(api, { campaign: { ...campaign, conditions: ['native', 'lab'] } });
  for (const noise of nights) await night(api, schedule, noise);
  assert.equal((await api.put('/conditions/lab', lab('The laboratory.'))).status, 200);
  const slower = ({ condition }: Place) => (condition === 'lab' ? 1.5 : 1);
  await night(api, schedule, 1, slower);
  const { regressions } = await regressionsOf(api, await night(api, schedule, -1, slower));
  assert.deepEqual([...new Set(regressions.map(({ condition }) => condition))], ['lab']);
});

test('two looks at one campaign find and tell once', async (t) => {
  const api = await testApi(t);
  const { body: target } = await api.post('/notifications', {
    name: 'team',
    kind: 'webhook',
    events: ['regression-found'],
    url: 'https://hooks.example/',
  });
  const schedule = await nightly(api);
  for (const noise of nights) await night(api, schedule, noise);
  await night(api, schedule, 1, () => 1.3);
  await night(api, schedule, 0, () => 1.3);
  await Promise.all([api.app.scheduler.tick(), api.app.scheduler.tick()]);
  assert.equal((await api.get(`/notifications/${target.id}/deliveries`)).body.items.length, 1);
});

test('a schedule’s gate is asked of each of its campaigns', async (t) => {
  const api = await testApi(t);
  const gate = (await api.post('/gates', { name: 'budget', campaign: null, rules: { assertions: ['onLoad p75 <= 2 s'] } })).body;
  assert.ok(gate.id, JSON.stringify(gate));
  const refused = await api.post('/schedules', { name: 'nightly', cron: '30 2 * * *', campaign, gate: 'nothing' });
  assert.match(refused.body.detail, /There is no gate nothing/);
  const schedule = await nightly(api, { gate: 'budget' });
  const id = await night(api, schedule, 0);
  await api.app.gates.tick();
  const answers = api.app.tables.answers.ofCampaign(Number(id), { limit: 10, cursor: null }).items;
  assert.deepEqual(
    answers.map(({ gateId, askedBy }) => [gateId, askedBy]),
    [[gate.id, 'nightly']],
  );
});

test('a gate that schedules name is neither deleted nor called otherwise, and a start whose gate is gone fails and is told', async (t) => {
  const api = await testApi(t);
  const { url } = await receiver(t);
  const target = (await api.post('/notifications', { name: 'team', kind: 'webhook', events: ['schedule-failed'], url })).body;
  const request = { name: 'budget', campaign: null, rules: { assertions: ['onLoad p75 <= 2 s'] } };
  const gate = (await api.post('/gates', request)).body;
  const asked = { name: 'nightly', cron: '30 2 * * *', campaign };
  const schedule = (await api.post('/schedules', { ...asked, gate: 'budget' })).body;
  for (const refused of [await api.delete(`/gates/${gate.id}`), await api.put(`/gates/${gate.id}`, { ...request, name: 'other' })]) {
    assert.deepEqual([refused.status, refused.body.type], [409, problemType('gate-in-use')]);
    assert.match(
      refused.body.detail,
      /^Gate 1 \(budget\) is named by schedule 1 \(nightly\)\. Before it is (deleted|called otherwise), name another/,
    );
  }
  assert.equal((await api.put(`/gates/${gate.id}`, { ...request, rules: { assertions: ['onLoad p75 <= 3 s'] } })).status, 200);
  assert.equal((await api.put(`/schedules/${schedule.id}`, { ...asked, gate: gate.id })).status, 200);
  assert.equal((await api.put(`/gates/${gate.id}`, { ...request, name: 'other' })).status, 200, 'it is named by its id');
  assert.equal((await api.delete(`/gates/${gate.id}`)).status, 409);

  // As by a service that did not look.
  await api.app.commit(() => api.app.tables.gates.delete(gate.id));
  const byHand = await api.post(`/schedules/${schedule.id}/start`);
  assert.deepEqual([byHand.status, byHand.body.type], [422, problemType('unknown-reference')]);
  api.clock.now = Date.parse((await api.get(`/schedules/${schedule.id}`)).body.nextRuns[0]);
  await api.app.scheduler.tick();
  const [start] = (await api.get(`/schedules/${schedule.id}/starts`)).body.items;
  assert.deepEqual([start.outcome, start.campaignId], ['failed', null]);
  assert.match(start.words, /^The gate "1" of this schedule is not there any more\. Name another one, or none/);
  assert.deepEqual((await api.get('/campaigns')).body.items, []);
  const [told] = (await api.get(`/notifications/${target.id}/deliveries`)).body.items;
  assert.equal(told.event, 'schedule-failed');
});

test('a name of digits alone would be taken for an id, and is refused', async (t) => {
  const api = await testApi(t);
  for (const name of ['7', ' 42 ']) {
    const gate = await api.post('/gates', { name, campaign: null, rules: { assertions: ['onLoad p75 <= 2 s'] } });
    const schedule = await api.post('/schedules', { name, cron: '30 2 * * *', campaign });
    for (const { status, body } of [gate, schedule]) {
      assert.equal(status, 400);
      assert.match(body.detail, /\/name is " ?\d+ ?"; expected this: .* Not only digits, which are ids; no control characters/);
    }
  }
});

test('loads that fail are slower than ones that took longer than the shortest limit, and get no faster by failing', async (t) => {
  const api = await testApi(t);
  const schedule = await nightly(api, { campaign: { ...campaign, rounds: 2 } });
  const isSlow = ({ site, condition }: Place) => site === 'blog' && condition === 'latency-50';
  for (const noise of nights) await night(api, schedule, noise, (place) => (isSlow(place) ? 100 : 1));
  const loads = { h2: 0, h3: 0 };
  const fails = (place: Place) => (isSlow(place) ? (loads[place.protocol as 'h2' | 'h3']++ % 2 === 0 ? Number.POSITIVE_INFINITY : 100) : 1);
  await night(api, schedule, 1, fails);
  const id = await night(api, schedule, 0, fails);
  const { regressions } = await regressionsOf(api, id);
  assert.deepEqual(
    regressions.map(({ siteName, protocol, medians }) => [siteName, protocol, medians]),
    ['h2', 'h3'].map((protocol) => ['blog', protocol, [300_000, 300_000]]),
  );
  const siteId = regressions[0]?.siteId;
  const { series } = (await api.get(`/sites/${siteId}/trends?metric=onLoad&condition=latency-50&protocol=h3`)).body as SiteTrends;
  const { median, atLeastMs } = series[0]?.points.at(-1) ?? {};
  assert.deepEqual([median, atLeastMs], [null, 300_000]);
});
