import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignSummary } from '@pronghorn/core';
import { verdictCounts } from './verdict-counts.ts';

type Group = CampaignSummary['groups'][number];
const group = (outcome: string, doubts: string[] = []) => ({ comparison: { outcome, doubts } }) as unknown as Group;

test('verdicts are counted, what is unfinished by itself, and what is compared with nothing not at all', () => {
  const groups = [
    ...[group('inconclusive', ['unfinished']), group('h3-faster'), group('inconclusive', ['link']), group('h3-faster')],
    { comparison: null } as Group,
  ];
  assert.deepEqual(verdictCounts({ groups }), [
    { outcome: 'h3-faster', unfinished: false, count: 2 },
    { outcome: 'inconclusive', unfinished: false, count: 1 },
    { outcome: 'inconclusive', unfinished: true, count: 1 },
  ]);
});
