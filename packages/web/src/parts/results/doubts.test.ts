import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answered } from '@pronghorn/core/answer';
import type { Doubt } from '@pronghorn/core/vocabulary';
import { doubtCounts, qualityChecks } from './doubts.ts';

const cell = (...doubts: Doubt[]) => ({ comparison: { doubts } }) as unknown as Answered;

test('doubts are counted, the most frequent first, and rounds to come are none', () => {
  assert.deepEqual(doubtCounts([cell('unfinished'), cell('link'), cell('too-few-rounds', 'link', 'link')]), [
    { doubt: 'link', count: 2 },
    { doubt: 'too-few-rounds', count: 1 },
  ]);
});

test('each doubt about the measurement fails a check; too few rounds, two modes and slow loads fail none', () => {
  const failing = (...doubts: Doubt[]) => qualityChecks([cell(...doubts)]).filter(({ failed }) => failed > 0).length;
  assert.equal(qualityChecks([cell()]).length, 4);
  assert.equal(failing('too-few-rounds', 'two-modes', 'slow-loads'), 0);
  assert.equal(failing('link', 'saturated', 'little-h3', 'metric-missing'), 4);
  assert.deepEqual(qualityChecks([]), []);
});
