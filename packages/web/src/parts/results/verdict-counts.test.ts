import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignSummary } from '@pronghorn/core/schemas';
import { verdictCounts } from './verdict-counts.ts';

type Group = CampaignSummary['groups'][number];
const group = (outcome: string, doubts: string[] = []) => ({ comparison: { outcome, doubts }, notLoaded: null }) as unknown as Group;

test('verdicts are counted, what is unfinished by itself, and what is compared with nothing not at all', () => {
  const groups = [
    ...[group('inconclusive', ['unfinished']), group('h3-faster'), group('inconclusive', ['link']), group('h3-faster')],
    { comparison: null, notLoaded: null } as Group,
  ];
  assert.deepEqual(verdictCounts({ groups }), [
    { outcome: 'h3-faster', unfinished: false, notLoaded: null, count: 2 },
    { outcome: 'inconclusive', unfinished: false, notLoaded: null, count: 1 },
    { outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 1 },
  ]);
  const missing = { ...group('inconclusive', ['not-loaded']), notLoaded: { reasons: [], words: 'could not be loaded' } };
  assert.deepEqual(verdictCounts({ groups: [missing, missing] }), [
    { outcome: 'inconclusive', unfinished: false, notLoaded: 'could not be loaded', count: 2 },
  ]);
});
