import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GroupAnswer } from '@pronghorn/core';
import { countVerdicts } from './count-verdicts.ts';

type Comparison = NonNullable<GroupAnswer['comparison']>;
const group = (outcome: Comparison['outcome'], doubts: Comparison['doubts'] = []): Pick<GroupAnswer, 'comparison'> => ({
  comparison: {
    outcome,
    doubts,
    words: '',
    rounds: 20,
    failures: { rounds: 20, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 }, p: null, words: '' },
    delta: null,
    confidence: 0.95,
    p: null,
    adjustedP: null,
  },
});

test('verdicts are counted, winners first, and what waits for rounds apart from what could not be told', () => {
  const groups = [
    group('inconclusive', ['unfinished']),
    group('inconclusive', ['two-modes']),
    group('equivalent'),
    group('h3-faster'),
    { comparison: null },
    group('h3-faster'),
  ];
  assert.deepEqual(countVerdicts(groups), [
    { outcome: 'h3-faster', unfinished: false, count: 2 },
    { outcome: 'equivalent', unfinished: false, count: 1 },
    { outcome: 'inconclusive', unfinished: false, count: 1 },
    { outcome: 'inconclusive', unfinished: true, count: 1 },
  ]);
  assert.deepEqual(countVerdicts([{ comparison: null }]), []);
});
