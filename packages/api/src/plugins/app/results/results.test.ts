import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { campaignDistributions, campaignResults, campaignSummary, measure } from '@pronghorn/core/campaign';
import { type CampaignResults, CampaignResultsPage, CampaignSummary, ListedComparison, Page } from '@pronghorn/core/schemas';
import Sqlite from 'better-sqlite3';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ownCaller } from '../../../store/caller.ts';
import { type MadeCampaigns, makeDatabase } from '../../../testing/made-database.ts';
import { invalidOutcome, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';

const fits = (schema: TSchema, value: unknown) => assert.deepEqual([...Compile(schema).Errors(value)].slice(0, 1), []);

/** An api on a file, whose results a thread computes when they are asked for. */
async function apiWith(t: TestContext, ...parts: MadeCampaigns[]): Promise<TestApi & { database: string }> {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, parts);
  return { ...(await testApi(t, { database, results: { ahead: false } })), database };
}

const small: MadeCampaigns = { campaigns: 1, sites: 3, conditions: 2, rounds: 7 };

/** As the statistics say, computed here and now. */
function computed({ app }: TestApi, id: string): CampaignResults {
  const campaign = { id, ...(app.tables.campaigns.findSpec(Number(id)) ?? assert.fail(`no campaign ${id}`)) };
  return campaignResults(
    campaign,
    app.tables.visits.ofResults(Number(id)),
    app.tables.linkChecks.ofResults(Number(id)),
    campaign.state === 'done',
  );
}

/** Performs the next round; h3 is faster. */
async function performRound(api: TestApi, invalid = false): Promise<void> {
  const lease = await api.lease();
  for (const [slot, protocol] of lease.spec.protocols.entries()) {
    const metrics = sampleMetrics({ onLoad: (protocol === 'h3' ? 800 : 1000) + lease.round.number });
    const outcome = invalid ? invalidOutcome('load-timeout') : { outcome: { verdict: 'valid' as const, metrics } };
    await api.upload(lease, sampleVisit(lease, slot, outcome));
  }
  await api.complete(lease);
}

test('results that a thread computed and kept are those that the statistics give', async (t) => {
  const api = await apiWith(t, small);
  const { body } = await api.get('/campaigns/1/results');
  fits(CampaignResultsPage, body);
  assert.deepEqual(body, JSON.parse(JSON.stringify(computed(api, '1'))));
  assert.equal('nextCursor' in body, false);
});

test('distributions, which read one metric alone, are those that all metrics of the visits give', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') });
  await api.campaign({ rounds: 5, protocols: ['h2', 'h3'] });
  for (const invalid of [false, true, false, false]) await performRound(api, invalid);
  const campaign = { id: '1', ...(api.app.tables.campaigns.findSpec(1) ?? assert.fail()) };
  for (const metric of ['onLoad', 'speedIndex'] as const) {
    const { body } = await api.get(`/campaigns/1/distributions?metric=${metric}`);
    assert.deepEqual(
      body,
      JSON.parse(JSON.stringify(campaignDistributions(measure(campaign, api.app.tables.visits.ofResults(1)), metric))),
    );
  }
});

test('cells are filtered and paged, with the numbers of the whole campaign', async (t) => {
  const api = await apiWith(t, small);
  const whole: CampaignResults = (await api.get('/campaigns/1/results')).body;
  const [first, ...others] = whole.cells;
  const page = (await api.get('/campaigns/1/results?limit=4')).body;
  fits(CampaignResultsPage, page);
  const rest = (await api.get(`/campaigns/1/results?limit=4&cursor=${page.nextCursor}`)).body;
  assert.deepEqual([...page.cells, ...rest.cells], whole.cells);
  assert.equal(rest.nextCursor, null);
  const { siteId = '', condition = '' } = first ?? {};
  const one = (await api.get(`/campaigns/1/results?siteId=${siteId}&condition=${condition}&view=cold`)).body;
  assert.deepEqual(one, { ...whole, cells: [first] });
  assert.ok(others.length > 0);
  assert.deepEqual((await api.get('/campaigns/1/results?view=warm')).body.cells, []);
  assert.equal((await api.get('/campaigns/1/results?cursor=x')).status, 400);
});

test('comparisons are listed by metric, pair, verdict and place', async (t) => {
  const api = await apiWith(t, small);
  const { cells }: CampaignResults = (await api.get('/campaigns/1/results')).body;
  const all = cells.flatMap(({ siteId, condition, view, comparisons }) =>
    comparisons.map((comparison) => ({ siteId, condition, view, ...comparison })),
  );
  const read = async (query: string): Promise<ListedComparison[]> => {
    const items: ListedComparison[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await api.get(`/campaigns/1/comparisons?limit=5${query}${cursor}`);
      fits(Page(ListedComparison), body);
      items.push(...body.items);
      if (body.nextCursor === null) return items;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  assert.deepEqual(await read(''), all);
  const [some] = all;
  assert.ok(some);
  const { siteId, condition } = some;
  const outcome = some.verdict.outcome;
  const cases: [string, (one: ListedComparison) => boolean][] = [
    ['&confirmatory=true', (one) => one.confirmatory],
    ['&confirmatory=false', (one) => !one.confirmatory],
    ['&metric=speedIndex&candidate=h2', (one) => one.metric === 'speedIndex' && one.candidate === 'h2'],
    ['&baseline=h2', (one) => one.baseline === 'h2'],
    [`&verdict=${outcome}`, (one) => one.verdict.outcome === outcome],
    [`&siteId=${siteId}&condition=${condition}&view=cold`, (one) => one.siteId === siteId && one.condition === condition],
  ];
  for (const [query, wanted] of cases) {
    assert.deepEqual(await read(query), all.filter(wanted), query);
    assert.ok(all.some(wanted), query);
  }
});

test('a summary says what the statistics say, and verdicts are those of the results', async (t) => {
  const api = await apiWith(t, small);
  const { body } = await api.get('/campaigns/1/summary');
  fits(CampaignSummary, body);
  const campaign = api.app.tables.campaigns.find('1') ?? assert.fail();
  const again = campaignSummary(measure(campaign, api.app.tables.visits.ofResults(1)), true);
  const { asOf, state, progress, ...said } = body as CampaignSummary;
  assert.deepEqual(said, JSON.parse(JSON.stringify(again)));
  assert.deepEqual([asOf, state, progress], ['2026-03-01T12:00:00.000Z', 'done', campaign.progress]);
  const { cells }: CampaignResults = (await api.get('/campaigns/1/results')).body;
  for (const [index, cell] of cells.entries()) {
    const question = cell.comparisons.find(({ confirmatory }) => confirmatory);
    assert.equal(said.cells[index]?.comparison?.words, question?.verdict.words);
    assert.equal(said.cells[index]?.comparison?.adjustedP, question?.signedRank?.adjustedP);
    assert.deepEqual(said.cells[index]?.comparison?.delta, question?.delta);
    assert.equal(said.cells[index]?.h3Delta, cell.h3Delta.onLoad);
  }
});

test('results of a running campaign are never older than its last finished round', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') });
  await api.campaign({ rounds: 3, protocols: ['h2', 'h3'] });
  for (const rounds of [1, 2, 3]) {
    await performRound(api);
    const { body } = await api.get('/campaigns/1/results');
    assert.equal(body.cells[0].slots[0].valid, rounds);
    assert.deepEqual(body, JSON.parse(JSON.stringify(computed(api, '1'))));
  }
});

test('a summary may be ten seconds old while rounds are performed, and is new at once when the campaign is done', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') });
  await api.campaign({ rounds: 4, protocols: ['h2', 'h3'] });
  const valid = async () => {
    const { body } = await api.get('/campaigns/1/summary');
    return [body.state, body.visits.valid, body.asOf];
  };
  await performRound(api);
  assert.deepEqual(await valid(), ['running', 2, '2026-03-01T12:00:00.000Z']);
  await performRound(api);
  api.clock.now += 4_000;
  assert.deepEqual(await valid(), ['running', 2, '2026-03-01T12:00:00.000Z']);
  await performRound(api, true);
  api.clock.now += 7_000;
  const { body } = await api.get('/campaigns/1/summary');
  assert.deepEqual([body.visits.valid, body.visits.invalid], [4, [{ reason: 'load-timeout', count: 2 }]]);
  await performRound(api);
  assert.deepEqual((await valid()).slice(0, 2), ['done', 6]);
});

test('a campaign that goes on after it was cancelled has new results when it is done', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') });
  await api.campaign({ rounds: 8, protocols: ['h2', 'h3'] });
  for (let i = 0; i < 6; i++) await performRound(api);
  await api.post('/campaigns/1/cancel');
  const doubtsOf = async () => {
    const { cells }: CampaignResults = (await api.get('/campaigns/1/results')).body;
    return cells[0]?.comparisons[0]?.verdict.doubts.map(({ doubt }) => doubt);
  };
  assert.ok((await doubtsOf())?.includes('unfinished'));
  assert.equal((await api.get('/campaigns/1/summary')).body.state, 'cancelled');
  await api.post('/campaigns/1/resume');
  for (let i = 0; i < 2; i++) await performRound(api);
  assert.ok(!(await doubtsOf())?.includes('unfinished'));
  assert.equal((await api.get('/campaigns/1/summary')).body.state, 'done');
});

test('what is kept outlives the service', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [small]);
  const read = async () => {
    const api = await testApi(t, { database });
    const { body } = await api.get('/campaigns/1/results');
    const asOf = api.app.database.prepare(`SELECT DISTINCT asOf FROM results WHERE kind = 'results'`).pluck().all();
    await api.app.close();
    return { body, asOf };
  };
  const first = await read();
  assert.equal(first.asOf.length, 1);
  assert.deepEqual(await read(), first);
});

test('beside a restored backup, results of what was measured after it are not served for what is measured now', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  const before = await testApi(t, { database });
  await before.campaign({ rounds: 2 });
  await performRound(before);
  await before.app.close();
  copyFileSync(database, `${database}.backup`);

  const measured = async (invalid: boolean) => {
    const api = await testApi(t, { database });
    await performRound(api, invalid);
    const { body, headers } = await api.get('/campaigns/1/results');
    assert.deepEqual(body, JSON.parse(JSON.stringify(computed(api, '1'))));
    await api.app.close();
    return headers.etag;
  };
  const etag = await measured(false);
  copyFileSync(`${database}.backup`, database);
  assert.notEqual(await measured(true), etag);
});

test('a summary of a clock that was set back since is not served as a new one', async (t) => {
  const api = await testApi(t, { database: join(testFolder(t), 'pronghorn.db') });
  await api.campaign({ rounds: 3 });
  const valid = async () => (await api.get('/campaigns/1/summary')).body.visits.valid;
  await performRound(api);
  const first = await valid();
  api.clock.now -= 3_600_000;
  await performRound(api);
  assert.ok((await valid()) > first);
});

test('jobs that fail say so, and the next one is done', async (t) => {
  const api = await apiWith(t, small);
  await api.app.commit(() => api.app.database.prepare(`UPDATE campaigns SET spec = json_set(spec, '$.protocols', json('["h2"]'))`).run()); // slots 1 and 2 are gone
  assert.equal((await api.get('/campaigns/1/results')).status, 500);
  await api.app.commit(() =>
    api.app.database.prepare(`UPDATE campaigns SET spec = json_set(spec, '$.protocols', json('["h1","h2","h3"]'))`).run(),
  );
  assert.equal((await api.get('/campaigns/1/results')).status, 200);
});

test('a client that has the results or the summary already gets 304', async (t) => {
  const api = await apiWith(t, small);
  for (const path of ['results', 'results?siteId=1', 'summary', 'comparisons?limit=1']) {
    const url = `/api/v1/campaigns/1/${path}`;
    const first = await api.app.inject({ url });
    const etag = String(first.headers.etag);
    assert.match(etag, /^"[^"]+"$/, path);
    assert.equal((await api.app.inject({ url, headers: { 'if-none-match': etag } })).statusCode, 304, path);
    assert.equal((await api.app.inject({ url, headers: { 'if-none-match': '"another"' } })).statusCode, 200, path);
  }
});

test('what is kept of a campaign goes with it, and nothing of another', async (t) => {
  const api = await apiWith(t, { ...small, campaigns: 2 });
  for (const id of [1, 2]) for (const what of ['results', 'summary']) await api.get(`/campaigns/${id}/${what}`);
  const kept = () => api.app.database.prepare('SELECT DISTINCT campaignId, kind FROM results ORDER BY campaignId, kind').all();
  assert.equal(kept().length, 4);
  await api.app.campaignDeletion.purge('1', ownCaller);
  await api.app.campaignDeletion.settled();
  assert.deepEqual(kept(), [
    { campaignId: 2, kind: 'results' },
    { campaignId: 2, kind: 'summary' },
  ]);
});

test('summaries are computed and read while another process holds the database', async (t) => {
  const api = await apiWith(t, small);
  const other = new Sqlite(api.database);
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const { status, body } = await api.get('/campaigns/1/summary');
  assert.deepEqual([status, body.state], [200, 'done']);
  const kept = () => api.app.database.prepare('SELECT count(*) FROM results').pluck().get();
  assert.equal(kept(), 0);
  other.exec('ROLLBACK');
  assert.deepEqual((await api.get('/campaigns/1/summary')).body, body);
  assert.equal(kept(), 1);
});

test('a list has no verdicts that other statistics computed', async (t) => {
  const api = await apiWith(t, small);
  const verdicts = async () => {
    const { status, body } = await api.get('/campaigns');
    return [status, body.items[0].verdicts === null];
  };
  await api.get('/campaigns/1/summary');
  assert.deepEqual(await verdicts(), [200, false]);
  await api.app.commit(() => api.app.database.exec(`UPDATE results SET version = 'other' || version WHERE kind = 'summary'`));
  assert.deepEqual(await verdicts(), [200, true]);
  await api.get('/campaigns/1/summary');
  assert.deepEqual(await verdicts(), [200, false]);
});
