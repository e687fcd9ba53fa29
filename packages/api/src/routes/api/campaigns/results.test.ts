import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  Campaign,
  CampaignAcross,
  CampaignAnswers,
  CampaignComparisonPage,
  CampaignDistributions,
  CampaignRequest,
  CampaignResults,
  CampaignSummary,
  Lease,
  MedianVisits,
  PreviousCampaign,
  Visit,
} from '@pronghorn/core/schemas';
import { invalidOutcome, sampleEnvironment, sampleMetrics, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

type OnLoad = (protocol: string, lease: Lease) => number | null;

/** Performs all rounds that there are; null: the visit is invalid. @returns how many */
async function perform(api: TestApi, onLoad: OnLoad, most = 1_000, environmentId: string | null = null): Promise<number> {
  for (let done = 0; done < most; done++) {
    const lease = await api.lease();
    if (lease === undefined) return done;
    for (const [slot, protocol] of lease.spec.protocols.entries()) {
      const value = onLoad(protocol, lease);
      const outcome =
        value === null
          ? invalidOutcome('load-timeout')
          : { outcome: { verdict: 'valid' as const, metrics: sampleMetrics({ onLoad: value, speedIndex: value / 2 }) } };
      await api.upload(lease, sampleVisit(lease, slot, { ...outcome, environmentId, link: { refused: [], receiveDrops: 0 } }));
    }
    await api.complete(lease);
  }
  return most;
}

/** h3 takes so much of h2's time, and each round a little more than the one before. */
const ratio =
  (h3: number): OnLoad =>
  (protocol, { round }) =>
    (protocol === 'h3' ? h3 : 1) * (200 + round.number + (protocol === 'h3' ? (round.number % 5) / 10 : 0));

/** Now this way, now that, and never twice as far. */
const noise: OnLoad = (protocol, { round }) =>
  protocol === 'h3' ? 200 * Math.exp((round.number % 2 === 0 ? 1 : -1) * (0.05 + ((round.number * 7) % 61) / 200)) : 200;
/** The same about 4 %: a difference may come, and doesn't. */
const leaning: OnLoad = (protocol, lease) => (protocol === 'h3' ? 1.04 : 1) * (noise(protocol, lease) ?? 0);

const untilSettled: Partial<CampaignRequest> = { protocols: ['h2', 'h3'], rounds: 10, maximumRounds: 60 };
const resultsOf = async (api: TestApi): Promise<CampaignResults> => (await api.get('/campaigns/1/results')).body;
const stateOf = async (api: TestApi): Promise<Campaign> => (await api.get('/campaigns/1')).body;

test('a difference that is plain settles a campaign at its first look', async (t) => {
  const api = await testApi(t);
  const { progress } = await api.campaign(untilSettled);
  assert.equal(progress.rounds, 10);
  assert.equal(await perform(api, ratio(0.8)), 10);
  assert.equal((await stateOf(api)).state, 'done');
  const [question] = (await resultsOf(api)).cells[0]?.comparisons ?? [];
  assert.equal(question?.confirmatory, true);
  assert.equal(question?.verdict.outcome, 'h3-faster');
  assert.match(
    question?.verdict.words ?? '',
    /^HTTP\/3 is faster: the page finishes loading \d+ ms \(20 %\) sooner over HTTP\/3 than over HTTP\/2/,
  );
});

test('without a difference that can be told rounds are added look by look, up to the maximum', async (t) => {
  const api = await testApi(t);
  await api.campaign(untilSettled);
  assert.equal(await perform(api, leaning, 10), 10);
  assert.deepEqual([(await stateOf(api)).state, (await stateOf(api)).progress.rounds], ['running', 15]);
  assert.equal(await perform(api, leaning), 50);
  assert.equal((await stateOf(api)).state, 'done');
  const [question] = (await resultsOf(api)).cells[0]?.comparisons ?? [];
  assert.deepEqual([question?.rounds, question?.verdict.outcome], [60, 'inconclusive']);
});

test('what more rounds would hardly settle is given up at a look before the maximum, and says so', async (t) => {
  const api = await testApi(t);
  await api.campaign(untilSettled);
  assert.equal(await perform(api, noise), 35);
  assert.equal((await stateOf(api)).state, 'done');
  const { outcome, moreRounds } = (await resultsOf(api)).cells[0]?.comparisons[0]?.verdict ?? {};
  assert.deepEqual([outcome, moreRounds?.givenUp], ['inconclusive', true]);
  assert.match(moreRounds?.words ?? '', /Its maximum of 60 would hardly be enough, so the campaign adds none here\.$/);
});

test('only cells that are not settled get more rounds', async (t) => {
  const api = await testApi(t);
  await api.campaign({ ...untilSettled, rounds: 15, conditions: ['native', 'latency-50'] });
  const mixed: OnLoad = (protocol, lease) => (lease.round.condition === 'native' ? ratio(0.8)(protocol, lease) : leaning(protocol, lease));
  await perform(api, mixed);
  const counts = (await resultsOf(api)).cells.map(({ condition, comparisons }) => [condition, comparisons[0]?.rounds]);
  assert.deepEqual(counts, [
    ['native', 15],
    ['latency-50', 60],
  ]);
});

test('a site that can’t be measured ends a campaign that would go on', async (t) => {
  const api = await testApi(t);
  await api.campaign(untilSettled);
  await perform(api, (protocol) => (protocol === 'h3' ? null : 200));
  assert.deepEqual([(await stateOf(api)).state, (await stateOf(api)).progress.rounds], ['done', 10]);
});

test('a maximum that can settle nothing, or has nothing to settle, is refused', async (t) => {
  const api = await testApi(t);
  const refused = async (request: object) =>
    (await api.post('/campaigns', { sites: [{ url: 'https://a.example/' }], ...request })).body.detail as string;
  assert.match(await refused({ protocols: ['h1', 'h2'], maximumRounds: 60 }), /until h3 against h2 is settled, but protocols are h1, h2/);
  assert.match(await refused({ rounds: 20, maximumRounds: 10 }), /maximumRounds is 10, expected at least rounds, 20/);
  assert.match(await refused({ rounds: 2, maximumRounds: 4 }), /maximumRounds is 4, expected at least 6/);
});

test('while rounds are to come, and after a campaign was called off, no winner is named', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 20 });
  await perform(api, ratio(0.5), 12);
  const question = async () => (await resultsOf(api)).cells[0]?.comparisons[0]?.verdict;
  assert.deepEqual([(await question())?.outcome, (await question())?.doubts.map(({ doubt }) => doubt)], ['inconclusive', ['unfinished']]);
  await api.post('/campaigns/1/cancel');
  assert.equal((await question())?.outcome, 'inconclusive');
  await api.post('/campaigns/1/resume');
  await perform(api, ratio(0.5));
  assert.equal((await question())?.outcome, 'h3-faster');
});

test('sites are seen together, by any metric', async (t) => {
  const api = await testApi(t);
  const sites = ['a', 'b', 'c'].map((name) => ({ url: `https://${name}.example/` }));
  await api.campaign({ sites, protocols: ['h2', 'h3'], rounds: 2 });
  await perform(api, ratio(0.5));
  const across: CampaignAcross = (await api.get('/campaigns/1/across')).body;
  assert.equal(across.metric, 'onLoad');
  assert.equal(across.groups[0]?.delta.classes.below.sites, 3);
  assert.equal((await api.get('/campaigns/1/across?metric=speedIndex')).body.metric, 'speedIndex');
  assert.equal((await api.get('/campaigns/1/across?metric=speed')).status, 400);
});

test('a round that was not watched equally has no value of metrics that end with the visit, wherever it is read', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 8 });
  for (let round = 0; round < 8; round++) {
    const lease = await api.lease();
    for (const slot of lease.round.order) await api.upload(lease, sampleVisit(lease, slot));
    await api.post(`/leases/${lease.id}/complete`, { watchedEqually: round > 0 });
  }
  const { cells } = await resultsOf(api);
  const of = (metric: string) => cells[0]?.comparisons.find((one) => one.metric === metric);
  assert.deepEqual([of('onLoad')?.rounds, of('speedIndex')?.rounds], [8, 7]);
  for (const read of ['across', 'distributions', 'comparisons']) {
    for (const metric of ['onLoad', 'speedIndex']) assert.equal((await api.get(`/campaigns/1/${read}?metric=${metric}`)).status, 200, read);
  }
  const [first, second] = (await api.get('/campaigns/1/rounds')).body.items;
  assert.deepEqual([first.watchedEqually, second.watchedEqually], [false, undefined]);
  const visits = (await api.get('/campaigns/1/visits')).body.items;
  assert.equal(visits.filter((visit: Visit) => visit.watchedEqually === false).length, 2);
  const csv = (await api.app.inject('/api/v1/campaigns/1/visits.csv')).body;
  assert.equal(csv.match(/,1,0,valid,/g)?.length, 2);
  assert.equal(csv.match(/,1,1,valid,/g)?.length, 14);
});

test('distributions are of one metric, for all cells or some', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], conditions: ['native', 'latency-50'], rounds: 8 });
  await perform(api, ratio(0.5));
  const all: CampaignDistributions = (await api.get('/campaigns/1/distributions')).body;
  assert.deepEqual(
    all.cells.map(({ slots }) => slots.map(({ distribution }) => distribution?.n)),
    [
      [8, 8],
      [8, 8],
    ],
  );
  const one: CampaignDistributions = (await api.get('/campaigns/1/distributions?condition=native&metric=speedIndex')).body;
  assert.deepEqual([one.metric, one.cells.length], ['speedIndex', 1]);
});

test('two campaigns are compared where both measured the same, with what their visits ran in', async (t) => {
  const api = await testApi(t);
  const before = sampleEnvironment('a'.repeat(64));
  const after = { ...before, id: 'b'.repeat(64), browser: { ...before.browser, product: 'Chrome/999.0' } };
  for (const [environment, h3] of [
    [before, 1],
    [after, 0.5],
  ] as const) {
    await api.put(`/environments/${environment.id}`, environment);
    await api.campaign({ protocols: ['h2', 'h3'], conditions: ['native', 'latency-50'], rounds: 8 });
    await perform(api, ratio(h3), 1_000, environment.id);
  }
  const found: CampaignComparisonPage = (await api.get('/campaigns/2/compare/1')).body;
  assert.deepEqual(
    found.cells.map(({ condition, protocols, lead }) => [condition, ...protocols.map(({ outcome }) => outcome), lead?.outcome]),
    [
      ['native', 'undecided', 'lower', 'lower'],
      ['latency-50', 'undecided', 'lower', 'lower'],
    ],
  );
  assert.deepEqual(
    found.differences.map(({ what, campaign, baseline }) => [what, campaign, baseline]),
    [['chrome', 'Chrome/999.0', before.browser.product]],
  );
  const results: CampaignResults = (await api.get('/campaigns/2/results')).body;
  assert.deepEqual(found.cells[0]?.lead?.campaign, results.cells[0]?.comparisons[0]?.delta);
  const one: CampaignComparisonPage = (await api.get('/campaigns/2/compare/1?condition=native&metric=speedIndex')).body;
  assert.deepEqual([one.metric, one.cells.length, one.comparisons.protocols], ['speedIndex', 1, 4]);
  assert.equal((await api.get('/campaigns/2/compare/3')).status, 404);
  assert.equal((await api.get('/campaigns/3/compare/1')).status, 404);
  assert.equal((await api.get('/campaigns/2/compare/1?metric=speed')).status, 400);
});

test('any metric has an answer for each cell, and the visit nearest the median of each protocol can be found', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2', 'h3'], rounds: 7 });
  await perform(api, ratio(0.8));
  const summary: CampaignSummary = (await api.get('/campaigns/1/summary')).body;
  const answers = async (metric: string): Promise<CampaignAnswers> => (await api.get(`/campaigns/1/answers?metric=${metric}`)).body;
  assert.deepEqual((await answers('onLoad')).cells, summary.cells);
  const [cell] = (await answers('speedIndex')).cells;
  assert.equal(cell?.medians.h2, (summary.cells[0]?.medians.h2 ?? 0) / 2);
  assert.equal(cell?.comparison?.outcome, 'h3-faster');
  assert.equal((await api.get('/campaigns/1/answers?metric=latency')).status, 400);

  const of = `siteId=${cell?.siteId}&condition=native&view=cold&metric=onLoad`;
  const { visits }: MedianVisits = (await api.get(`/campaigns/1/median-visits?${of}`)).body;
  assert.deepEqual(
    visits.map(({ protocol, value, median }) => [protocol, value, median]),
    (['h2', 'h3'] as const).map((protocol) => [protocol, summary.cells[0]?.medians[protocol], summary.cells[0]?.medians[protocol]]),
    'with an odd number of visits one is the median',
  );
  const visit: Visit = (await api.get(`/visits/${visits[1]?.visitId}`)).body;
  assert.ok(visit.counted && visit.outcome.verdict === 'valid' && visit.protocol === 'h3');
  assert.equal((await api.get('/campaigns/1/median-visits?condition=native')).status, 400);
});

test('a campaign leads to the one before it: the last of its pages that is done, without proposed changes', async (t) => {
  const api = await testApi(t);
  const made = async (given: Partial<CampaignRequest> = {}, isDone = true) => {
    const { id } = await api.campaign({ protocols: ['h2', 'h3'], rounds: 1, ...given });
    if (isDone) await perform(api, ratio(1));
    return id;
  };
  const first = await made();
  const previous = async (id: string) => {
    const { campaign } = (await api.get(`/campaigns/${id}/previous`)).body as PreviousCampaign;
    return campaign && [campaign.id, campaign.isSameSetup];
  };
  assert.equal(await previous(first), null);
  await made({ annotations: { pullRequest: 7 } });
  const otherWay = await made({ browser: 'headless-shell' });
  const open = await made({}, false);
  assert.deepEqual(
    [await previous(open), await previous(otherWay)],
    [
      [first, true],
      [first, false],
    ],
  );
  assert.equal((await api.get('/campaigns/99/previous')).status, 404);
});
