import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellAnswer } from '@pronghorn/core/schemas';
import { countVerdicts } from './computation.ts';

type Comparison = NonNullable<CellAnswer['comparison']>;
const cell = (outcome: Comparison['outcome'], doubts: Comparison['doubts'] = []): Pick<CellAnswer, 'comparison' | 'notLoaded'> => ({
  notLoaded: null,
  comparison: {
    outcome,
    doubts,
    words: '',
    difference: null,
    rounds: 20,
    failures: { rounds: 20, candidate: 0, baseline: 0, both: 0, unpaired: { candidate: 0, baseline: 0 }, p: null, words: '' },
    delta: null,
    shift: null,
    shiftAtMedian: null,
    shiftConfidence: 0.95,
    confidence: 0.95,
    p: null,
    adjustedP: null,
    moreRounds: null,
  },
});

test('verdicts are counted, winners first, and what waits for rounds apart from what could not be told', () => {
  const cells = [
    cell('inconclusive', ['unfinished']),
    cell('inconclusive', ['two-modes']),
    cell('equivalent'),
    cell('h3-faster'),
    { comparison: null, notLoaded: null },
    cell('h3-faster'),
  ];
  assert.deepEqual(countVerdicts(cells), [
    { outcome: 'h3-faster', unfinished: false, notLoaded: null, count: 2, size: null },
    { outcome: 'equivalent', unfinished: false, notLoaded: null, count: 1, size: null },
    { outcome: 'inconclusive', unfinished: false, notLoaded: null, count: 1, size: null },
    { outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 1, size: null },
  ]);
  const won = (outcome: Comparison['outcome'], value: number) => ({
    notLoaded: null,
    comparison: { ...(cell(outcome).comparison as Comparison), shift: { value, low: null, high: null }, shiftAtMedian: 960 * value },
  });
  assert.deepEqual(
    countVerdicts([won('h3-faster', -0.25), won('h2-faster', 0.25), won('h3-faster', -0.081), won('inconclusive', 0.02)]).map(
      ({ size }) => size,
    ),
    ['8.1 to 25 %', '240 ms (25 %)', null],
  );
  assert.deepEqual(countVerdicts([{ comparison: null, notLoaded: null }]), []);
});

test('what could not be loaded is counted apart, with its reason, also where nothing is asked', () => {
  const missing = {
    ...cell('inconclusive', ['not-loaded']),
    notLoaded: { reasons: [{ reason: 'dns-error' as const, count: 3 }], words: '' },
  };
  assert.deepEqual(countVerdicts([cell('h3-faster'), missing, { ...missing, comparison: null }]), [
    { outcome: 'h3-faster', unfinished: false, notLoaded: null, count: 1, size: null },
    {
      ...{ outcome: 'inconclusive', unfinished: false, count: 2, size: null },
      notLoaded: 'could not be loaded: a host name did not resolve (6 of 6 visits)',
    },
  ]);
  const running = { ...missing, ...cell('inconclusive', ['unfinished']), notLoaded: missing.notLoaded };
  assert.deepEqual(countVerdicts([running]), [{ outcome: 'inconclusive', unfinished: true, notLoaded: null, count: 1, size: null }]);
});
