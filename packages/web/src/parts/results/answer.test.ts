import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, VerdictOutcome } from '@pronghorn/core/schemas';
import type { Doubt } from '@pronghorn/core/vocabulary';
import { confidenceSentence, doubtCounts, headline, noQuestionWords, nounOf } from './answer.ts';
import { type Answered, outcomeCounts } from './verdict-counts.ts';

const failures = { rounds: 20, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 }, p: null, words: '' };
function cell(condition: string, outcome: VerdictOutcome, doubts: Doubt[] = []): Answered {
  const comparison = {
    outcome,
    doubts,
    words: '',
    rounds: 20,
    failures,
    delta: null,
    difference: null,
    shift: null,
    shiftAtMedian: null,
    shiftConfidence: 0.95,
    confidence: 0.95,
    p: null,
    adjustedP: null,
  };
  return {
    siteId: 's',
    condition,
    view: 'cold',
    visits: { valid: 0, failed: 0, invalid: 0 },
    medians: {},
    notLoaded: null,
    failures: {},
    h3Delta: null,
    comparison,
  };
}
const headlineOf = (...cells: Answered[]) => headline(cells, 'condition', ({ condition }) => condition);
const campaign = (sites: number, conditions: number, views: number) =>
  ({
    sites: Array(sites).fill({}),
    spec: { conditions: Array(conditions).fill({}), views: Array(views).fill('cold') },
  }) as unknown as Campaign;

test('one verdict everywhere is said once', () => {
  assert.equal(headlineOf(cell('a', 'h3-faster'), cell('b', 'h3-faster')), 'HTTP/3 is faster in both conditions.');
  assert.equal(
    headlineOf(cell('a', 'inconclusive'), cell('b', 'inconclusive'), cell('c', 'inconclusive')),
    'No clear difference between HTTP/3 and HTTP/2 in all 3 conditions.',
  );
  assert.equal(headlineOf(cell('a', 'equivalent'), cell('b', 'equivalent')), 'HTTP/3 and HTTP/2 are equivalent in both conditions.');
});

test('several verdicts are counted in one sentence, winners first and by name', () => {
  assert.equal(
    headlineOf(
      cell('native', 'inconclusive'),
      cell('poor', 'h3-faster'),
      cell('3g', 'h3-faster'),
      cell('lte', 'h2-faster'),
      cell('x', 'equivalent'),
    ),
    'HTTP/3 is faster in 2 of 5 conditions (poor, 3g) and HTTP/2 in 1 (lte); equivalent in 1, inconclusive in 1.',
  );
  assert.equal(
    headlineOf(cell('a', 'inconclusive'), cell('b', 'equivalent')),
    'HTTP/3 and HTTP/2 are equivalent in 1 of 2 conditions; inconclusive in 1.',
  );
});

test('where all rounds lean one way it is said which, unless cells lean both ways', () => {
  const leaning = (condition: string, value: number): Answered => {
    const { comparison, ...place } = cell(condition, 'not-shown-yet');
    return { ...place, comparison: { ...comparison, shift: { value, low: null, high: null } } };
  };
  assert.equal(headlineOf(leaning('a', -0.1)), 'HTTP/3 was faster in every round in a, but there are too few rounds.');
  assert.equal(
    headlineOf(leaning('a', 0.1), leaning('b', 0.2)),
    'HTTP/2 was faster in every round in both conditions, but there are too few rounds.',
  );
  assert.match(headlineOf(leaning('a', 0.1), leaning('b', -0.2)), /^One of HTTP\/3 and HTTP\/2 was faster in every round/);
});

test('more names than four are not listed', () => {
  const cells = Array.from({ length: 5 }, (_, i) => cell(`c${i}`, 'h2-faster'));
  assert.equal(headlineOf(...cells, cell('d', 'equivalent')), 'HTTP/2 is faster in 5 of 6 conditions; equivalent in 1.');
});

test('cases, of a site and a condition each, are counted and not named', () => {
  assert.equal(
    headline([cell('a', 'h3-faster'), cell('b', 'equivalent')], 'case', () => 'shop.example, a'),
    'HTTP/3 is faster in 1 of 2 cases; equivalent in 1.',
  );
});

test('while rounds are to come nothing is said but that', () => {
  const open = cell('a', 'inconclusive', ['unfinished']);
  assert.equal(headlineOf(open, open), 'No verdict yet: rounds are still to come.');
  assert.equal(headlineOf(open, cell('b', 'h3-faster')), 'HTTP/3 is faster in 1 of 2 conditions (b); unfinished in 1.');
  assert.deepEqual(
    outcomeCounts([open, cell('b', 'inconclusive')]).map(({ unfinished, count }) => [unfinished, count]),
    [
      [false, 1],
      [true, 1],
    ],
  );
});

test('cells are called by what tells them apart', () => {
  assert.deepEqual([campaign(3, 1, 1), campaign(1, 3, 1), campaign(1, 1, 2), campaign(2, 2, 1), campaign(1, 1, 1)].map(nounOf), [
    'site',
    'condition',
    'view',
    'case',
    'case',
  ]);
});

test('how sure all verdicts are together depends on the correction; of one comparison its own words tell', () => {
  const spec = (adjustment: 'holm' | 'benjamini-hochberg') => ({ adjustment, margin: 0.05 }) as Campaign['spec'];
  assert.match(confidenceSentence(spec('holm'), 5), /The chance of any false winner among these 5 comparisons is at most 5 %/);
  assert.match(
    confidenceSentence(spec('benjamini-hochberg'), 5),
    /On average over campaigns, at most 5 % of the winners .* are false .*the chance of at least one false winner may be far larger/,
  );
  assert.equal(confidenceSentence(spec('holm'), 1), '');
});

test('doubts are counted, the most frequent first, and rounds to come are none', () => {
  const cells = [
    cell('a', 'inconclusive', ['unfinished']),
    cell('b', 'inconclusive', ['link']),
    cell('c', 'inconclusive', ['too-few-rounds', 'link', 'link']),
  ];
  assert.deepEqual(doubtCounts(cells), [
    { doubt: 'link', count: 2 },
    { doubt: 'too-few-rounds', count: 1 },
  ]);
});

test('a campaign without the question says why there is no verdict', () => {
  const words = (...protocols: Campaign['spec']['protocols']) =>
    noQuestionWords({ primaryMetric: 'onLoad', protocols } as Campaign['spec']);
  assert.match(words('h2'), /^Only HTTP\/2 was measured/);
  assert.match(words('h3', 'h3'), /^HTTP\/3 against itself \(A\/A\)/);
  assert.match(words('h1', 'h2'), /^No verdict: .* are exploratory\.$/);
});
