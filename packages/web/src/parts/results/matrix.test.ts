import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, CellAnswer, VerdictOutcome } from '@pronghorn/core/schemas';
import type { Doubt } from '@pronghorn/core/vocabulary';
import { matrixColumns, matrixRows } from './matrix.ts';

const campaign = {
  sites: [
    { id: '1', name: 'shop' },
    { id: '2', name: 'news' },
  ],
  spec: { conditions: [{ name: 'native' }, { name: 'poor' }], views: ['cold', 'warm'] },
} as unknown as Campaign;

function cell(siteId: string, condition: string, outcome: VerdictOutcome | null, doubts: Doubt[] = []): CellAnswer {
  const delta = { value: -0.1, low: null, high: null };
  const comparison =
    outcome === null
      ? null
      : {
          outcome,
          ahead: null,
          doubts,
          words: '',
          difference: null,
          shift: null,
          shiftAtMedian: null,
          shiftConfidence: 0.95,
          rounds: 1,
          failures: { rounds: 1, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 }, p: null, words: '' },
          delta,
          confidence: 0.95,
          p: null,
          adjustedP: null,
          moreRounds: null,
        };
  return {
    siteId,
    condition,
    view: 'cold',
    visits: { valid: 0, failed: 0, invalid: 0 },
    failures: {},
    medians: { h2: 100, h3: 90 },
    notLoaded: null,
    h3Delta: -0.1,
    comparison,
  };
}

test('each site has a cell for every condition and view, with sign and number for the eye and words for the ear', () => {
  assert.deepEqual(
    matrixColumns(campaign).map(({ title }) => title),
    ['native, cold', 'native, warm', 'poor, cold', 'poor, warm'],
  );
  const cells = [
    cell('1', 'native', 'h3-faster'),
    cell('1', 'poor', 'inconclusive', ['unfinished']),
    cell('2', 'native', 'equivalent'),
    cell('2', 'poor', null),
  ];
  const rows = matrixRows(campaign, cells);
  assert.deepEqual(
    rows.map(({ name, cells }) => [name, ...cells.map(({ sign, delta, words }) => `${sign}|${delta}|${words}`)]),
    [
      [
        'shop',
        '◆|−10 %|HTTP/3 faster, HTTP/3 −10 %',
        '||no verdict, no difference known',
        '⋯|−10 %|unfinished, HTTP/3 −10 %',
        '||no verdict, no difference known',
      ],
      [
        'news',
        '=|−10 %|equivalent, HTTP/3 −10 %',
        '||no verdict, no difference known',
        '|−10 %|no verdict, HTTP/3 −10 %',
        '||no verdict, no difference known',
      ],
    ],
  );
});
