import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CampaignPreview, type CampaignRequest, problemType, runnerProtocol } from '@pronghorn/core/schemas';
import { sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

const site = { url: 'https://site.example/' };
const pair = ['h2', 'h3'] as const;
const previewOf = async (api: Pick<TestApi, 'post'>, request: object): Promise<CampaignPreview> => {
  const { status, body } = await api.post('/campaigns/preview', request);
  assert.equal(status, 200);
  return body;
};
/** @param tookMs of each round. @param spread of h3 from round to round. */
async function perform(api: TestApi, request: Partial<CampaignRequest>, tookMs: number, spread = 0.1): Promise<void> {
  await api.campaign({ sites: [site], protocols: [...pair], ...request });
  for (let lease = await api.lease(); lease?.id !== undefined; lease = await api.lease()) {
    for (const [slot, protocol] of pair.entries()) {
      const onLoad = 1000 * (protocol === 'h2' ? 1 : Math.exp(spread * Math.cos(lease.round.number)));
      await api.upload(lease, sampleVisit(lease, slot, { outcome: { verdict: 'valid', metrics: sampleMetrics({ onLoad }) } }));
    }
    api.clock.now += tookMs;
    await api.complete(lease);
  }
}
const runner = (name: string, location: string | null) => ({
  ...{ name, instance: randomUUID(), location, version: '1.0.0-rc.1', protocol: runnerProtocol },
  capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct'] },
  machine: { hostname: 'm', kernel: '6.1', arch: 'x64', cpu: 'c', cores: 4, memoryBytes: 1e9, node: '24' },
});

test('a preview has every choice and makes nothing', async (t) => {
  const api = await testApi(t);
  const found = await previewOf(api, { sites: [site, { url: 'https://other.example/' }], conditions: ['native', 'loss-1'] });
  assert.deepEqual([found.rounds, found.maxRounds, found.visits], [40, 40, 80]);
  assert.deepEqual([found.spec?.rounds, found.spec?.protocols, found.problems, found.warnings], [10, ['h2', 'h3'], [], []]);
  assert.equal(found.spec && 'seed' in found.spec, false, 'a seed is drawn when it is made');
  assert.equal(
    (await previewOf(api, { sites: [site], seed: 7 })).spec && 'seed' in ((await previewOf(api, { sites: [site], seed: 7 })).spec ?? {}),
    true,
  );
  assert.deepEqual((await api.get('/campaigns')).body.items, []);
});

test('what would be refused is told by its place, also what does not fit the schema, and nothing is an error', async (t) => {
  const api = await testApi(t);
  const faulty = await previewOf(api, { sites: [{ url: 'ftp://a.example/' }, site], conditions: ['native', 'no-such'] });
  assert.deepEqual([faulty.spec, faulty.duration, faulty.detectable], [null, null, null]);
  assert.deepEqual(
    faulty.problems.map(({ pointer, type }) => [pointer, type]),
    [
      ['#/sites/0/url', problemType('invalid-campaign')],
      ['#/conditions/1', problemType('invalid-campaign')],
    ],
  );
  const unfit = await previewOf(api, { sites: [site], rounds: 0, limits: { retries: 99 } });
  assert.deepEqual(
    unfit.problems.map(({ pointer, type }) => [pointer, type]),
    [
      ['#/rounds', problemType('invalid-request')],
      ['#/limits/retries', problemType('invalid-request')],
    ],
  );
  assert.match(unfit.problems[0]?.detail ?? '', /\/rounds is 0; expected at least 1/);
});

test('each problem of a preview is what making the campaign is answered with', async (t) => {
  const api = await testApi(t);
  for (const request of [
    { sites: [] },
    { sites: [{ url: 'http://a.example/' }] },
    { sites: [site, site] },
    { sites: [site], maximumRounds: 3 },
    { sites: [site], views: ['warm'], browser: 'headless-shell' },
    { sites: [site], conditions: [{ name: 'mine', up: { jitter: { ms: 5 } }, down: {} }] },
    {
      sites: [site],
      rounds: 10_000,
      conditions: ['native', '3g', '4g', 'lte', 'dsl', 'cable', 'poor', 'medium', 'loss-1', 'loss-2', 'loss-5'],
    },
  ]) {
    const { body } = await api.post('/campaigns', request);
    const { problems } = await previewOf(api, request);
    assert.deepEqual(
      problems.map(({ pointer, detail }) => ({ pointer, detail })),
      body.errors,
    );
    assert.deepEqual(new Set(problems.map(({ type }) => type)), new Set([body.type]));
  }
});

test('the time is that of earlier rounds of the same page, for the runners that can do it, behind what goes before it', async (t) => {
  const api = await testApi(t);
  const unknown = await previewOf(api, { sites: [site], rounds: 10 });
  assert.deepEqual([unknown.duration?.roundsMs, unknown.duration?.doneAt, unknown.duration?.basis], [null, null, null]);
  assert.equal(unknown.duration?.why, 'No runner is alive.');

  await perform(api, { rounds: 3 }, 4000);
  for (const name of ['one', 'two']) await api.post('/runners', runner(name, name === 'one' ? 'fra' : null));
  const found = await previewOf(api, { sites: [site], protocols: ['h2', 'h3'], rounds: 10, maximumRounds: 30 });
  assert.deepEqual([found.duration?.roundsMs, found.duration?.maxRoundsMs, found.duration?.runnersAble], [40_000, 120_000, 2]);
  assert.equal(found.duration?.doneAt, new Date(api.clock.now + 20_000).toISOString());
  assert.match(found.duration?.basis ?? '', /^From 3 earlier rounds of these pages/);
  const triple = await previewOf(api, { sites: [site], protocols: ['h1', 'h2', 'h3'], rounds: 10 });
  assert.equal(triple.duration?.roundsMs, 60_000, 'three protocols take three halves of the time of two');

  await api.campaign({ sites: [{ url: 'https://before.example/' }], rounds: 5 });
  const behind = await previewOf(api, { sites: [site], protocols: ['h2', 'h3'], rounds: 10 });
  assert.equal(behind.duration?.aheadMs, 20_000);
  const here = await previewOf(api, { sites: [site], protocols: ['h2', 'h3'], rounds: 10, location: 'fra' });
  assert.equal(here.duration?.runnersAble, 1);
  const nowhere = await previewOf(api, { sites: [site], location: 'ams' });
  assert.equal(nowhere.duration?.why, 'No runner at location ams is alive.');
  const contained = await previewOf(api, { sites: [site], isolation: 'container' });
  assert.match(contained.duration?.why ?? '', /^No runner that could perform it can give each visit a container/);
});

test('the smallest difference comes from how the page’s rounds differed before, else from stated assumptions', async (t) => {
  const api = await testApi(t);
  const before = (await previewOf(api, { sites: [site], protocols: ['h2', 'h3'] })).detectable;
  assert.equal(before?.seen, null);
  assert.deepEqual(
    before?.assumed.map(({ spread }) => spread),
    [0.05, 0.1, 0.2],
  );
  await perform(api, { rounds: 12 }, 1000, 0.1);
  const after = (await previewOf(api, { sites: [site], protocols: ['h2', 'h3'] })).detectable;
  assert.deepEqual([after?.seen?.cells, after?.seen?.rounds], [1, 12]);
  assert.ok(Math.abs((after?.seen?.spread ?? 0) - 0.07) < 0.02, `${after?.seen?.spread}`);
  const other = (await previewOf(api, { sites: [site], conditions: ['loss-1'] })).detectable;
  assert.equal(other?.seen, null, 'another condition says nothing of this one');
  assert.equal((await previewOf(api, { sites: [site], protocols: ['h2', 'h2'] })).detectable, null);
});

test('only rounds of the same location, engine, browser, isolation and way to find HTTP/3 count, and of the same numbers, whatever the condition is called', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') }); // a thread reads it
  const slow = { name: 'slow', up: { delayMs: 50 }, down: { delayMs: 50 } };
  await perform(api, { rounds: 12, conditions: [slow] }, 4000, 0.1);
  const asked = (given: Partial<CampaignRequest>) =>
    previewOf(api, { sites: [site], protocols: [...pair], rounds: 10, conditions: [slow], ...given });
  const same = await asked({ conditions: [{ ...slow, name: 'renamed', description: 'As in the old office.' }] });
  assert.equal(same.detectable?.seen?.rounds, 12);
  assert.match(same.duration?.basis ?? '', /^From 12 earlier rounds of these pages under these conditions/);
  const changed = await asked({ conditions: [{ ...slow, up: { delayMs: 500 } }] });
  assert.equal(changed.detectable?.seen, null, 'another condition of the same name');
  assert.match(changed.duration?.basis ?? '', /^A guess from 12 earlier rounds of these pages under other conditions/);
  const otherWays: Partial<CampaignRequest>[] = [
    { isolation: 'process' },
    { browser: 'headless-shell' },
    { discovery: 'alt-svc' },
    { location: 'fra' },
  ];
  for (const other of otherWays) {
    const { duration, detectable } = await asked(other);
    assert.equal(detectable?.seen, null);
    assert.deepEqual([duration?.roundsMs, duration?.basis?.slice(0, 30)], [40_000, 'A guess from 12 earlier rounds']);
  }
});

test('a name that is not looked up at once is told as not checked and holds nothing up', async (t) => {
  const { promise: never, resolve } = Promise.withResolvers<{ address: string }[]>();
  const awake = setInterval(() => {}, 1000); // as a service's socket keeps it
  t.after(() => {
    clearInterval(awake);
    resolve([]);
  });
  const lookUp = (name: string) => (name.startsWith('slow') ? never : Promise.resolve([{ address: '127.0.0.1' }]));
  const api = await tokenApi(t, { lookUp });
  const ask = async (path: string, ...urls: string[]) =>
    (await api.ask('submitter', 'POST', path, { payload: { sites: urls.map((url) => ({ url })), rounds: 10 } })).body;
  const { problems, warnings, spec } = (await ask('/campaigns/preview', 'https://slow.example/')) as CampaignPreview;
  assert.deepEqual(problems, []);
  assert.equal(spec?.rounds, 10);
  assert.equal(warnings[0]?.pointer, '#/sites/0/url');
  assert.match(warnings[0]?.detail ?? '', /^Not checked: slow\.example could not be looked up in 500 ms\./);
  // What is submitted doesn't wait behind the name that was typed.
  assert.equal((await ask('/campaigns', 'https://inside.example/')).type, problemType('address-refused'));
});

test('rounds that can never name a winner are a warning', async (t) => {
  const api = await testApi(t);
  const { warnings, problems } = await previewOf(api, { sites: [site], rounds: 5 });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    warnings.map(({ pointer }) => pointer),
    ['#/rounds'],
  );
  assert.match(warnings[0]?.detail ?? '', /^5 rounds can never name a winner at 5 %: .* Ask for 6 or more\.$/);
});

test('who may not ask for so much, or for such an address, is told before; who may only read gets no preview', async (t) => {
  const api = await tokenApi(t, { limits: { submitter: { maxRounds: 9 } } });
  const ask = (role: 'submitter' | 'viewer', payload: object) => api.ask(role, 'POST', '/campaigns/preview', { payload });
  const over = await ask('submitter', { sites: [{ url: 'https://93.184.216.34/' }] });
  assert.deepEqual(
    over.body.problems.map(({ pointer, type }: { pointer: string; type: string }) => [pointer, type]),
    [['#/rounds', problemType('over-limit')]],
  );
  assert.notEqual(over.body.spec, null);
  const inside = await ask('submitter', { sites: [{ url: 'https://127.0.0.1/' }], rounds: 1 });
  assert.deepEqual(
    inside.body.problems.map(({ pointer, type }: { pointer: string; type: string }) => [pointer, type]),
    [['#/sites/0/url', problemType('address-refused')]],
  );
  assert.equal((await ask('viewer', { sites: [site] })).status, 403);
});

test('a full queue is a problem', async (t) => {
  const api = await testApi(t, { queue: { maxOpenRounds: 10 } });
  const { problems } = await previewOf(api, { sites: [site], rounds: 11 });
  assert.deepEqual(
    problems.map(({ pointer, type }) => [pointer, type]),
    [['#', problemType('queue-full')]],
  );
});

test('of REST calls it tells what each run does, how many requests that are, and what time they take at least', async (t) => {
  const api = await testApi(t);
  const calls = { sites: [{ url: 'https://api.example/items' }], protocols: ['h2', 'h3'], rounds: 10 };
  const runsOf = async (more: object) => (await api.post('/campaigns/preview', { ...calls, ...more })).body.runs;
  assert.equal(await runsOf({}), null);
  assert.deepEqual(await runsOf({ workload: { users: 50, requests: 10, method: 'POST', bodyBytes: 1000 } }), {
    words: ['50 users send 10 POST requests of 1 kB each, over one connection each; 500 requests.'],
    ...{ requests: 10_000, sentBytes: 10_000_000, minMs: 0 },
  });
  const { requests, minMs } = await runsOf({ workload: { mode: 'duration', seconds: 5 } });
  assert.deepEqual([requests, minMs], [null, 100_000]);
  const sites = [...calls.sites, { url: 'https://api.example/other', workload: { requests: 5 } }];
  const { words, requests: all } = await runsOf({ sites, workload: { users: 2 } });
  assert.deepEqual([words.length, all], [2, 20 * 200 + 20 * 10]);
});
