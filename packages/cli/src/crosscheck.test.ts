import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { campaignResults } from '@pronghorn/core/campaign';
import type { Campaign, PageMetrics, Resource, Visit } from '@pronghorn/core/schemas';
import type { ResultVisit } from '@pronghorn/core/verdict';
import { type Engine, pageMetricNames } from '@pronghorn/core/vocabulary';
import { madeCampaign } from '../../core/fixtures/made-campaign.ts';
import { acrossPages, crosscheckReport, enginePairs, loadedPages, verdictsOf, type Witness } from './crosscheck.ts';
import { crosscheckPage } from './crosscheck-page.ts';

const rounds = Array.from({ length: 12 }, (_, i) => [1000 + 10 * i, 900 + 9 * i] as const);
const resource = (url: string, protocol: string) => ({ url, protocol, cache: 'none', encodedBodyBytes: 500 }) as Resource;

/** Times of h2 and h3 in each round, as one engine has them. */
function witness(engine: Engine, factor: number, { speedIndex = true, scripts = 'h2' } = {}): Witness {
  const campaign = madeCampaign({ sites: 1, rounds: rounds.length }) as unknown as Campaign;
  const visits = rounds.flatMap((values, round) =>
    values.map((value, slot) => {
      const metrics = Object.fromEntries(pageMetricNames.map((name) => [name, value * factor])) as PageMetrics;
      return {
        id: `${engine} ${round} ${slot}`,
        ...{ siteId: campaign.sites[0]?.id ?? '', condition: 'native', view: 'cold', roundNumber: round + 1, slot },
        protocol: slot === 0 ? 'h2' : 'h3',
        counted: true,
        outcome: { verdict: 'valid', metrics: { ...metrics, speedIndex: speedIndex ? metrics.speedIndex : null } },
      } as unknown as Visit;
    }),
  );
  const loaded = (id: string) => [resource('https://a/', 'h2'), resource(`https://a/x.js?visit=${id}`, scripts)];
  const counted = visits.map((visit) => ({
    ...visit,
    verdict: 'valid',
    ...(visit.outcome.verdict === 'valid' ? { metrics: visit.outcome.metrics } : {}),
  }));
  const results = campaignResults(campaign, counted as unknown as ResultVisit[]);
  return { engine, campaign, visits, resources: new Map(visits.map(({ id }) => [id, loaded(id)])), results };
}

test('each engine stands beside the first, round by round, in milliseconds and in per cent', () => {
  const pairs = enginePairs([witness('puppeteer', 1), witness('browsertime', 1.1), witness('firefox', 0.5, { speedIndex: false })]);
  const [found] = pairs.filter(({ engines, metric, protocol }) => engines[1] === 'browsertime' && metric === 'onLoad' && protocol === 'h2');
  assert.equal(found?.pairs.length, 12);
  assert.ok(Math.abs(Math.exp(found?.inLogs?.bias ?? 0) - 1.1) < 1e-12);
  assert.ok(Math.abs((found?.inMs?.bias ?? 0) - 105.5) < 1e-9);
  assert.deepEqual(
    [...new Set(pairs.filter(({ engines }) => engines[1] === 'firefox').map(({ metric }) => metric))],
    ['onLoad', 'firstContentfulPaint', 'largestContentfulPaint'],
    'what an engine lacks is held against nothing',
  );
});

test('over all pages each page is one value, and h3 ÷ h2 holds what a bias of both protocols does not', () => {
  const slower = [1, 1.1, 1.2, 1.3];
  const pairs = slower.flatMap((factor, page) =>
    enginePairs([witness('puppeteer', 1), witness('firefox', factor)]).map((pair) => {
      const bias = (pair.inLogs?.bias ?? 0) + (pair.protocol === 'h3' ? 0.05 : 0);
      return { ...pair, site: `page ${page}`, inLogs: pair.inLogs && { ...pair.inLogs, bias } };
    }),
  );
  const found = acrossPages(pairs).filter(({ metric }) => metric === 'onLoad');
  const mean = slower.reduce((sum, factor) => sum + Math.log(factor), 0) / 4;
  const expected = { h2: mean, h3: mean + 0.05, 'h3 ÷ h2': 0.05 };
  assert.deepEqual(
    found.map(({ over, pages, inLogs }) => [over, pages, inLogs?.bias.toFixed(9)]),
    Object.entries(expected).map(([over, bias]) => [over, 4, bias.toFixed(9)]),
  );
  assert.ok((found[0]?.inLogs?.limits.high ?? 0) > Math.log(1.3), 'limits are those of pages');
  const ofTwo = acrossPages(pairs.filter(({ site }) => site < 'page 2'));
  assert.ok(
    ofTwo.length > 0 && ofTwo.every(({ pages, inLogs }) => pages === 2 && inLogs === null),
    'two pages have no spread that says anything',
  );
});

test('a round that one of the two lacks is in no pair', () => {
  const [first, second] = [witness('puppeteer', 1), witness('firefox', 1)];
  const fewer = { ...second, visits: second.visits.filter(({ roundNumber }) => roundNumber !== 3) };
  assert.deepEqual([...new Set(enginePairs([first, fewer]).map(({ pairs }) => pairs.length))], [11]);
});

test('objects in common are told by URL without query, with those that came over another protocol', () => {
  const pages = loadedPages([witness('puppeteer', 1), witness('firefox', 1, { scripts: 'h3' })]);
  assert.deepEqual(
    pages.filter(({ protocol }) => protocol === 'h3').map(({ engine, sameObjects, sameProtocol }) => [engine, sameObjects, sameProtocol]),
    [
      ['puppeteer', 1, 1],
      ['firefox', 1, 0.5],
    ],
  );
});

test('what one engine lost is no object in common, and is counted', () => {
  const [first, second] = [witness('puppeteer', 1), witness('firefox', 1)];
  const lost = [...second.resources].map(([id, its]) => [id, its.slice(0, 1)] as const);
  const visits = second.visits.map((visit) => {
    const metrics = visit.outcome.verdict === 'valid' ? { ...visit.outcome.metrics, failedRequests: 1 } : undefined;
    return { ...visit, outcome: { verdict: 'valid', metrics } } as Visit;
  });
  const pages = loadedPages([first, { ...second, visits, resources: new Map(lost) }]);
  assert.deepEqual(
    pages
      .filter(({ engine, protocol }) => engine === 'firefox' && protocol === 'h2')
      .map(({ sameObjects, failed }) => [sameObjects, failed]),
    [[0.5, rounds.length]],
  );
});

test('bytes are those of bodies, and unknown where one is', () => {
  const [whole] = loadedPages([witness('puppeteer', 1)]);
  assert.equal(whole?.bodyBytes, 1_000);
  const some = witness('firefox', 1);
  const told = [...some.resources].map(([id, its]) => [id, its.map((one) => ({ ...one, encodedBodyBytes: null }))] as const);
  assert.equal(loadedPages([{ ...some, resources: new Map(told) }])[0]?.bodyBytes, null);
});

test('verdicts that name different winners contradict each other; who can’t tell contradicts nobody', () => {
  const usual = witness('puppeteer', 1);
  const turned = witness('firefox', 1);
  const opposite = {
    ...turned,
    results: campaignResults(
      turned.campaign,
      turned.visits.map((visit) => ({
        ...visit,
        slot: 1 - visit.slot,
        verdict: 'valid',
        ...(visit.outcome.verdict === 'valid' ? { metrics: visit.outcome.metrics } : {}),
      })) as unknown as ResultVisit[],
    ),
  };
  const silent = { ...turned, results: campaignResults(turned.campaign, []) };
  const agreeing = (...witnesses: Witness[]) => verdictsOf(witnesses).map(({ agree }) => agree);
  assert.deepEqual(
    [agreeing(usual, witness('firefox', 2)), agreeing(usual, opposite), agreeing(usual, silent)],
    [['yes'], ['no'], ['open']],
  );
  assert.match(stripVTControlCharacters(crosscheckReport([usual, opposite])), /THEY CONTRADICT EACH OTHER/);
});

test('the page draws each round of each protocol, with bias and limits, and only what both engines have', () => {
  const drawn = crosscheckPage([witness('puppeteer', 1), witness('firefox', 1.1, { speedIndex: false })]) ?? '';
  assert.equal(drawn.match(/<figure/g)?.length, 3, 'onLoad and both paints');
  assert.equal(drawn.match(/<circle class="mean"/g)?.length, 3 * 2 * 12);
  assert.equal(drawn.match(/class="t-h3 level"/g)?.length, 3);
  assert.equal(drawn.match(/class="t-h3 level dash-1"/g)?.length, 6);
  assert.match(drawn, /HTTP\/2: bias \+106 ms/);
  assert.doesNotMatch(drawn, /NaN|Infinity|undefined/);
  assert.equal(crosscheckPage([witness('puppeteer', 1)]), null);
});
