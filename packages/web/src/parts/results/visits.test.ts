import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Visit } from '@pronghorn/core/schemas';
import { chosenPair, cpuSummary, filteredVisits, verdictOfVisit } from './visits.ts';

const valid = { verdict: 'valid', metrics: {} } as Visit['outcome'];
const invalid = { verdict: 'invalid', reason: 'busy-machine', detail: 'made' } as const;
const visit = (id: string, part: Partial<Visit>) => ({ id, protocol: 'h2', outcome: valid, counted: true, cpu: null, ...part }) as Visit;
const visits = [
  visit('counted', { cpu: { ownShare: 0.4, foreignShare: 0.02 } }),
  visit('h3', { protocol: 'h3', cpu: { ownShare: 0.6, foreignShare: 0.1 } }),
  visit('lost', { counted: false, cpu: { ownShare: 0.9, foreignShare: 0.1 } }),
  visit('invalid', { counted: false, outcome: invalid, cpu: { ownShare: 0.1, foreignShare: 0.8 } }),
];
const ids = (some: readonly Visit[]) => some.map(({ id }) => id);

test('visits are filtered by protocol and verdict', () => {
  assert.deepEqual(ids(filteredVisits(visits, { protocol: '', verdict: 'all' })), ['counted', 'h3', 'lost', 'invalid']);
  assert.deepEqual(ids(filteredVisits(visits, { protocol: 'h2', verdict: 'counted' })), ['counted']);
  assert.deepEqual(ids(filteredVisits(visits, { protocol: '', verdict: 'not counted' })), ['lost']);
  assert.deepEqual(ids(filteredVisits(visits, { protocol: '', verdict: 'invalid' })), ['invalid']);
  assert.deepEqual(
    visits.map(verdictOfVisit).map((words) => words.split(',')[0]),
    ['valid', 'valid', 'valid', 'busy-machine'],
  );
});

test('a load that failed counts, and is told apart from one that was not measured', () => {
  const failed = { outcome: { verdict: 'invalid', reason: 'load-timeout', detail: 'made' } } as const;
  const those = [...visits, visit('failed', failed), visit('failed in vain', { ...failed, counted: false })];
  assert.deepEqual(ids(filteredVisits(those, { protocol: '', verdict: 'failed' })), ['failed', 'failed in vain']);
  assert.deepEqual(ids(filteredVisits(those, { protocol: '', verdict: 'counted' })), ['counted', 'h3', 'failed']);
  assert.deepEqual(those.slice(3).map(verdictOfVisit), [
    'busy-machine',
    'load-timeout',
    'load-timeout, not counted: its round was not finished, or tried again',
  ]);
});

test('a third visit takes the place of the one that was chosen first, and a second click gives one up', () => {
  assert.deepEqual(chosenPair([], 'a'), ['a']);
  assert.deepEqual(chosenPair(['a', 'b'], 'c'), ['b', 'c']);
  assert.deepEqual(chosenPair(['a', 'b'], 'a'), ['b']);
});

test('the CPU gauge is of the visits that count; busy ones are counted apart', () => {
  const gauges = { ownMedian: 0.5, foreignMedian: 0.06, foreignMost: 0.1 };
  assert.deepEqual(cpuSummary(visits), { visits: 2, gauges, busy: 1 });
  assert.deepEqual(cpuSummary(visits.slice(3)), { visits: 0, gauges: null, busy: 1 }, 'where all were busy it is told most of all');
  assert.equal(cpuSummary([]), null);
});
