import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenariosOf } from './scenarios.ts';

const times = (count: number, value: number) => Array.from({ length: count }, (_, n) => value + n / 1_000);
const only = (candidate: number[], baseline: number[]) => {
  const side = (values: number[]) => ({ values, tails: null });
  const found = scenariosOf([{ levels: { payload: '2 MB' }, candidate: side(candidate), baseline: side(baseline) }], {
    ...({ metric: 'latencyMean', candidate: 'h3', baseline: 'h2' } as const),
  });
  return found[0] as (typeof found)[number];
};

test('where runs have two modes, and ranks and medians point in opposite directions, nobody is ahead', () => {
  const { rankBiserial, relative, adjustedP, outcome, isRelevant, isRelevantUncorrected, words } = only(
    [...times(29, 1), ...times(31, 11.2)],
    [...times(31, 10), ...times(29, 20)],
  );
  assert.ok((rankBiserial ?? 0) < -0.3 && (relative ?? 0) > 0.1 && (adjustedP ?? 1) < 0.05, `${rankBiserial}, ${relative}, ${adjustedP}`);
  assert.deepEqual([outcome, isRelevant, isRelevantUncorrected], ['too-small', false, false]);
  assert.match(words, /neither is ahead/);
});

test('3 and 3 that are tied show no more than 3 and 3 can', () => {
  const { p, smallestAdjustedP, isRelevant, outcome } = only([1, 1, 1], [50, 50, 50]);
  assert.deepEqual([p, smallestAdjustedP, isRelevant, outcome], [0.1, 0.1, false, 'too-few']);
});

test('a run that failed is slower than any other, and of it no difference is told', () => {
  const failing = only(
    times(8, 5),
    Array.from({ length: 8 }, () => Number.POSITIVE_INFINITY),
  );
  assert.deepEqual(
    [failing.outcome, failing.relative, failing.words],
    ['candidate-lower', null, 'HTTP/3 faster than HTTP/2, large effect'],
  );
});
