import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { resultsVersion, streamComparison } from '@pronghorn/core/campaign';
import { CampaignComparisonPage, type CellComparison } from '@pronghorn/core/schemas';
import { Compile } from 'typebox/compile';
import { type Database, openDatabase } from '../../../storage/database.ts';
import { ownCaller } from '../../../store/caller.ts';
import { type CellRow, type ChangeOutline, createResultsRepository, type Subject } from '../../../tables/results-repository.ts';
import { makeDatabase } from '../../../testing/made-database.ts';
import { testApi, testFolder } from '../../../testing/test-api.ts';
import { createResultsPages } from './results-pages.ts';

const made = { campaigns: 2, sites: 3, conditions: 2, rounds: 7 };
const pair = { campaignId: 2, baselineId: 1, metric: 'onLoad' as const };

test('a thread compares two campaigns as the statistics do; pages, counts and filters are of one correction', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [made]);
  const api = await testApi(t, { database, results: { ahead: false } });
  // One page became quick.
  await api.app.commit(() =>
    api.app.database.exec(
      'UPDATE visits SET onLoad = onLoad / 10 WHERE roundId IN (SELECT id FROM rounds WHERE campaignId = 2 AND siteId = 1)',
    ),
  );
  const measured = (id: string) => {
    const campaign = api.app.tables.campaigns.find(id) ?? assert.fail(`no campaign ${id}`);
    return {
      campaign,
      visits: api.app.tables.visits.ofMetric(Number(id), 'onLoad'),
      linkChecks: [],
      environments: api.app.tables.environments.ofCampaign(Number(id)),
    };
  };
  const stream = streamComparison(measured('2'), measured('1'), 'onLoad');
  const { cells, ...head } = JSON.parse(JSON.stringify({ ...stream, cells: [...stream.cells] }));
  assert.equal(cells.length, 6);
  const read = async (query: string) => {
    const { status, body } = await api.get(`/campaigns/2/compare/1?${query}`);
    assert.equal(status, 200);
    assert.deepEqual([...Compile(CampaignComparisonPage).Errors(body)], []);
    return body as CampaignComparisonPage;
  };
  const countOf = (wanted: CellComparison[]) => {
    const of = (outcomes: (string | undefined)[]) => ({
      lower: outcomes.filter((one) => one === 'lower').length,
      higher: outcomes.filter((one) => one === 'higher').length,
      undecided: outcomes.filter((one) => one === 'undecided').length,
    });
    const changes = wanted.flatMap(({ protocols }) => protocols);
    const tooFew = changes.filter(({ doubts }) => doubts.some(({ reason }) => reason === 'too-few-rounds')).length;
    return { protocols: { ...of(changes.map(({ outcome }) => outcome)), tooFew }, leads: of(wanted.map(({ lead }) => lead?.outcome)) };
  };
  assert.deepEqual(await read(''), { ...head, outcomes: countOf(cells), cells, nextCursor: null });

  const first = await read('limit=4');
  assert.deepEqual({ ...first, cells: [] }, { ...head, outcomes: countOf(cells), cells: [], nextCursor: first.nextCursor });
  const rest = await read(`limit=4&cursor=${first.nextCursor}`);
  assert.deepEqual([...first.cells, ...rest.cells], cells);
  assert.deepEqual([rest.nextCursor, rest.outcomes], [null, first.outcomes]);

  const [{ siteId, condition }] = cells;
  const ofSite = cells.filter((cell: CellComparison) => cell.siteId === siteId);
  assert.deepEqual(await read(`siteId=${siteId}`), { ...head, outcomes: countOf(ofSite), cells: ofSite, nextCursor: null });
  assert.deepEqual((await read(`siteId=${siteId}&condition=${condition}&view=cold`)).cells, cells.slice(0, 1));
  const differing = cells.filter((cell: CellComparison) =>
    [...cell.protocols, ...(cell.lead ? [cell.lead] : [])].some(({ outcome }) => outcome !== 'undecided'),
  );
  assert.ok(differing.length > 0 && differing.length < cells.length, 'some differ, others do not');
  const only = await read('differing=true');
  assert.deepEqual([only.cells, only.outcomes], [differing, countOf(cells)]);

  for (const bad of ['cursor=x', 'limit=0', 'differing=perhaps', 'page=2']) {
    assert.equal((await api.get(`/campaigns/2/compare/1?${bad}`)).status, 400, bad);
  }
  assert.equal((await api.get('/campaigns/2/compare/99')).status, 404);
});

test('a comparison is kept, is not computed again before something changes, and goes with either campaign', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [made]);
  const api = await testApi(t, { database, results: { ahead: false } });
  const keys = () => api.app.database.prepare(`SELECT id / 10000000 FROM results WHERE siteId IS NULL ORDER BY id`).pluck().all();
  const read = (etag?: string) =>
    api.app.inject({ url: '/api/v1/campaigns/2/compare/1', ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }) });
  const { headers, body } = await read();
  assert.deepEqual(keys(), [1]);
  assert.equal((await read()).body, body);
  assert.equal((await read(String(headers.etag))).statusCode, 304);
  assert.deepEqual(keys(), [1]);

  await api.app.commit(() => api.app.database.prepare(`UPDATE campaign_progress SET stamp = 'another' WHERE campaignId = 1`).run());
  assert.equal((await read(String(headers.etag))).statusCode, 200);
  assert.deepEqual(keys(), [2], 'the one of before is gone');
  const rows = () => api.app.database.prepare('SELECT count(*) FROM results WHERE siteId IS NOT NULL').pluck().get();
  assert.equal(rows(), 6);
  await api.app.campaignDeletion.purge('1', ownCaller);
  await api.app.campaignDeletion.settled();
  assert.deepEqual([keys(), rows()], [[], 0]);
});

/** A repository on a database of its own, with five campaigns. */
function repositoryInMemory(): { database: Database; kept: ReturnType<typeof createResultsRepository> } {
  const database = openDatabase(':memory:');
  for (let id = 1; id <= 5; id += 1) database.exec(`INSERT INTO campaigns (id, createdAt, state, spec) VALUES (${id}, '', 'done', '{}')`);
  return { database, kept: createResultsRepository(database) };
}
const now = { version: `${resultsVersion}.one`, asOf: 0 };

test('of comparisons the newest are kept, as many as have so many cells; what nobody finished goes after an hour', () => {
  const { database, kept } = repositoryInMemory();
  const subjectOf = (campaignId: number): Subject => ({ ...pair, campaignId, kind: 'comparison' });
  const keep = (campaignId: number, cells: number) =>
    kept.keep(subjectOf(campaignId), now, [], () => ({ outline: { cells }, document: '{}', tookMs: 1 }));
  const left = () => [2, 3, 4].filter((campaignId) => kept.newest(subjectOf(campaignId)) !== undefined);
  keep(2, 60_000);
  keep(3, 30_000);
  kept.sweep(0);
  assert.deepEqual(left(), [2, 3]);
  keep(4, 30_000);
  kept.sweep(0);
  assert.deepEqual(left(), [3, 4]);
  keep(2, 1_000_000);
  kept.sweep(0);
  assert.deepEqual(left(), [2], 'the newest is kept however large it is');
  keep(5, 1);
  database.exec('UPDATE results SET document = NULL WHERE campaignId = 5'); // as a process that died leaves it
  const unfinished = () => database.prepare('SELECT 1 FROM results WHERE document IS NULL').all().length;
  kept.sweep(3_600_000);
  assert.equal(unfinished(), 1);
  kept.sweep(3_600_001);
  assert.equal(unfinished(), 0);
});

test('while a campaign goes on, a comparison stands for a while; a cursor stays with its comparison or says that it is replaced', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [made]);
  const api = await testApi(t, { database, results: { ahead: false } });
  const change = (stamp: string) =>
    api.app.commit(() => api.app.database.prepare('UPDATE campaign_progress SET stamp = ? WHERE campaignId = 2').run(stamp));
  const state = (to: string) => api.app.commit(() => api.app.database.prepare('UPDATE campaigns SET state = ? WHERE id = 2').run(to));
  const key = async () => (await api.app.results.compared(pair, null)).key;
  await state('running');
  assert.equal(await key(), 1);
  await change('another');
  assert.equal(await key(), 1);
  const { body: first } = await api.get('/campaigns/2/compare/1?limit=4');
  api.clock.now += 3_600_000;
  const { body: rest } = await api.get(`/campaigns/2/compare/1?limit=4&cursor=${first.nextCursor}`);
  assert.equal(first.cells.length + rest.cells.length, 6);
  assert.equal(await key(), 2);
  const { status, body } = await api.get(`/campaigns/2/compare/1?limit=4&cursor=${first.nextCursor}`);
  assert.deepEqual([status, body.detail.includes('computed anew')], [400, true]);
  await state('done');
  assert.equal(await key(), 3, 'a change of state is seen at once');
});

test('a comparison that ends by an error leaves nothing behind', () => {
  const { database, kept } = repositoryInMemory();
  function* cells(): Generator<CellRow> {
    yield cellOf({ lower: 1, higher: 0, undecided: 0, tooFew: 0, lead: null });
    assert.fail('Invalid string length'); // as of a comparison that is too long for a string
  }
  const failing = () => kept.keep({ ...pair, kind: 'comparison' }, now, cells(), () => assert.fail('it has no end'));
  assert.throws(failing, /Invalid string length/);
  assert.deepEqual(database.prepare('SELECT * FROM results').all(), []);
});

const cellOf = (outline: ChangeOutline): CellRow => ({ siteId: '1', condition: 'as is', view: 'cold', outline, document: '{}' });

test('what became of all cells is counted once, when a comparison is kept', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [made]);
  const api = await testApi(t, { database, results: { ahead: false } });
  const { key } = await api.app.results.compared(pair, null);
  await api.app.commit(() =>
    api.app.database.exec(`UPDATE results SET outline = json_set(outline, '$.lower', 7) WHERE siteId IS NOT NULL`),
  );
  const pages = createResultsPages(createResultsRepository(api.app.database));
  const lowerOf = async (siteId: string | null) => {
    const page = await pages.compared(key, { siteId, condition: null, view: null, differing: 0 }, { cursor: null, limit: 1 });
    return JSON.parse(page).outcomes.protocols.lower;
  };
  assert.deepEqual([await lowerOf(null), await lowerOf('1')], [0, 14]);
});
