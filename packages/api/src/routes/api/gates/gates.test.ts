import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CampaignRequest, type GateAnswer, type GateRequest, type GateRules, problemType } from '@pronghorn/core/schemas';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const budget = { assertions: ['onLoad p75 h3 <= 1 s'] };
const gate = (given: Partial<GateRequest> = {}): GateRequest => ({ name: 'nightly', campaign: null, rules: budget, ...given });

/** Performs all rounds of a campaign; each visit takes so long. */
async function perform(api: TestApi, campaignId: string, onLoad: number): Promise<void> {
  for (;;) {
    const { status, body: lease } = await api.post('/leases', { runner: 'runner', campaignId });
    if (status === 204) return;
    for (const slot of lease.round.order) {
      const outcome = { verdict: 'valid', metrics: sampleMetrics({ onLoad: onLoad + lease.round.number }) } as const;
      await api.upload(lease, sampleVisit(lease, slot, { outcome, link: { refused: [], receiveDrops: 0 } }));
    }
    await api.complete(lease);
  }
}

async function measured(api: TestApi, onLoad: number, request: Partial<CampaignRequest> = {}): Promise<string> {
  const { id } = await api.campaign({ protocols: ['h3'], rounds: 12, ...request });
  await perform(api, id, onLoad);
  return id;
}

const kind = ({ body }: { body: { type: string } }) => body.type.replace(problemType('not-found').replace('not-found', ''), '');

test('of a campaign that is done a gate answers at once, and again the same', async (t) => {
  const api = await testApi(t);
  const campaignId = await measured(api, 500);
  const { status, body } = await api.post('/gates/check', { campaignId, ...budget });
  assert.equal(status, 200);
  assert.deepEqual([body.outcome, body.result.words, body.result.checks.length], ['pass', 'The check holds.', 1]);
  assert.deepEqual([body.askedAt, body.checkedAt], ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z']);
  api.clock.now += 60_000;
  assert.deepEqual((await api.post('/gates/check', { campaignId, ...budget })).body, body);
  const failed = await api.post('/gates/check', { campaignId, assertions: [{ kind: 'bound', metric: 'onLoad', max: 100 }] });
  assert.deepEqual([failed.status, failed.body.outcome], [200, 'fail']);
  const { items } = (await api.get(`/campaigns/${campaignId}/gates`)).body;
  assert.deepEqual(
    items.map(({ outcome }: GateAnswer) => outcome),
    ['pass', 'fail'],
  );
});

test('what a gate said of a campaign that is being deleted is not listed any more', async (t) => {
  const api = await testApi(t);
  await api.post('/gates', gate());
  const campaignId = await measured(api, 500);
  await api.post('/gates/check', { campaignId, gateId: '1' });
  const said = async () => (await api.get('/gates/1/results')).body.items.length;
  assert.equal(await said(), 1);
  await api.app.commit(() => api.app.tables.campaigns.markDeleted(Number(campaignId), '2026-03-01T12:00:00.000Z'));
  assert.equal(await said(), 0);
});

test('a question to a campaign that is not done waits for it, and is answered by itself', async (t) => {
  const api = await testApi(t);
  const { id: campaignId } = await api.campaign({ protocols: ['h3'], rounds: 12 });
  const asked = await api.post('/gates/check', { campaignId, ...budget });
  assert.deepEqual([asked.status, asked.body.outcome, asked.body.result], [202, null, null]);
  await perform(api, campaignId, 500);
  await api.app.gates.tick();
  const { items } = (await api.get(`/campaigns/${campaignId}/gates`)).body;
  assert.deepEqual(
    items.map(({ id, outcome }: GateAnswer) => [id, outcome]),
    [[asked.body.id, 'pass']],
  );
});

test('a question with a campaign makes it, for a pipeline, with commit and branch', async (t) => {
  const api = await testApi(t);
  const annotations = { commit: 'abc', branch: 'faster', buildUrl: 'https://ci.example/7' };
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h2', 'h3'], rounds: 12, annotations };
  const { status, headers, body } = await api.post('/gates/check', { campaign, ...budget });
  assert.deepEqual([status, body.result, headers.location], [202, null, `/api/v1/campaigns/${body.campaignId}/gates/${body.id}`]);
  const made = (await api.get(`/campaigns/${body.campaignId}`)).body;
  assert.deepEqual([made.priority, made.annotations], ['ci', annotations]);
});

test('gates are stored, listed, changed and deleted, and what they said stays', async (t) => {
  const api = await testApi(t);
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h3' as const], rounds: 12 };
  const { status, headers, body: made } = await api.post('/gates', gate({ campaign }));
  assert.deepEqual([status, headers.location, made.name, made.rules], [201, '/api/v1/gates/1', 'nightly', budget]);
  assert.deepEqual((await api.get('/gates')).body.items, [made]);
  assert.equal(kind(await api.post('/gates', gate())), 'name-taken');

  const { body: asked } = await api.post('/gates/check', { gateId: '1' });
  assert.equal(asked.gate, 'nightly');
  await perform(api, asked.campaignId, 500);
  await api.app.gates.tick();
  const results = async () => (await api.get('/gates/1/results')).body.items.map(({ outcome }: GateAnswer) => outcome);
  assert.deepEqual(await results(), ['pass']);

  api.clock.now += 1000;
  const changed = await api.put('/gates/1', gate({ name: 'strict', rules: { assertions: ['onLoad p75 h3 <= 100 ms'] } }));
  assert.deepEqual([changed.status, changed.body.name, changed.body.changedAt], [200, 'strict', '2026-03-01T12:00:01.000Z']);
  await api.post('/gates/check', { gateId: '1', campaignId: asked.campaignId });
  assert.deepEqual(await results(), ['fail', 'pass']);

  assert.equal((await api.delete('/gates/1')).status, 204);
  assert.equal(kind(await api.get('/gates/1')), 'not-found');
  const { items } = (await api.get(`/campaigns/${asked.campaignId}/gates`)).body;
  assert.deepEqual(
    items.map(({ gateId, gate: name, outcome }: GateAnswer) => [gateId, name, outcome]),
    [
      [null, 'nightly', 'pass'],
      [null, 'strict', 'fail'],
    ],
  );
});

test('a gate that could never be decided is refused, with the place that is wrong', async (t) => {
  const api = await testApi(t);
  const { id: campaignId } = await api.campaign({ protocols: ['h2'] });
  const refused = async (question: object) => {
    const { status, body } = await api.post('/gates/check', question);
    assert.equal(status, 422);
    return [body.type.split(':').at(-1), body.errors?.[0]?.pointer, body.detail];
  };
  assert.deepEqual(await refused({ campaignId, ...budget }), [
    'invalid-gate',
    '#/assertions/0',
    'The campaign has no protocol h3; it has h2.',
  ]);
  const bound = { kind: 'bound', metric: 'onLoad' };
  assert.deepEqual((await refused({ campaignId, assertions: [{ ...bound, max: 1, condition: '4g' }] })).slice(0, 2), [
    'invalid-gate',
    '#/assertions/0/condition',
  ]);
  assert.match((await refused({ campaignId, assertions: [bound] }))[2], /neither max nor min/);
  assert.match((await refused({ campaignId, assertions: ['onLoad < 3'] }))[2], /"<" is used where <= or >= is expected/);
  assert.match((await refused({ ...budget }))[2], /neither a campaignId nor a campaign/);
  assert.match((await refused({ campaignId }))[2], /neither assertions nor a gateId/);
  const campaign = { sites: [{ url: 'https://site.example/' }] };
  assert.match((await refused({ campaignId, campaign, ...budget }))[2], /campaignId and campaign/);
  assert.equal((await refused({ campaign: { ...campaign, conditions: ['4gg'] }, ...budget }))[0], 'invalid-campaign');
  assert.equal((await api.post('/gates/check', { campaignId: '99', ...budget })).status, 404);
  assert.equal((await api.post('/gates/check', { campaignId, gateId: '99' })).status, 404);
  assert.equal((await api.post('/gates', gate({ rules: { assertions: ['onLoad'] } }))).body.errors[0].pointer, '#/rules/assertions/0');
});

/** Runs on main, then one on a branch. */
async function history(t: TestContext, before: number[], now: number) {
  const api = await testApi(t);
  for (const onLoad of before) await measured(api, onLoad, { annotations: { branch: 'main', commit: `c${onLoad}` } });
  await measured(api, 5000, { annotations: { branch: 'other' } });
  await measured(api, 5000, { annotations: { branch: 'main' }, sites: [{ url: 'https://other.example/' }] });
  await measured(api, 5000, { annotations: { branch: 'main' }, isolation: 'process' });
  const ask = async (onLoad: number, annotations: CampaignRequest['annotations'] = {}) => {
    const campaignId = await measured(api, onLoad, { annotations: { branch: 'faster', ...annotations } });
    return (await api.post('/gates/check', { campaignId, assertions: ['onLoad <= baseline + 10 %'] })).body as GateAnswer;
  };
  return { api, ask, ...(await ask(now)) };
}
const reasonsOf = ({ result }: Pick<GateAnswer, 'result'>) => result?.checks.flatMap(({ reasons }) => reasons.map(({ reason }) => reason));

test('a campaign is held against those of the branch that measured its sites in the same way', async (t) => {
  const before = [1000, 1010, 990, 1005, 995, 1002];
  const { result } = await history(t, before, 1003);
  assert.equal(result?.outcome, 'pass');
  assert.deepEqual(
    result.baseline?.campaigns.map(({ commit }) => commit),
    before.map((onLoad) => `c${onLoad}`).reverse(),
  );
  const few = await history(t, before.slice(0, 2), 1300);
  assert.deepEqual([few.outcome, few.result?.checks[0]?.reasons[0]?.reason], ['inconclusive', 'few-baselines']);
});

test('what looks like failing against a baseline fails when a second run says so too, which is no baseline of others', async (t) => {
  const first = await history(t, [1000, 1010, 990, 1005, 995], 1300);
  assert.deepEqual([first.outcome, reasonsOf(first)], ['inconclusive', ['second-run']]);
  const second = await first.ask(1310, { repeats: first.campaignId });
  assert.deepEqual([second.outcome, second.result?.baseline?.otherRun], ['fail', first.campaignId]);
  assert.equal((await first.ask(1000, { repeats: first.campaignId })).outcome, 'pass');
  const unlike = await measured(first.api, 1300, { rounds: 12, isolation: 'process' });
  assert.deepEqual(reasonsOf(await first.ask(1300, { repeats: unlike })), ['second-run'], 'measured in another way');

  // Two runs of one state of main count once.
  const { api } = first;
  const main = await measured(api, 1000, { annotations: { branch: 'main' } });
  await measured(api, 5000, { annotations: { branch: 'main', repeats: main } });
  const later = await first.ask(1003);
  assert.deepEqual(
    [later.outcome, later.result?.baseline?.campaigns.length, later.result?.baseline?.campaigns[0]?.campaignId],
    ['pass', 6, main],
  );
  const nothing = await api.post('/campaigns', { sites: [{ url: 'https://site.example/' }], annotations: { repeats: '999' } });
  assert.deepEqual([nothing.status, nothing.body.errors[0].pointer], [422, '#/annotations/repeats']);
  // What is stored to be measured again and again repeats no one campaign.
  const campaign = { sites: [{ url: 'https://site.example/' }], annotations: { repeats: main } };
  const stored = await api.post('/gates', gate({ name: 'again', campaign }));
  const schedule = await api.post('/schedules', { name: 'nights', cron: '30 2 * * *', campaign });
  for (const { status, body } of [stored, schedule])
    assert.deepEqual([status, body.errors[0].pointer], [422, '#/campaign/annotations/repeats']);
});

test('what pull requests measured is no baseline, whatever their branch is called', async (t) => {
  const { api, ask } = await history(t, [1000, 1010, 990, 1005, 995], 1000);
  await measured(api, 1300, { annotations: { branch: 'main', event: 'pull-request', pullRequest: 7 } });
  await measured(api, 1300, { annotations: { branch: 'main', event: 'pull-request' } });
  await measured(api, 1300, { annotations: { branch: 'main', pullRequest: 8 } });
  const nightly = await measured(api, 1000, { annotations: { branch: 'main', event: 'schedule' } });
  const { result } = await ask(1000);
  assert.equal(result?.baseline?.campaigns.length, 6);
  assert.equal(result.baseline.campaigns[0]?.campaignId, nightly);
  const { annotations } = (await api.get(`/campaigns/${Number(nightly) - 1}`)).body;
  assert.deepEqual(annotations, { branch: 'main', pullRequest: 8 });
});

const asserted = { assertions: ['onLoad <= baseline + 10 %'] };
const baselineOf = async (api: TestApi, campaignId: string, baseline: GateRules['baseline'] = {}) => {
  const { status, body } = await api.post('/gates/check', { campaignId, ...asserted, baseline });
  return status === 200 ? (body as GateAnswer).result?.baseline?.campaigns.map((one) => Number(one.campaignId)) : body.errors[0];
};

test('a campaign whose own gate failed is no baseline, unless all are asked for', async (t) => {
  const api = await testApi(t);
  const main = (onLoad: number, more = {}) => measured(api, onLoad, { annotations: { branch: 'main', ...more } });
  const judged = async (campaignId: string, max: string) =>
    (await api.post('/gates/check', { campaignId, assertions: [`onLoad p75 <= ${max}`] })).body.outcome;
  const [unjudged, good, bad] = [await main(1000), await main(1000), await main(1000)];
  assert.deepEqual([await judged(good, '2 s'), await judged(bad, '500 ms')], ['pass', 'fail']);
  // What somebody asks later is not the campaign's own gate.
  assert.equal(await judged(good, '500 ms'), 'fail');
  const now = await measured(api, 1000, { annotations: { branch: 'faster' } });
  assert.deepEqual(await baselineOf(api, now), [good, unjudged].map(Number));
  assert.deepEqual(await baselineOf(api, now, { only: 'all' }), [bad, good, unjudged].map(Number));
});

test('a campaign that its second run showed to be slower is no baseline', async (t) => {
  const api = await testApi(t);
  const main = (onLoad: number, more = {}) => measured(api, onLoad, { annotations: { branch: 'main', ...more } });
  const good: string[] = [];
  for (const onLoad of [1000, 1010, 990, 1005, 995]) good.push(await main(onLoad));
  const slow = await main(1300);
  assert.equal((await api.post('/gates/check', { campaignId: slow, ...asserted })).body.outcome, 'inconclusive');
  const now = await measured(api, 1000, { annotations: { branch: 'faster' } });
  assert.equal((await baselineOf(api, now, { campaigns: 11 })).length, 6, 'nothing is known yet');
  const again = await main(1310, { repeats: slow });
  assert.equal((await api.post('/gates/check', { campaignId: again, ...asserted })).body.outcome, 'fail');
  assert.deepEqual(await baselineOf(api, now), good.map(Number).reverse());
});

test('a reference campaign keeps the baseline where it was', async (t) => {
  const api = await testApi(t);
  const ids: string[] = [];
  for (const onLoad of [1000, 1010, 990, 1005, 995]) ids.push(await measured(api, onLoad, { annotations: { branch: 'release' } }));
  const reference = ids[3] as string;
  // It counts although its gate failed: somebody chose it.
  await api.post('/gates/check', { campaignId: reference, assertions: ['onLoad p75 <= 1 ms'] });
  const now = await measured(api, 1000, { annotations: { branch: 'faster' } });
  assert.deepEqual(await baselineOf(api, now, { campaign: reference }), ids.slice(0, 4).map(Number).reverse());
  const { body } = await api.post('/gates/check', { campaignId: now, ...asserted, baseline: { campaign: reference } });
  assert.equal(body.result.baseline.branch, 'release');
  const { id: queued } = await api.campaign();
  for (const [campaign, words] of [
    ['999', /campaign 999, which does not exist; expected one that is done/],
    [queued, /which is queued/],
  ] as const) {
    const { pointer, detail } = await baselineOf(api, now, { campaign });
    assert.equal(pointer, '#/baseline/campaign');
    assert.match(detail, words);
  }
});

test('of a schedule the campaign before it is the other run', async (t) => {
  const api = await testApi(t);
  await api.post('/gates', gate({ rules: { assertions: ['onLoad <= baseline + 10 %'] } }));
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h3'], rounds: 12, annotations: { branch: 'main' } };
  const { body: schedule } = await api.post('/schedules', { name: 'nights', cron: '30 2 * * *', gate: 'nightly', campaign });
  for (const onLoad of [1000, 1010, 990, 1005, 995, 1000, 1003, 1300, 1310]) {
    const { body: started } = await api.post(`/schedules/${schedule.id}/start`);
    await perform(api, started.id, onLoad);
    await api.app.gates.tick();
  }
  const items: GateAnswer[] = (await api.get('/gates/1/results')).body.items;
  assert.deepEqual(
    items.slice(0, 3).map((answer) => [answer.outcome, reasonsOf(answer)?.[0]]),
    [
      ['fail', undefined],
      ['inconclusive', 'second-run'],
      ['pass', undefined],
    ],
  );
});

test('who chose to be told of failed gates is told, once', async (t) => {
  const api = await testApi(t);
  const target = { name: 'team', kind: 'webhook', url: 'https://hooks.example/x', events: ['gate-failed'] };
  const { body: made } = await api.post('/notifications', target);
  const campaignId = await measured(api, 500);
  await api.post('/gates/check', { campaignId, ...budget });
  assert.equal((await api.post('/gates/check', { campaignId, assertions: ['onLoad p75 <= 100 ms'] })).body.outcome, 'fail');
  await api.app.gates.tick();
  const { body } = await api.get(`/notifications/${made.id}/deliveries`);
  assert.deepEqual(
    body.items.map(({ event }: { event: string }) => event),
    ['gate-failed'],
  );
});

test('each campaign of a schedule is held against its gate', async (t) => {
  const api = await testApi(t);
  await api.post('/gates', gate());
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h3'], rounds: 12 };
  const { body: schedule } = await api.post('/schedules', { name: 'nights', cron: '30 2 * * *', gate: 'nightly', campaign });
  const { body: started } = await api.post(`/schedules/${schedule.id}/start`);
  await perform(api, started.id, 500);
  await api.app.gates.tick();
  const { items } = (await api.get('/gates/1/results')).body;
  assert.deepEqual(
    items.map(({ campaignId, askedBy, outcome }: GateAnswer) => [campaignId, askedBy, outcome]),
    [[started.id, 'nights', 'pass']],
  );
});

test('gates, schedules and notification targets are found by their names, whole', async (t) => {
  const api = await testApi(t);
  const campaign = { sites: [{ url: 'https://site.example/' }], protocols: ['h3'], rounds: 12 };
  for (const name of ['shop', 'shop & more', 'Shop']) {
    await api.post('/gates', gate({ name }));
    await api.post('/schedules', { name, cron: '30 2 * * *', campaign });
    await api.post('/notifications', { name, kind: 'webhook', url: 'https://hooks.example/x', events: ['gate-failed'] });
  }
  for (const path of ['/gates', '/schedules', '/notifications']) {
    const named = async (name: string) => (await api.get(`${path}?name=${encodeURIComponent(name)}`)).body;
    assert.deepEqual(
      (await named('shop & more')).items.map(({ id, name }: { id: string; name: string }) => [id, name]),
      [['2', 'shop & more']],
      path,
    );
    assert.deepEqual(await named('sho'), { items: [], nextCursor: null }, path);
  }
});
