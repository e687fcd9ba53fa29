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
  const missing = { ...cell('inconclusive', ['not-loaded']), notLoaded: { reasons: [], words: 'could not be loaded' } };
  assert.deepEqual(verdictCounts({ cells: [missing, missing] }), [
    { outcome: 'inconclusive', unfinished: false, notLoaded: 'could not be loaded', count: 2, size: null },
  ]);
  assert.equal(verdictCounts({ cells: [cell('h2-faster', [], 0.25)] })[0]?.size, '240 ms (25 %)');
});
