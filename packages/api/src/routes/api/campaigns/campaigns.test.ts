import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Campaign, type CampaignResults, problemType, type Round, type Visit } from '@pronghorn/core/schemas';
import { invalidOutcome, sampleDiscovery, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

const everyPage = async <Item>(api: TestApi, path: string): Promise<Item[]> => {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api.get(`${path}${cursor && `&cursor=${cursor}`}`);
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  return items;
};

test('a campaign is made, and read as it was made', async (t) => {
  const api = await testApi(t);
  const { status, headers, body } = await api.post('/campaigns', {
    sites: [{ url: 'https://Site.example' }],
    protocols: ['h2', 'h3'],
    rounds: 3,
  });
  assert.equal(status, 201);
  assert.equal(headers.location, `/api/v1/campaigns/${body.id}`);
  assert.equal(body.state, 'queued');
  assert.equal(body.createdAt, '2026-03-01T12:00:00.000Z');
  assert.deepEqual(body.progress, { rounds: 3, roundsDone: 0, visitsValid: 0, visitsInvalid: 0 });
  assert.deepEqual((await api.get(`/campaigns/${body.id}`)).body, body);
});

test('two campaigns that name no seed get different ones', async (t) => {
  const api = await testApi(t);
  const make = async () => (await api.post('/campaigns', { sites: [{ url: 'https://a.example/' }] })).body.spec.seed;
  assert.notEqual(await make(), await make()); // equal once in two thousand million
});

test('a campaign keeps its conditions as they were, and repeats them, whatever becomes of the stored ones', async (t) => {
  const api = await testApi(t);
  const office = { name: 'office', up: { delayMs: 5 }, down: {} };
  await api.post('/conditions', office);
  const first = await api.campaign({ conditions: ['office', 'loss-2.rtt-50'] });
  await api.put('/conditions/office', { ...office, up: { delayMs: 50 } });
  await api.delete('/conditions/office');
  assert.deepEqual((await api.get(`/campaigns/${first.id}`)).body.spec.conditions[0], office);
  const lease = await api.lease();
  assert.deepEqual(lease.spec.conditions[0], office);
  assert.ok(['office', 'loss-2.rtt-50'].includes(lease.round.condition));
  const sites = first.sites.map(({ id: _, ...asked }) => asked);
  const again = await api.post('/campaigns', { ...first.spec, sites });
  assert.deepEqual([again.status, again.body.spec], [201, first.spec]);
});

test('a site keeps its id over campaigns, and each campaign calls it as it likes', async (t) => {
  const api = await testApi(t);
  const url = 'https://site.example/';
  const [first, second, other] = [
    await api.campaign({ sites: [{ url, name: 'before' }] }),
    await api.campaign({ sites: [{ url, name: 'after' }] }),
    await api.campaign({ sites: [{ url, expectStatus: 404 }] }),
  ];
  assert.equal(second.sites[0]?.id, first.sites[0]?.id);
  assert.deepEqual([first.sites[0]?.name, second.sites[0]?.name], ['before', 'after']);
  assert.equal((await api.get(`/campaigns/${first.id}`)).body.sites[0].name, 'before');
  assert.notEqual(other.sites[0]?.id, first.sites[0]?.id);
});

test('the same seed plans the same rounds', async (t) => {
  const api = await testApi(t);
  const request = { seed: 99, rounds: 4, sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] };
  const plan = async ({ id }: Campaign) =>
    (await everyPage<Round>(api, `/campaigns/${id}/rounds?limit=3`)).map(({ siteId, view, number, order }) => [
      siteId,
      view,
      number,
      order,
    ]);
  const first = await plan(await api.campaign(request));
  assert.equal(first.length, 8);
  assert.deepEqual(await plan(await api.campaign(request)), first);
});

test('lists come newest first, a page at a time, each item once', async (t) => {
  const api = await testApi(t);
  for (let index = 0; index < 5; index++) await api.campaign();
  assert.deepEqual(
    (await everyPage<Campaign>(api, '/campaigns?limit=2')).map(({ id }) => id),
    ['5', '4', '3', '2', '1'],
  );
  assert.equal((await api.get('/campaigns?limit=5')).body.nextCursor, null);
  const wrong = await api.get('/campaigns?cursor=page2');
  assert.deepEqual([wrong.status, wrong.body.type], [400, problemType('invalid-request')]);
});

test('a campaign runs from its first lease to its last round', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 2 });
  const stateNow = async () => (await api.get('/campaigns/1')).body.state;
  assert.equal(await stateNow(), 'queued');
  for (const after of ['running', 'done']) {
    const lease = await api.lease();
    assert.equal(await stateNow(), 'running');
    await api.upload(lease, sampleVisit(lease, 0));
    await api.complete(lease);
    assert.equal(await stateNow(), after);
  }
});

test('a cancelled campaign lends no more, lets the leased round finish, and goes on when it is resumed', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 3 });
  const lease = await api.lease();
  const cancelled = await api.post('/campaigns/1/cancel');
  assert.deepEqual([cancelled.status, cancelled.body.state, cancelled.body.progress.roundsDone], [200, 'cancelled', 2]);
  assert.equal((await api.post('/campaigns/1/cancel')).body.state, 'cancelled');
  assert.equal((await api.post('/leases', { runner: 'runner' })).status, 204);
  await api.upload(lease, sampleVisit(lease, 0));
  assert.equal((await api.complete(lease)).status, 204);
  assert.deepEqual(
    (await everyPage<Round>(api, '/campaigns/1/rounds?limit=9')).map(({ state, reason }) => [state, reason]),
    [
      ['done', null],
      ['cancelled', 'The campaign was cancelled.'],
      ['cancelled', 'The campaign was cancelled.'],
    ],
  );
  assert.equal((await api.get('/campaigns/1')).body.state, 'cancelled');

  const resumed = await api.post('/campaigns/1/resume');
  assert.deepEqual([resumed.status, resumed.body.state, resumed.body.progress.roundsDone], [200, 'running', 1]);
  assert.equal((await api.post('/campaigns/1/resume')).body.state, 'running');
  assert.deepEqual([(await api.lease()).round.number, (await api.lease()).round.number], [2, 3]);
});

test('a round that comes back to a cancelled campaign waits for it to be resumed', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'], rounds: 2 });
  const [released, lost] = [await api.lease(), await api.lease()];
  await api.post('/campaigns/1/cancel');
  await api.post(`/leases/${released.id}/release`, { reason: 'told to stop' });
  api.clock.now += 60_000;
  assert.equal((await api.post('/leases', { runner: 'runner' })).status, 204);
  const rounds: Round[] = (await api.get('/campaigns/1/rounds?state=cancelled')).body.items;
  assert.deepEqual(
    rounds.map(({ reason }) => reason?.slice(0, 22)),
    ['Attempt 1 was released', 'Attempt 1 by runner "r'],
  );
  await api.post('/campaigns/1/resume');
  assert.deepEqual([(await api.lease()).round.id, (await api.lease()).round.id], [released.round.id, lost.round.id]);
});

test('a campaign that is done stays so, whatever is asked of it', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  await api.upload(lease, sampleVisit(lease, 0));
  await api.complete(lease);
  for (const verb of ['cancel', 'resume']) {
    const { status, body } = await api.post(`/campaigns/1/${verb}`);
    assert.deepEqual([status, body.state], [200, 'done']);
  }
});

test('visits are listed as they came, a page at a time, by site, condition, protocol, view and verdict', async (t) => {
  const api = await testApi(t);
  const { sites } = await api.campaign({
    protocols: ['h2', 'h3'],
    views: ['cold', 'warm'],
    sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
  });
  const sent: string[] = [];
  for (let index = 0; index < 4; index++) {
    const lease = await api.lease();
    for (const slot of [0, 1]) {
      const visit = sampleVisit(lease, slot, slot === 1 && index === 0 ? invalidOutcome('quic-error') : {});
      sent.push(visit.id);
      await api.upload(lease, visit);
    }
    await api.complete(lease);
  }
  const list = (query: string) => everyPage<Visit>(api, `/campaigns/1/visits?limit=3${query}`);
  assert.deepEqual(
    (await list('')).map(({ id }) => id),
    sent,
  );
  assert.deepEqual(
    (await list('&newest=true')).map(({ id }) => id),
    sent.toReversed(),
  );
  assert.equal((await list(`&siteId=${sites[1]?.id}`)).length, 4);
  assert.equal((await list('&protocol=h3')).length, 4);
  assert.equal((await list('&view=warm')).length, 4);
  assert.equal((await list('&verdict=invalid')).length, 1);
  assert.equal((await list(`&siteId=${sites[0]?.id}&protocol=h2&view=cold&verdict=valid`)).length, 1);
  assert.equal((await list('&condition=native')).length, sent.length);
  assert.equal((await list('&condition=poor')).length, 0);
  const typo = await api.get('/campaigns/1/visits?protocoll=h3');
  assert.deepEqual([typo.status, typo.body.detail], [400, 'protocoll is not known here; leave it out.']);
});

test('results are made of what counts: one valid visit for each slot of each finished round', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 4 });
  const valid = (onLoad: number) => ({ outcome: { verdict: 'valid' as const, metrics: sampleMetrics({ onLoad }) } });
  const lost = await api.lease();
  await api.upload(lost, sampleVisit(lost, 0, valid(90_000)));
  await api.upload(lost, sampleVisit(lost, 1, invalidOutcome('engine-error')));
  api.clock.now += 60_000;
  for (const [h2, h3] of [
    [100, 50],
    [200, 150],
    [600, 250],
  ] as const) {
    const lease = await api.lease();
    await api.upload(lease, sampleVisit(lease, 0, { ...invalidOutcome('busy-machine') }));
    await api.upload(lease, sampleVisit(lease, 0, { ...valid(h2), position: 5, retry: 1 }));
    await api.upload(lease, sampleVisit(lease, 1, valid(h3)));
    await api.complete(lease);
  }
  const unfinished = await api.lease();
  await api.upload(unfinished, sampleVisit(unfinished, 0, valid(70_000)));

  const results: CampaignResults = (await api.get('/campaigns/1/results')).body;
  const [group] = results.cells;
  const [h2, h3] = group?.slots ?? [];
  assert.deepEqual([h2?.valid, h2?.invalid], [3, [{ reason: 'busy-machine', count: 3 }]]);
  assert.deepEqual([h3?.valid, h3?.invalid], [3, []]);
  const onLoad = h2?.metrics.onLoad;
  // 100, 200, 600: mean 300; squared deviations 40,000 + 10,000 + 90,000; p75 halfway between 200 and 600.
  assert.deepEqual([onLoad?.n, onLoad?.mean, onLoad?.median, onLoad?.p75, onLoad?.stdev], [3, 300, 200, 400, Math.sqrt(70_000)]);
  assert.equal(group?.h3Delta.onLoad, (150 - 200) / 200);
});

test('discoveries are listed with their campaign', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const lease = await api.lease();
  const discovery = sampleDiscovery(lease);
  await api.put(`/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
  assert.deepEqual((await api.get('/campaigns/1/discoveries')).body, { items: [discovery], nextCursor: null });
});

test('what a campaign cannot be is refused, each wrong place with its reason, and nothing is stored', async (t) => {
  const api = await testApi(t);
  for (const [payload, status, words] of [
    [{}, 400, /\/sites is missing/],
    [{ sites: [] }, 400, /\/sites is \[\]/],
    [{ sites: [{ url: 'https://a.example/', nmae: 'x' }] }, 400, /\/sites\/0\/nmae is not known here; leave it out/],
    [{ sites: [{ url: 'https://a.example/' }], protocols: ['h4'] }, 400, /\/protocols\/0 is "h4"; expected one of h1, h2, h3/],
    [{ sites: [{ url: 'https://a.example/' }], conditions: ['fast'] }, 422, /There is no condition "fast"\. Known are native, latency-50/],
    [{ sites: [{ url: 'https://a.example/' }], conditions: [5] }, 400, /\/conditions\/0 is 5; expected a text, or an object/],
    [{ sites: [{ url: 'https://a.example/' }], conditions: [{ name: 'x', up: {} }] }, 400, /^\/conditions\/0\/down is missing\.$/],
    [{ sites: [{ url: 'https://a.example/' }], rounds: 0 }, 400, /\/rounds is 0; expected at least 1/],
    [{ sites: [{ url: 'https://a.example/' }], rounds: '20' }, 400, /\/rounds is "20"; expected an integer/],
    [{ sites: [] }, 400, /\/sites is \[\]; expected at least 1 item\./],
    [{ sites: [{ url: 'https://a.example/' }], margin: 0 }, 400, /\/margin is 0; expected more than 0\./],
    [{ sites: [{ url: 'https://a.example/' }], name: 'x'.repeat(201) }, 400, /expected at most 200 characters\./],
    [{ sites: [{ url: 'https://a.example/' }], annotations: { buildUrl: 'x' } }, 400, /expected this: URL of the pipeline run, with http/],
    [{ sites: [{ url: 'ftp://a.example/' }] }, 422, /has the scheme ftp/],
    [{ sites: [{ url: 'https://u:p@a.example/' }] }, 422, /has credentials in it/],
    [{ sites: [{ url: 'http://a.example/' }] }, 422, /is plain http/],
    [{ sites: [{ url: 'https://a.example/' }, { url: 'https://a.example' }] }, 422, /is the same page as #\/sites\/0\/url/],
  ] as const) {
    const refused = await api.post('/campaigns', payload);
    assert.deepEqual([refused.status, refused.headers['content-type']], [status, 'application/problem+json']);
    assert.match(refused.body.detail, words);
  }
  assert.deepEqual((await api.get('/campaigns')).body.items, []);
});

test('a campaign that is not there is a 404 that names it, everywhere', async (t) => {
  const api = await testApi(t);
  for (const path of ['', '/rounds', '/visits', '/discoveries', '/link-checks', '/results', '/events']) {
    const { status, body } = await api.get(`/campaigns/77${path}`);
    assert.deepEqual([status, body.detail], [404, 'There is no campaign 77.']);
  }
  for (const verb of ['cancel', 'resume']) assert.equal((await api.post(`/campaigns/x/${verb}`)).body.detail, 'There is no campaign x.');
});
