import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignSummary } from '@pronghorn/core/schemas';
import { verdictCounts } from './verdict-counts.ts';

type Cell = CampaignSummary['cells'][number];
const cell = (outcome: string, doubts: string[] = []) => ({ comparison: { outcome, doubts }, notLoaded: null }) as unknown as Cell;

test('verdicts are counted, what is unfinished by itself, and what is compared with nothing not at all', () => {
  const cells = [
    ...[cell('inconclusive', ['unfinished']), cell('h3-faster'), cell('inconclusive', ['link']), cell('h3-faster')],
    { comparison: null, notLoaded: null } as Cell,
  ];
  assert.deepEqual(verdictCounts({ cells }), [
    { outcome: 'h3-faster', unfinished: false, notLoaded: null, count: 2 },
    { outcome: 'inconclusive', unfinished: false, notLoaded: null, count: 1 },
    { outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 1 },
  ]);
  const missing = { ...cell('inconclusive', ['not-loaded']), notLoaded: { reasons: [], words: 'could not be loaded' } };
  assert.deepEqual(verdictCounts({ cells: [missing, missing] }), [
    { outcome: 'inconclusive', unfinished: false, notLoaded: 'could not be loaded', count: 2 },
  ]);
});
