import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignSummary } from '../../schemas/summary.ts';
import { verdictCounts } from './counts.ts';

type Cell = CampaignSummary['cells'][number];
const cell = (outcome: string, doubts: string[] = [], share = 0) =>
  ({ comparison: { outcome, doubts, shift: { value: share }, shiftAtMedian: 960 * share }, notLoaded: null }) as unknown as Cell;

test('verdicts are counted, what is unfinished by itself, and what is compared with nothing not at all', () => {
  const cells = [
    ...[cell('inconclusive', ['unfinished']), cell('h3-faster', [], -0.25), cell('inconclusive', ['link']), cell('h3-faster', [], -0.08)],
    { comparison: null, notLoaded: null } as Cell,
  ];
  assert.deepEqual(verdictCounts({ cells }), [
    { outcome: 'h3-faster', unfinished: false, notLoaded: null, count: 2, size: '8 to 25 %' },
    { outcome: 'inconclusive', unfinished: false, notLoaded: null, count: 1, size: null },
    { outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 1, size: null },
  ]);
  assert.equal(verdictCounts({ cells: [cell('h2-faster', [], 0.25)] })[0]?.size, '240 ms (25 %)');
});

test('pages that did not load are counted apart, with the reasons of all of them, unless rounds are to come', () => {
  const missing = {
    ...cell('inconclusive', ['not-loaded']),
    notLoaded: { reasons: [{ reason: 'dns-error' as const, count: 3 }], words: 'could not be loaded' },
  };
  const words = 'could not be loaded: a host name did not resolve (6 of 6 visits)';
  assert.deepEqual(verdictCounts({ cells: [cell('h3-faster', [], -0.1), missing, { ...missing, comparison: null }] }), [
    { outcome: 'h3-faster', unfinished: false, notLoaded: null, count: 1, size: '96 ms (10 %)' },
    { outcome: 'inconclusive', unfinished: false, notLoaded: words, count: 2, size: null },
  ]);
  const running = { ...cell('inconclusive', ['unfinished']), notLoaded: missing.notLoaded };
  assert.deepEqual(verdictCounts({ cells: [running] }), [
    { outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 1, size: null },
  ]);
});
