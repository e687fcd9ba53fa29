import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type CampaignResults,
  type CampaignSummary,
  defaultLimits,
  type Environment,
  KnownSite,
  Page,
  type SiteStatus,
  type SiteStatusPage,
  SiteTrends,
} from '@pronghorn/core/schemas';
import { Compile } from 'typebox/compile';
import { createComputation } from '../../../plugins/app/results/computation.ts';
import { makeDatabase } from '../../../testing/made-database.ts';
import {
  invalidOutcome,
  sampleEnvironment,
  sampleMetrics,
  sampleRegistration,
  sampleRunMetrics,
  sampleVisit,
} from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

/** Null: the visit is invalid. */
type Took = (protocol: string, round: number, condition: string) => number | null;
/** Over h3 a page takes so long, one millisecond more in each round; over h2 a tenth more. */
const from =
  (ms: number): Took =>
  (protocol, round) =>
    (ms + round) * (protocol === 'h2' ? 1.1 : 1);

/** Of visits that nothing was lost in, so that there may be a winner. */
const whole = { link: { refused: [], receiveDrops: 0 } };
/** A campaign whose visits take so long. */
async function measure(
  api: TestApi,
  took: number | Took,
  given: Parameters<TestApi['campaign']>[0] = {},
  environment: Environment | null = null,
  more: Partial<typeof whole> = {},
): Promise<string> {
  const { id } = await api.campaign({ rounds: 6, protocols: ['h2', 'h3'], ...given });
  for (let lease = await api.lease(); lease !== undefined; lease = await api.lease()) {
    if (environment !== null) await api.put(`/environments/${environment.id}`, environment);
    for (const [slot, protocol] of lease.spec.protocols.entries()) {
      const onLoad = (typeof took === 'number' ? from(took) : took)(protocol, lease.round.number, lease.round.condition);
      const outcome =
        onLoad === null ? invalidOutcome('load-timeout') : { outcome: { verdict: 'valid' as const, metrics: sampleMetrics({ onLoad }) } };
      await api.upload(lease, sampleVisit(lease, slot, { ...outcome, ...more, environmentId: environment?.id ?? null }));
    }
    await api.complete(lease);
  }
  api.clock.now += 86_400_000;
  return id;
}

const trendsOf = async (api: TestApi, query = ''): Promise<SiteTrends> => {
  const { body } = await api.get(`/sites/1/trends?${query}`);
  assert.deepEqual([...Compile(SiteTrends).Errors(body)].slice(0, 1), []);
  return body;
};

test('sites are listed with their campaigns and when they were measured, and found by URL and name', async (t) => {
  const api = await testApi(t);
  await measure(api, 500, { rounds: 1, sites: [{ url: 'https://shop.example/', name: 'The shop' }, { url: 'https://news.example/' }] });
  await api.campaign({ sites: [{ url: 'https://shop.example/', name: 'Our shop' }] });
  const { body } = await api.get('/sites');
  assert.ok(Compile(Page(KnownSite)).Check(body));
  const startedAt = '2026-03-01T12:00:00.250Z';
  assert.deepEqual(body.items, [
    {
      id: '2',
      url: 'https://news.example/',
      name: 'news.example',
      expectStatus: 200,
      campaigns: 1,
      newestCampaignId: '1',
      engine: 'puppeteer',
      lastMeasuredAt: startedAt,
      tags: [],
    },
    {
      id: '1',
      url: 'https://shop.example/',
      name: 'Our shop',
      expectStatus: 200,
      campaigns: 2,
      newestCampaignId: '2',
      engine: 'puppeteer',
      lastMeasuredAt: startedAt,
      tags: [],
    },
  ]);
  const found = async (search: string) => (await api.get(`/sites?search=${search}`)).body.items.map(({ id }: KnownSite) => id);
  assert.deepEqual([await found('NEWS'), await found('our'), await found('the'), await found('nothing')], [['2'], ['1'], ['1'], []]);
  assert.deepEqual((await api.get('/sites/1')).body, body.items[1]);
  assert.equal((await api.get('/sites/9')).status, 404);
  const page = (await api.get('/sites?limit=1')).body;
  assert.deepEqual((await api.get(`/sites?limit=1&cursor=${page.nextCursor}`)).body.items, [body.items[1]]);
});

test('a trend has a point for each campaign, with median, p75, interval and annotations', async (t) => {
  const api = await testApi(t);
  const first = await measure(api, 500, { annotations: { commit: 'abc', branch: 'main' } });
  const second = await measure(api, 600, { annotations: { commit: 'def', branch: 'fix' } });
  const { series, metric, url } = await trendsOf(api, 'protocol=h3');
  assert.deepEqual([metric, url, series.length], ['onLoad', 'https://site.example/', 1]);
  const point = { state: 'done', n: 6, failed: 0, atLeastMs: 60_000 };
  assert.deepEqual(series[0]?.points, [
    {
      ...{ ...point, campaignId: first, createdAt: '2026-03-01T12:00:00.000Z', annotations: { commit: 'abc', branch: 'main' } },
      ...{ median: 503.5, p75: 504.75, interval: { low: 501, high: 506 }, regression: null },
    },
    {
      ...{ ...point, campaignId: second, createdAt: '2026-03-02T12:00:00.000Z', annotations: { commit: 'def', branch: 'fix' } },
      ...{ median: 603.5, p75: 604.75, interval: { low: 601, high: 606 }, regression: null },
    },
  ]);
  const campaignsIn = async (query: string) =>
    (await trendsOf(api, `protocol=h3&${query}`)).series.flatMap(({ points }) => points.map(({ campaignId }) => campaignId));
  assert.deepEqual(await campaignsIn('branch=main'), [first]);
  assert.deepEqual(await campaignsIn('since=2026-03-02T00:00:00Z'), [second]);
  assert.deepEqual(await campaignsIn('until=2026-03-02T00:00:00Z'), [first]);
  assert.deepEqual(await campaignsIn('campaigns=1'), [second]);
  assert.deepEqual(await campaignsIn('condition=4g'), []);
  assert.equal((await trendsOf(api)).series.length, 2);
  assert.equal((await trendsOf(api, 'metric=speedIndex&protocol=h2')).series[0]?.points[0]?.median, sampleMetrics().speedIndex);
});

test('campaigns whose visits end at another time, or had a Chrome of their own, are series of their own', async (t) => {
  const api = await testApi(t);
  const limits = { ...defaultLimits, quietMs: 2_000 };
  await measure(api, 500, { isolation: 'auto' });
  await measure(api, 500, { isolation: 'auto', limits });
  for (const isolation of ['context', 'process'] as const) {
    const environment = { ...sampleEnvironment(isolation.padEnd(64, '0')), isolation };
    await measure(api, 500, { isolation: 'auto' }, environment);
  }
  const { series } = await trendsOf(api, 'protocol=h3');
  assert.deepEqual(
    series.map(({ ends, isolation }) => [ends, isolation]),
    [
      ['quiet for 500 ms, at most 15 s after load', 'auto'],
      ['quiet for 2000 ms, at most 15 s after load', 'auto'],
      ['quiet for 500 ms, at most 15 s after load', 'context'],
      ['quiet for 500 ms, at most 15 s after load', 'process'],
    ],
  );
});

test('of a metric that the page lacks there is no series, though some of its visits failed', async (t) => {
  const api = await testApi(t);
  const { id } = await api.campaign({ rounds: 6, protocols: ['h3'] });
  for (let lease = await api.lease(); lease !== undefined; lease = await api.lease()) {
    const metrics = sampleMetrics({ largestContentfulPaint: null });
    await api.upload(
      lease,
      sampleVisit(lease, 0, lease.round.number < 3 ? invalidOutcome('load-timeout') : { outcome: { verdict: 'valid', metrics } }),
    );
    await api.complete(lease);
  }
  assert.deepEqual((await trendsOf(api, 'metric=largestContentfulPaint')).series, []);
  const [onLoad] = (await trendsOf(api)).series;
  assert.deepEqual([onLoad?.points[0]?.campaignId, onLoad?.points[0]?.n, onLoad?.points[0]?.failed], [id, 6, 2]);
});

test('H3-Delta of the medians is told from campaign to campaign, where both protocols were measured', async (t) => {
  const api = await testApi(t);
  const first = await measure(api, 500, { annotations: { commit: 'abc' } });
  await measure(api, 600, { protocols: ['h3'] });
  const third = await measure(api, 700);
  const { deltas, series } = await trendsOf(api);
  const medians = (protocol: string) => series.find((one) => one.protocol === protocol)?.points.map(({ median }) => median) ?? [];
  const [h2, later] = medians('h2').map((one) => one ?? 0) as [number, number];
  assert.deepEqual(
    deltas.map(({ condition, points }) => [condition, points.map(({ campaignId, delta }) => [campaignId, delta])]),
    [
      [
        'native',
        [
          [first, (503.5 - h2) / h2],
          [third, (703.5 - later) / later],
        ],
      ],
    ],
  );
  assert.deepEqual(deltas[0]?.points[0]?.annotations, { commit: 'abc' });
  assert.deepEqual((await trendsOf(api, 'protocol=h3')).deltas, []);
});

test('H3-Delta has the interval of the campaign’s own comparison, of fixed rounds and of looks alike', async (t) => {
  const api = await testApi(t);
  const uneven = (protocol: string, round: number) => (protocol === 'h2' ? 520 + ((round * 37) % 90) : 470 + ((round * 53) % 110));
  await measure(api, uneven, { rounds: 3 });
  await measure(api, uneven, { rounds: 9, protocols: ['h2', 'h3', 'h2'] });
  await measure(api, uneven, { rounds: 12, maximumRounds: 12 });
  const lost: Took = (protocol, round) => (round >= 24 ? null : uneven(protocol, round) + (protocol === 'h2' ? 0 : 35));
  const settling = await measure(api, lost, { rounds: 10, maximumRounds: 40 });
  assert.equal(
    (await api.get(`/campaigns/${settling}`)).body.progress.rounds,
    40,
    'looks were taken at rounds that nothing was measured in',
  );
  const [{ points } = { points: [] }] = (await trendsOf(api)).deltas;
  const expected = [];
  for (const { campaignId } of points) {
    const { cells } = (await api.get(`/campaigns/${campaignId}/results`)).body as CampaignResults;
    const question = cells[0]?.comparisons.find(({ confirmatory }) => confirmatory);
    expected.push([question?.delta?.value, question?.delta?.low ?? undefined, question?.delta?.high ?? undefined]);
  }
  assert.deepEqual(
    points.map(({ delta, interval }) => [delta, interval?.low, interval?.high]),
    expected,
  );
  assert.deepEqual(
    points.map(({ interval }) => interval !== null),
    [false, true, true, true],
  );
  const [site] = (await api.get('/trends')).body.items as SiteTrends[];
  assert.deepEqual(
    site?.deltas[0]?.points.map(({ delta, interval }) => [delta, interval]),
    points.map(({ delta }) => [delta, null]),
  );
});

test('what is measured in another way, or under another condition of the same name, is another series', async (t) => {
  const api = await testApi(t);
  const under = (rateKbps: number) => ({ conditions: [{ name: 'train', up: {}, down: { rateKbps } }], rounds: 1 });
  await measure(api, 500, under(1000));
  await measure(api, 500, under(2000));
  await measure(api, 500, { ...under(2000), discovery: 'alt-svc' });
  await measure(api, 500, under(2000));
  const { series } = await trendsOf(api, 'protocol=h3');
  assert.deepEqual(
    series.map(({ points, discovery }) => [points.map(({ campaignId }) => campaignId).join(), discovery]),
    [
      ['1', 'forced'],
      ['2,4', 'forced'],
      ['3', 'alt-svc'],
    ],
  );
});

test('what another visitor sees is another series, also where the visitor is the page’s own', async (t) => {
  const api = await testApi(t);
  const url = 'https://shop.example/';
  const phone = { device: 'phone' } as const;
  await measure(api, 500, { rounds: 1, sites: [{ url }] });
  await measure(api, 900, { rounds: 1, sites: [{ url }], visitor: phone });
  await measure(api, 900, { rounds: 1, sites: [{ url, visitor: phone }] });
  await measure(api, 500, { rounds: 1, sites: [{ url }] });
  const { series } = await trendsOf(api, 'protocol=h3');
  assert.deepEqual(
    series.map(({ points, visitor }) => [points.map(({ campaignId }) => campaignId).join(), visitor]),
    [
      ['1,4', 'a usual visitor'],
      ['2,3', 'phone'],
    ],
  );
});

test('ten campaigns say whether a metric grows', async (t) => {
  const api = await testApi(t);
  for (let i = 0; i < 9; i++) await measure(api, 500 + 10 * i, { rounds: 1 });
  assert.equal((await trendsOf(api, 'protocol=h3')).series[0]?.trend, null);
  await measure(api, 590, { rounds: 1 });
  const [h3] = (await trendsOf(api, 'protocol=h3')).series;
  assert.equal(h3?.trend?.tau, 1);
  assert.equal(h3?.trend?.slope, 10);
  assert.match(
    h3?.trend?.words ?? '',
    /^onLoad grows by about 10 from campaign to campaign \(p < 0.001, 10 campaigns\)\. Successive campaigns are correlated/,
  );
});

test('trends of several sites come a page of sites at a time', async (t) => {
  const api = await testApi(t);
  await measure(api, 500, { rounds: 1, sites: ['a', 'b', 'c'].map((host) => ({ url: `https://${host}.example/` })) });
  const page = (await api.get('/trends?limit=2&protocol=h2')).body;
  assert.ok(Compile(Page(SiteTrends)).Check(page));
  const rest = (await api.get(`/trends?limit=2&protocol=h2&cursor=${page.nextCursor}`)).body;
  assert.deepEqual(
    [...page.items, ...rest.items].map(({ url }) => url),
    ['https://c.example/', 'https://b.example/', 'https://a.example/'],
  );
  assert.equal(rest.nextCursor, null);
  assert.deepEqual(
    (await api.get('/trends?search=b.ex')).body.items.map(({ siteId }: SiteTrends) => siteId),
    ['2'],
  );
});

test('trends that are being computed end between campaigns when the api is closed', async (t) => {
  const api = await testApi(t);
  for (let i = 0; i < 3; i++) await measure(api, 500, { rounds: 1 });
  let read = 0;
  const { trends } = createComputation(api.app.database, api.app.database, () => ++read === 3);
  const filter = { condition: null, protocol: null, view: null, branch: null, since: null, until: null };
  const given = { metric: 'onLoad', filter, campaigns: 100, withIntervals: true } as const;
  assert.throws(() => trends({ siteIds: [1], ...given }), /The api is being closed/);
});

test('runs of REST calls have trends of their own metrics; those of another workload are another series', async (t) => {
  const api = await testApi(t);
  const registration = sampleRegistration('runner');
  assert.equal((await api.post('/runners', registration)).status, 201);
  const { instance } = registration;
  const runs = async (users: number, ms: number) => {
    await api.campaign({ rounds: 3, protocols: ['h2', 'h3'], workload: { users }, sites: [{ url: 'https://api.example/items' }] });
    for (let lease = await api.lease({ instance }); lease !== undefined; lease = await api.lease({ instance })) {
      for (const slot of lease.spec.protocols.keys())
        await api.upload(
          lease,
          sampleVisit(lease, slot, { outcome: { verdict: 'valid', metrics: sampleRunMetrics({ responseTime: ms }) } }),
        );
      await api.complete(lease);
    }
    api.clock.now += 86_400_000;
  };
  await runs(10, 20);
  await runs(10, 30);
  await runs(50, 80);
  const { metric, series } = await trendsOf(api, 'protocol=h3');
  assert.equal(metric, 'responseTime');
  assert.deepEqual(
    series.map(({ engine, points }) => [engine, points.map(({ median }) => median)]),
    [
      ['transaction: 10 users send 100 GET requests each, over one connection each; 1,000 requests.', [20, 30]],
      ['transaction: 50 users send 100 GET requests each, over one connection each; 5,000 requests.', [80]],
    ],
  );
  assert.equal((await api.get('/sites/1')).body.engine, 'transaction');
  assert.equal((await trendsOf(api, 'protocol=h3&metric=requestsPerSecond')).series.length, 2);
  assert.deepEqual((await trendsOf(api, 'protocol=h3&metric=onLoad')).series, []);
  for (const path of ['across', 'distributions', 'compare/1']) {
    const { status, body } = await api.get(`/campaigns/2/${path}?metric=onLoad`);
    assert.equal(status, 400, path);
    assert.match(body.detail, /A run of REST calls has no onLoad, which is measured for pages; did you mean responseTime\?/);
    const usual = await api.get(`/campaigns/2/${path}`);
    assert.equal(usual.body.metric, 'responseTime', JSON.stringify(usual.body));
    assert.equal((await api.get(`/campaigns/2/${path}?metric=clientCpu`)).status, 200);
  }
});

const statusOf = async (api: TestApi, query = ''): Promise<SiteStatusPage> => {
  const { status, body } = await api.get(`/sites/status?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

test('the status of a site has its newest result, those before it, and what is being measured', async (t) => {
  const api = await testApi(t);
  for (const ms of [500, 510, 520]) await measure(api, ms, { conditions: ['native', '4g'] });
  await api.campaign({ rounds: 3, name: 'again' });
  const { items, ...rest } = await statusOf(api);
  assert.deepEqual(rest, { nextCursor: null, sites: 1, conditions: ['native', '4g'], metrics: ['onLoad'] });
  const [{ now, points, ...site }] = items as [SiteStatus];
  assert.deepEqual(site, {
    siteId: '1',
    url: 'https://site.example/',
    name: 'site.example',
    tags: [],
    engine: 'puppeteer',
    notLoaded: null,
    change: null,
    gate: null,
    alerts: 0,
    active: { campaignId: '4', state: 'queued', roundsDone: 0, rounds: 3 },
    schedule: null,
  });
  const { cells } = (await api.get('/campaigns/3/summary')).body as CampaignSummary;
  const { medians, comparison } = cells[0] as CampaignSummary['cells'][number];
  const { outcome, words, difference, shift, shiftAtMedian } = comparison ?? assert.fail();
  assert.deepEqual(now, {
    ...{ campaignId: '3', doneAt: '2026-03-03T12:00:00.000Z', condition: 'native', view: 'cold', metric: 'onLoad', medians },
    failures: { h2: { failed: 0, loads: 12 }, h3: { failed: 0, loads: 12 } },
    otherCells: [],
    comparison: { outcome, unfinished: false, words, difference, shift, shiftAtMedian },
  });
  assert.deepEqual(
    points.map(({ campaignId, at, h3 }) => [campaignId, at.slice(0, 10), h3]),
    [
      ['1', '2026-03-01', 503.5],
      ['2', '2026-03-02', 513.5],
      ['3', '2026-03-03', 523.5],
    ],
  );
  const [lately] = (await statusOf(api, 'days=2&condition=4g')).items;
  assert.deepEqual([lately?.now?.condition, lately?.points.length], ['4g', 2]);
  assert.equal((await statusOf(api, 'metric=speedIndex')).items[0]?.now, null);
  assert.deepEqual((await api.get('/sites/1/status')).body, items[0]);
  assert.equal((await api.get('/sites/9/status')).status, 404);
});

test('what other conditions say stands beside the first, if it is something else, and failed loads are those of all', async (t) => {
  const api = await testApi(t);
  const sites = ['a', 'b'].map((host) => ({ url: `https://${host}.example/` }));
  const conditions = ['native', '3g', '4g', 'cable'];
  const took: Took = (protocol, round, condition) => {
    if (condition === '4g' && protocol === 'h3') return null;
    return condition === '3g' ? from(500)(protocol, round, condition) : 500 + round;
  };
  await measure(api, 500, { sites });
  await measure(api, took, { sites: sites.slice(1), conditions, rounds: 12 }, null, whole);
  const now = async (query = '') => (await statusOf(api, query)).items.find(({ name }) => name === 'b.example')?.now;
  const { condition, comparison, failures, otherCells } = (await now()) ?? assert.fail();
  assert.deepEqual([condition, comparison?.outcome], ['native', 'equivalent']);
  assert.deepEqual(failures, { h2: { failed: 0, loads: 48 }, h3: { failed: 12, loads: 48 } });
  assert.deepEqual(otherCells, [
    { condition: '4g', view: 'cold', words: 'HTTP/3 fails', lost: true },
    { condition: '3g', view: 'cold', words: 'HTTP/3 faster', lost: false },
  ]);
  const under = await now('condition=4g');
  assert.deepEqual([under?.failures.h3, under?.otherCells], [{ failed: 12, loads: 12 }, []]);
});

test('a page that was lost under any condition comes before those that were not', async (t) => {
  const api = await testApi(t);
  const conditions = ['native', '4g'];
  const sites = ['a', 'b'].map((host) => ({ url: `https://${host}.example/` }));
  await measure(api, 500, { sites, conditions });
  // On a branch: no alert puts it there.
  const only = { conditions, annotations: { branch: 'x' }, sites: [{ url: 'https://c.example/' }] };
  await measure(api, (protocol, round, condition) => (condition === '4g' && protocol === 'h3' ? null : 500 + round), only);
  const names = async (query: string) => (await statusOf(api, query)).items.map(({ name, alerts }) => [name, alerts]);
  const [a, b, c] = ['a', 'b', 'c'].map((host) => [`${host}.example`, 0]);
  assert.deepEqual(await names(''), [c, a, b]);
  assert.deepEqual(await names('condition=native'), [c, a, b], 'as those with an alert');
});

test('what somebody measured over HTTP/3 alone hides no comparison', async (t) => {
  const api = await testApi(t);
  const compared = await measure(api, 500, { rounds: 12 }, null, whole);
  await measure(api, 400, { protocols: ['h3'] });
  for (const query of ['', 'condition=native', 'metric=onLoad']) {
    const [site] = (await statusOf(api, query)).items;
    assert.deepEqual([site?.now?.campaignId, site?.now?.comparison?.outcome], [compared, 'h3-faster'], query);
  }
  await measure(api, 400, { protocols: ['h3'], sites: [{ url: 'https://other.example/' }] });
  assert.equal((await statusOf(api)).items[0]?.now?.campaignId, '3', 'where there is no other, it is shown');
});

test('the gate of a site is that of the newest campaign, whichever was asked last', async (t) => {
  const api = await testApi(t);
  const [older, newer] = [await measure(api, 500), await measure(api, 900)];
  for (const campaignId of [newer, older]) await api.post('/gates/check', { campaignId, assertions: ['onLoad p50 <= 700 ms'] });
  assert.deepEqual((await statusOf(api)).items[0]?.gate, { gateId: null, name: null, outcome: 'fail', campaignId: newer });
});

test('points are at most thirty, also where the newest campaign began on the hour', async (t) => {
  const api = await testApi(t);
  for (let day = 0; day <= 30; day++) await measure(api, 500 + day, { rounds: 1 });
  api.clock.now -= 86_400_000;
  const [site] = (await statusOf(api)).items;
  assert.deepEqual([site?.points.length, site?.points[0]?.campaignId, site?.points.at(-1)?.campaignId], [30, '1', '31']);
});

test('a change of setup is no change of the page: points are those of the newest setup', async (t) => {
  const api = await testApi(t);
  await measure(api, 500);
  await measure(api, 700, { discovery: 'alt-svc' });
  await measure(api, 710, { discovery: 'alt-svc' });
  const [site] = (await statusOf(api)).items;
  assert.deepEqual(
    site?.points.map(({ campaignId }) => campaignId),
    ['2', '3'],
  );
});

test('what a branch or a pull request measures is the status of a site that has nothing else alone', async (t) => {
  const api = await testApi(t);
  const other = { sites: [{ url: 'https://other.example/' }] };
  await measure(api, 500, { annotations: { branch: 'main' } });
  await measure(api, 400, { annotations: { branch: 'faster' } });
  await measure(api, 300, { annotations: { pullRequest: 7, branch: 'main' } });
  await measure(api, 600, { ...other, annotations: { branch: 'one' } });
  await measure(api, 700, { ...other, annotations: { branch: 'two' } });
  const campaigns = (await statusOf(api)).items.map(({ name, now, points }) => [name, now?.campaignId, points.length]);
  assert.deepEqual(campaigns, [
    ['other.example', '5', 1],
    ['site.example', '1', 1],
  ]);
});

test('what a campaign measured is in the status soon after it is done, though nobody asked for its summary', {
  timeout: 60_000,
}, async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db'), results: { threads: 1 } });
  const id = await measure(api, 500);
  for (let shown: string | undefined; shown !== id; ) shown = (await statusOf(api)).items[0]?.now?.campaignId;
});

test('what ended while no service ran, and what another version of the statistics computed, is caught up with', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [{ campaigns: 2, sites: 2, conditions: 1, rounds: 7 }]);
  const api = await testApi(t, { database, results: { threads: 1 } });
  const shown = async () => (await statusOf(api, 'days=400')).items.map(({ now, points }) => [now?.campaignId, points.length]);
  await api.app.results.catchUp();
  assert.deepEqual(await shown(), [
    ['2', 2],
    ['2', 2],
  ]);
  const { app } = api;
  await app.commit(() => {
    app.database.exec(`UPDATE results SET version = '1' || substr(version, instr(version, '.'))`);
    app.database.exec('UPDATE site_results SET version = 1');
  });
  assert.deepEqual(
    (await shown()).map(([campaignId]) => campaignId),
    [undefined, undefined],
    'nothing is shown of another version',
  );
  await app.results.catchUp();
  assert.deepEqual(await shown(), [
    ['2', 2],
    ['2', 2],
  ]);
});

test('a campaign whose summary cannot be computed keeps no other one from the status', async (t) => {
  const api = await testApi(t);
  for (const ms of [500, 600]) await measure(api, ms);
  const broken = `UPDATE campaigns SET spec = json_set(spec, '$.protocols', json('["h2"]')) WHERE id = 2`; // slot 1 is gone
  await api.app.commit(() => api.app.database.exec(broken));
  assert.deepEqual(
    (await statusOf(api)).items.map(({ now }) => now?.campaignId),
    ['1'],
  );
});

test('a deleted campaign leaves nothing behind in the status, and comes back when it is restored', async (t) => {
  const api = await testApi(t);
  await measure(api, 500);
  await measure(api, 600);
  const shown = async () => (await statusOf(api)).items.map(({ now, points }) => [now?.campaignId, points.length]);
  assert.deepEqual(await shown(), [['2', 2]]);
  await api.delete('/campaigns/2');
  assert.deepEqual(await shown(), [['1', 1]]);
  await api.post('/campaigns/2/restore');
  assert.deepEqual(await shown(), [['2', 2]]);
  await api.delete('/campaigns/2?purge=true');
  await api.app.campaignDeletion.settled();
  assert.deepEqual(await shown(), [['1', 1]]);
  await api.delete('/campaigns/1?purge=true');
  await api.app.campaignDeletion.settled();
  assert.deepEqual(await shown(), []);
  assert.equal(api.app.database.prepare('SELECT count(*) FROM site_results').pluck().get(), 0);
});

test('sites whose page could not be loaded come first, and pages of sites join without a gap', async (t) => {
  const api = await testApi(t);
  const sites = ['b', 'a', 'site 10', 'site 9', 'c'].map((name, n) => ({ url: `https://${n}.example/`, name }));
  await measure(api, 500, { sites, rounds: 1 });
  await measure(api, () => null, { sites: [{ url: 'https://4.example/', name: 'c' }], rounds: 1 });
  const all = await statusOf(api);
  assert.deepEqual(
    all.items.map(({ name }) => name),
    ['c', 'a', 'b', 'site 9', 'site 10'],
  );
  assert.match(all.items[0]?.notLoaded ?? '', /^could not be loaded: /);
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const { items, nextCursor, sites } = await statusOf(api, `limit=2${cursor}`);
    names.push(...items.map(({ name }) => name));
    assert.equal(sites, 5);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  assert.deepEqual(names, ['c', 'a', 'b', 'site 9', 'site 10']);
  assert.deepEqual(
    (await statusOf(api, 'search=SITE')).items.map(({ name }) => name),
    ['site 9', 'site 10'],
  );
  assert.equal((await api.get('/sites/status?cursor=7')).status, 400);
});

test('sites are found by their tags, which are lower-case words', async (t) => {
  const api = await tokenApi(t, { lookUp: async () => [{ address: '93.184.216.34' }] });
  for (const name of ['shop', 'news'])
    await api.ask('submitter', 'POST', '/campaigns', { payload: { sites: [{ url: `https://${name}.example/` }], rounds: 1 } });
  const put = (asker: 'viewer' | 'submitter', tags: string[]) => api.ask(asker, 'PUT', '/sites/1/tags', { payload: { tags } });
  assert.equal((await put('viewer', ['checkout'])).status, 403);
  assert.deepEqual((await put('submitter', ['team-b', 'checkout'])).body, { tags: ['checkout', 'team-b'] });
  for (const tags of [['Checkout'], ['a b'], [''], ['x'.repeat(31)], ['a', 'a'], Array.from({ length: 11 }, (_, n) => `t${n}`)])
    assert.equal((await put('submitter', tags)).status, 400, String(tags));
  assert.equal((await api.ask('submitter', 'PUT', '/sites/9/tags', { payload: { tags: [] } })).status, 404);
  assert.deepEqual((await api.ask('viewer', 'GET', '/sites/tags')).body, [
    { tag: 'checkout', sites: 1 },
    { tag: 'team-b', sites: 1 },
  ]);
  const found = (await api.ask('viewer', 'GET', '/sites/status?tag=team-b')).body.items;
  assert.deepEqual(
    found.map(({ name, tags }: SiteStatus) => [name, tags]),
    [['shop.example', ['checkout', 'team-b']]],
  );
  const [entry] = (await api.ask('admin', 'GET', '/audit')).body.items;
  assert.deepEqual(
    [entry.action, entry.subject, entry.by, entry.detail],
    ['site.tag', '1', 'the submitter', { tags: ['checkout', 'team-b'] }],
  );
});
