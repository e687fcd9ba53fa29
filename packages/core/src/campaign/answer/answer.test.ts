import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '../../schemas/campaign.ts';
import type { MoreRounds } from '../../schemas/comparison.ts';
import type { CellAnswer } from '../../schemas/summary.ts';
import type { Doubt, VerdictOutcome } from '../../vocabulary/verdict.ts';
import { axisOf } from './axis.ts';
import type { Answered } from './counts.ts';
import { answerRows, mostTelling } from './rows.ts';
import { answerConfidence, answerSentence, campaignAnswer, confidenceSentence, noQuestionWords } from './sentence.ts';

const failures = { rounds: 20, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 }, p: null, words: '' };
type Made = { outcome: VerdictOutcome; share?: number; doubts?: Doubt[]; siteId?: string; moreRounds?: MoreRounds | null };
/** HTTP/2 takes a second. */
function cell(condition: string, { outcome, share = 0, doubts = [], siteId = 's', moreRounds = null }: Made): Answered {
  const comparison = {
    ...{
      outcome,
      ahead: share < 0 ? ('h3' as const) : ('h2' as const),
      doubts,
      words: '',
      rounds: 20,
      failures,
      delta: null,
      difference: null,
      moreRounds,
    },
    ...{ shift: { value: share, low: share - 0.02, high: share + 0.02 }, shiftAtMedian: 1000 * share },
    ...{ shiftConfidence: 0.95, confidence: 0.95, p: null, adjustedP: null },
  };
  return {
    ...{
      siteId,
      condition,
      view: 'cold',
      visits: { valid: 40, failed: 0, invalid: 0 },
      notLoaded: null,
      notes: [],
      failures: {},
      h3Delta: null,
    },
    ...{ medians: { h2: 1000, h3: 1000 * (1 + share) }, comparison },
  };
}
const setup = (conditions: readonly string[], sites = ['s'], views = ['cold']) =>
  ({
    sites: sites.map((id) => ({ id, name: id })),
    spec: { conditions: conditions.map((name) => ({ name, up: {}, down: {} })), views, primaryMetric: 'onLoad' },
  }) as unknown as Campaign;
const namesOf = (cells: readonly CellAnswer[]) => [...new Set(cells.map(({ condition }) => condition))];
const sentenceOf = (...cells: Answered[]) => answerSentence(answerRows(setup(namesOf(cells)), cells, 's'), 'onLoad', { sites: 1 });

test('the answer names winners with milliseconds and per cent, then where there is no difference', () => {
  assert.equal(
    sentenceOf(
      cell('native', { outcome: 'equivalent', share: 0.01 }),
      cell('latency-100', { outcome: 'h3-faster', share: -0.221 }),
      cell('4g', { outcome: 'h3-faster', share: -0.08 }),
      cell('loss-1', { outcome: 'h2-faster', share: 0.153 }),
    ),
    'HTTP/3 is faster on latency-100 by 221 ms (22 %) and on 4g by 80 ms (8 %); HTTP/2 on loss-1 by 153 ms (15 %). No difference on native.',
  );
  assert.equal(sentenceOf(cell('native', { outcome: 'h2-faster', share: 0.1 })), 'HTTP/2 is faster by 100 ms (10 %).');
  assert.equal(sentenceOf(cell('native', { outcome: 'equivalent' })), 'No difference that matters.');
});

test('what is not proven is never claimed', () => {
  assert.equal(
    sentenceOf(cell('a', { outcome: 'not-shown-yet', share: 0.29 }), cell('b', { outcome: 'inconclusive', share: 0.02 })),
    'HTTP/2 is likely faster on a by 290 ms (29 %): not proven yet. No clear difference on b.',
  );
  assert.equal(sentenceOf(cell('a', { outcome: 'inconclusive' }), cell('b', { outcome: 'inconclusive' })), 'No clear difference.');
  const open = cell('a', { outcome: 'inconclusive', doubts: ['unfinished'], share: -0.3 });
  assert.equal(sentenceOf(open), 'No verdict before all rounds are done.');
});

test('more names than four are counted, with the range of their differences', () => {
  const cells = [1, 2, 3, 4, 5].map((at) => cell(`c${at}`, { outcome: 'h3-faster', share: -at / 100 }));
  assert.equal(
    sentenceOf(...cells, cell('d', { outcome: 'inconclusive' })),
    'HTTP/3 is faster on 5 of 6 networks by 1 to 5 %. No clear difference on d.',
  );
});

test('over several pages a difference is claimed with the milliseconds of the pages that prove it', () => {
  const sites = ['a', 'b', 'c'];
  const row = (condition: string, ...made: Made[]) => made.map((one, at) => cell(condition, { ...one, siteId: sites[at] ?? '' }));
  const sentence = (...cells: Answered[]) => answerSentence(answerRows(setup(namesOf(cells), sites), cells, null), 'onLoad', { sites: 3 });
  const [wins, open] = [
    { outcome: 'h3-faster', share: -0.2 },
    { outcome: 'inconclusive', share: -0.1 },
  ] as const satisfies Made[];
  assert.equal(sentence(...row('x', wins, wins, wins)), 'HTTP/3 is faster by 200 ms (20 %).');
  assert.equal(sentence(...row('x', wins, wins, open)), 'HTTP/3 is faster by 200 ms (20 %) for 2 of 3 pages.');
  assert.equal(sentence(...row('x', wins, open, open)), 'HTTP/3 is faster by 200 ms (20 %) for 1 of 3 pages.');
  assert.equal(
    sentence(...row('x', wins, { outcome: 'h2-faster', share: 0.1 }, open)),
    'Each is faster for some pages (HTTP/3 for 1, HTTP/2 for 1 of 3).',
  );
});

test('rows of all pages have a mark for each and the median page’s numbers', () => {
  const cells = [
    cell('x', { outcome: 'h3-faster', share: -0.2, siteId: 'a' }),
    cell('x', { outcome: 'equivalent', share: 0.01, siteId: 'b' }),
    cell('x', { outcome: 'inconclusive', share: -0.1, siteId: 'c', moreRounds: { least: 7, givenUp: false, words: '' } }),
  ];
  const [row] = answerRows(setup(['x'], ['a', 'b', 'c']), cells, null);
  assert.ok(row);
  assert.deepEqual(row.difference, { share: -0.1, amount: -100 });
  assert.deepEqual([row.medians.h2, row.medians.h3, row.interval, row.moreRounds.map(({ least }) => least)], [1000, 900, null, [7]]);
  assert.deepEqual(
    row.marks.map(({ siteId, outcome }) => [siteId, outcome]),
    [
      ['a', 'h3-faster'],
      ['b', 'equivalent'],
      ['c', 'inconclusive'],
    ],
  );
});

test('a metric without a test has the difference of medians, no interval and no verdict', () => {
  const untested = { ...cell('x', { outcome: 'h3-faster', share: -0.5 }), comparison: null };
  const [row] = answerRows(setup(['x']), [untested], 's');
  assert.deepEqual(row?.difference, { share: -0.5, amount: -500 });
  assert.deepEqual([row?.interval, row?.verdicts, row?.isTested], [null, [], false]);
  assert.equal(answerSentence(row ? [row] : [], 'totalBlockingTime', { sites: 1 }), '');
});

test('the axis holds every difference and the margin, and an interval far beyond ends at its edge', () => {
  const rows = answerRows(setup(['x']), [cell('x', { outcome: 'h3-faster', share: -0.24 })], 's');
  const axis = axisOf(rows, 0.05);
  assert.ok(axis.reach > 0.26 && axis.of(0).percent === 50);
  assert.ok(axis.of(-0.24).percent < axis.of(-0.05).percent);
  const wide = rows.map((row) => ({ ...row, interval: { low: -0.9, high: 2 } }));
  assert.deepEqual(axisOf(wide, 0.05).of(2).percent, 100);
  assert.equal(axisOf(wide, 0.05).of(2).beyond, 'high');
});

test('the row that tells most is the largest proven difference', () => {
  const cells = [
    cell('a', { outcome: 'inconclusive', share: -0.9 }),
    cell('b', { outcome: 'h3-faster', share: -0.1 }),
    cell('c', { outcome: 'h2-faster', share: 0.3 }),
  ];
  assert.equal(mostTelling(answerRows(setup(['a', 'b', 'c']), cells, 's'))?.condition, 'c');
  assert.equal(mostTelling(answerRows(setup(['a']), cells, 's'))?.condition, 'a');
});

test('how sure all verdicts are together depends on the correction; of one comparison its own words tell', () => {
  const spec = (adjustment: 'holm' | 'benjamini-hochberg') => ({ adjustment, margin: 0.05 }) as Campaign['spec'];
  assert.match(confidenceSentence(spec('holm'), 5), /^All 5 comparisons together: at most 5 % of such campaigns name a false winner\./);
  assert.match(
    confidenceSentence(spec('benjamini-hochberg'), 5),
    /On average over campaigns, at most 5 % of the winners .* are false; the chance of at least one false winner may be far larger/,
  );
  assert.equal(
    confidenceSentence(spec('holm'), 1),
    'A winner is named with 95 % confidence. Equivalent: the typical difference is inside 5 %.',
  );
  assert.equal(answerConfidence(spec('holm'), 8), '95 % confidence over all 8 comparisons');
  assert.doesNotMatch(answerConfidence(spec('benjamini-hochberg'), 8), /95 %/);
});

test('a campaign without the question says why there is no verdict', () => {
  const words = (...protocols: Campaign['spec']['protocols']) =>
    noQuestionWords({ primaryMetric: 'onLoad', protocols } as Campaign['spec']);
  assert.match(words('h2'), /^Only HTTP\/2 was measured/);
  assert.match(words('h3', 'h3'), /^HTTP\/3 against itself \(A\/A\)/);
  assert.match(words('h1', 'h2'), /^No verdict: .* secondary\.$/);
  const one = { primaryMetric: 'onLoad', protocols: ['h3'] } as unknown as Campaign['spec'];
  assert.equal(
    noQuestionWords(one, [{ medians: { h3: 1234 } }]),
    'Only HTTP/3 was measured (median onLoad: 1,234 ms): there is nothing to compare it with.',
  );
});

test('many rows of many pages claim the differences of the pages that prove them, and count what has views as cases', () => {
  const conditions = ['a', 'b', 'c', 'd', 'e'];
  const cells = conditions.flatMap((condition, at) => [
    cell(condition, { outcome: 'h3-faster', share: -(at + 1) / 10, siteId: 'x' }),
    cell(condition, { outcome: 'inconclusive', share: 0.9, siteId: 'y' }),
  ]);
  const campaign = setup(conditions, ['x', 'y']);
  assert.equal(campaignAnswer(campaign, cells), 'HTTP/3 is faster on 5 of 5 networks by 10 to 50 % for some of 2 pages.');
  const isRun = { ...campaign, spec: { ...campaign.spec, engine: 'transaction' as const } };
  assert.match(campaignAnswer(isRun, cells), / for some of 2 servers\.$/);
  const [first] = conditions;
  const both = ['cold', 'warm'].flatMap((view) =>
    ['a', 'b', 'c'].map((condition) => ({ ...cell(condition, { outcome: 'h3-faster', share: -0.1 }), view }) as Answered),
  );
  assert.equal(campaignAnswer(setup(['a', 'b', 'c'], ['s'], ['cold', 'warm']), both), 'HTTP/3 is faster on 6 of 6 cases by 10 %.');
  const lost = cell(first ?? 'a', { outcome: 'inconclusive', doubts: ['not-loaded'] });
  assert.equal(campaignAnswer(setup(['a']), [lost]), 'No comparison: no page loaded over both.');
});
