import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '../../schemas/campaign.ts';
import type { Caveat } from '../../schemas/caveat.ts';
import type { CampaignSummary, CellAnswer } from '../../schemas/summary.ts';
import { type InvalidReason, invalidReasons } from '../../vocabulary/reason.ts';
import type { VerdictOutcome } from '../../vocabulary/verdict.ts';
import { reportOf } from './report.ts';

type Made = {
  site?: number;
  condition?: string;
  outcome?: VerdictOutcome;
  share?: number;
  ms?: number;
  doubts?: string[];
  notLoaded?: string;
};

const cellOf = ({ site = 1, condition = 'native', outcome = 'h3-faster', share = -0.1, ms = -96, doubts = [], notLoaded }: Made) => ({
  ...{ siteId: String(site), condition, view: 'cold', visits: { valid: 24, failed: 0, invalid: 0 }, h3Delta: share, failures: {} },
  notLoaded: notLoaded === undefined ? null : { reasons: [], words: notLoaded },
  medians: { h2: 960, h3: 864 },
  comparison: {
    ...{ outcome, words: '', doubts, difference: null, rounds: 12, p: 0.01, adjustedP: 0.02, confidence: 0.95, shiftConfidence: 0.95 },
    ahead: outcome === 'h2-faster' ? 'h2' : 'h3',
    ...{ shift: { value: share, low: share - 0.03, high: share + 0.03 }, shiftAtMedian: ms },
  },
});

/** Of as many sites and conditions as its cells name. */
function made(
  all: Made[],
  spec: object = {},
  progress = { state: 'done', roundsDone: 12 },
  {
    caveats = [],
    failed = 0,
    invalid = [],
  }: { caveats?: Caveat[]; failed?: number; invalid?: { reason: InvalidReason; count: number }[] } = {},
) {
  const cells = all.map(cellOf) as unknown as CellAnswer[];
  const sites = [...new Set(cells.map(({ siteId }) => siteId))].map((id) => ({ id, name: `page ${id}`, url: 'https://site.example/' }));
  const conditions = [...new Set(cells.map(({ condition }) => condition))].map((name) => ({ name, up: {}, down: {} }));
  const campaign = {
    sites,
    spec: {
      ...{ name: 'shop', conditions, protocols: ['h2', 'h3'], views: ['cold'], engine: 'puppeteer', discovery: 'forced' },
      ...{ primaryMetric: 'onLoad', margin: 0.05, adjustment: 'hommel', ...spec },
    },
  } as unknown as Campaign;
  const notLoaded = cells.flatMap((cell) => (cell.notLoaded ? [{ siteId: cell.siteId, words: cell.notLoaded.words }] : []));
  const summary = {
    ...{ cells, notLoaded, caveats, state: progress.state, progress: { rounds: 12, roundsDone: progress.roundsDone } },
    visits: { valid: 24 * cells.length, failed, invalid },
  } as unknown as CampaignSummary;
  return reportOf(campaign, summary);
}

test('one comparison is answered with its milliseconds and per cent', () => {
  const report = made([{}]);
  assert.deepEqual(
    [report.question, report.answer],
    ['Is this page faster over HTTP/3 than over HTTP/2?', 'HTTP/3 is faster by 96 ms (10 %).'],
  );
  const [row] = report.rows;
  assert.deepEqual(
    [row?.name, row?.site, row?.words, row?.verdicts[0]?.outcome, row?.difference],
    ['native', null, 'nothing added', 'h3-faster', { share: -0.1, amount: -96 }],
  );
  assert.equal(made([{ outcome: 'equivalent' }]).answer, 'No difference that matters.');
  assert.equal(made([{ outcome: 'inconclusive' }]).answer, 'No clear difference.');
  assert.equal(made([{ outcome: 'not-shown-yet' }]).answer, 'HTTP/3 is likely faster by 96 ms (10 %): not proven yet.');
});

test('conditions are named by who wins there, of several pages with those that prove it; each has a row', () => {
  const conditions: Made[] = [
    { condition: '4g', share: -0.08, ms: -110 },
    { condition: 'loss-1', outcome: 'h2-faster', share: 0.2, ms: 141 },
    { condition: 'native', outcome: 'equivalent', share: 0.01, ms: 4 },
  ];
  assert.equal(
    made(conditions).answer,
    'HTTP/3 is faster on 4g by 110 ms (8 %); HTTP/2 on loss-1 by 141 ms (20 %). No difference on native.',
  );
  const both = made([...conditions, ...conditions.map((one) => ({ ...one, site: 2 }))]);
  assert.equal(both.answer, made(conditions).answer);
  assert.deepEqual(
    both.rows.map(({ site, name }) => `${site} ${name}`),
    ['page 1', 'page 2'].flatMap((site) => ['4g', 'loss-1', 'native'].map((name) => `${site} ${name}`)),
  );
  assert.equal(made([{}, { site: 2, outcome: 'inconclusive' }]).answer, 'HTTP/3 is faster by 96 ms (10 %) for 1 of 2 pages.');
});

test('of many cells there is a row for each condition, with a mark for each page', () => {
  const outcomes: VerdictOutcome[] = ['h3-faster', 'h3-faster', 'equivalent', 'h2-faster'];
  const all = Array.from({ length: 60 }, (_, n) =>
    ['native', '4g'].map(
      (condition): Made => ({ site: n + 1, condition, outcome: outcomes[n % 4] as VerdictOutcome, share: -n / 100, ms: -10 * n }),
    ),
  ).flat();
  const report = made(all);
  assert.deepEqual(
    report.rows.map(({ name, site, marks, difference, interval }) => [name, site, marks.length, difference, interval]),
    ['native', '4g'].map((name) => [name, null, 60, { share: -0.29, amount: -290 }, null]),
  );
  assert.equal(
    report.answer,
    'Each is faster for some pages on native (HTTP/3 for 30, HTTP/2 for 15 of 60) and on 4g (HTTP/3 for 30, HTTP/2 for 15 of 60).',
  );
});

test('more rows than fit are left out, and counted', () => {
  const all = Array.from({ length: 20 }, (_, n): Made => ({ condition: `c${n}` }));
  const { rows, more } = made(all);
  assert.deepEqual([rows.length, more], [16, 4]);
});

test('a page that could not be loaded, and a campaign that is not done, say so first', () => {
  const words = 'could not be loaded: a host name did not resolve (9 of 9 visits)';
  assert.equal(made([{ notLoaded: words }]).answer, `The page ${words}.`);
  assert.equal(made([{ notLoaded: words }]).rows[0]?.verdicts[0]?.notLoaded, words);
  assert.equal(
    made([
      { outcome: 'inconclusive', doubts: ['not-loaded'] },
      { site: 2, outcome: 'inconclusive', doubts: ['not-loaded'], notLoaded: words },
    ]).answer,
    'No comparison: no page loaded over both. 1 of 2 pages could not be loaded.',
  );
  const open = made([{ outcome: 'inconclusive', doubts: ['unfinished'] }], {}, { state: 'running', roundsDone: 5 });
  assert.equal(open.answer, 'Not finished: 5 of 12 rounds so far. No verdict before all rounds are done.');
  assert.equal(made([{}], {}, { state: 'cancelled', roundsDone: 5 }).answer.slice(0, 33), 'Cancelled after 5 of 12 rounds. H');
});

test('how sure, and what it does not say', () => {
  const { sure, limits } = made([{}, { condition: '4g', doubts: ['link'] }]);
  assert.deepEqual(sure, [
    '12 rounds of HTTP/2 and HTTP/3, each in random order.',
    'All 2 comparisons together: at most 5 % of such campaigns name a false winner. Equivalent: the typical difference is inside 5 %; each comparison is judged by itself.',
    '48 valid loads, none failed.',
    'Quality: in 1 of 2 cases a check found something that keeps a winner from being named; the result page says what.',
  ]);
  assert.match(limits[0] ?? '', /^Best case for HTTP\/3\. HTTP\/3 was forced/);
  assert.doesNotMatch(made([{}], { discovery: 'alt-svc' }).limits.join(' '), /forced/);
  assert.match(made([{}], { adjustment: 'benjamini-hochberg' }).sure[1] ?? '', /95 % confidence/);
  const busy: Caveat = { code: 'busy', siteId: null, condition: null, view: null, numbers: {}, names: [], words: 'Others were at work.' };
  const limited = made([{}], {}, undefined, { caveats: [busy] });
  assert.deepEqual([limited.limits[0], limited.warnings], ['Others were at work.', ['other programs used the machine']]);
});

test('loads that do not count are told by what they were', () => {
  const invalid: { reason: InvalidReason; count: number }[] = [
    { reason: 'protocol-unavailable', count: 4 },
    { reason: 'http-status', count: 2 },
    { reason: 'busy-machine', count: 3 },
  ];
  assert.equal(
    made([{}], {}, undefined, { failed: 2, invalid }).sure[2],
    `24 valid loads, 2 failed, 3 discarded and repeated because the measurement itself was disturbed, 4 that count for neither: ${invalidReasons['protocol-unavailable']}.`,
  );
});
