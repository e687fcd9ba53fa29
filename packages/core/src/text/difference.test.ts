import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from '../verdict/comparison.ts';
import { amountWords, type Difference, differenceWords, sizeWords, sureWords } from './verdict.ts';

const found: Difference = {
  metric: 'onLoad',
  candidate: 'h3',
  baseline: 'h2',
  shift: { value: -0.0917, low: -0.112, high: -0.042 },
  shiftAtMedian: -96.4,
  shiftConfidence: 0.95,
  signedRank: null,
};

test('a difference is told in milliseconds and per cent, with how sure it is', () => {
  assert.equal(
    differenceWords(found),
    'the page finishes loading 96 ms (9.2 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 4.2 to 11 %',
  );
  assert.equal(
    differenceWords({
      ...{ ...found, metric: 'speedIndex', candidate: 'h2', baseline: 'h1', shiftConfidence: 1 - 0.05 / 12 },
      ...{ shift: { value: 1.2, low: 0.05, high: 1.4 }, shiftAtMedian: 1234 },
    }),
    'SpeedIndex is 1.23 s (120 %) higher over HTTP/2 than over HTTP/1.1; 99.58 % sure it is 5 to 140 %',
  );
  assert.equal(
    sureWords({ ...found, shift: { value: -0.01, low: -0.02, high: 0.03 } }),
    '95 % sure it is between 2 % sooner and 3 % later',
  );
  assert.equal(sureWords({ ...found, shift: { value: 0.02, low: 0, high: 0.03 } }), '95 % sure it is 0 to 3 % later');
});

test('milliseconds have the digits that matter', () => {
  assert.deepEqual(
    [0.634, 9.94, 9.96, 95.5, 999.4, 999.6, 12_345].map((shiftAtMedian) => sizeWords({ ...found, shiftAtMedian })),
    ['0.63 ms (9.2 %)', '9.9 ms (9.2 %)', '10 ms (9.2 %)', '96 ms (9.2 %)', '999 ms (9.2 %)', '1 s (9.2 %)', '12.3 s (9.2 %)'],
  );
});

test('what is not known is left out', () => {
  assert.equal(amountWords({ ...found, shiftAtMedian: null }), '9.2 % sooner');
  assert.equal(sureWords({ ...found, shift: { value: -0.09, low: null, high: null } }), null);
  const above = { value: null, low: null, high: null, unbounded: { value: 'above', low: 'above', high: 'above' } } as const;
  assert.equal(
    differenceWords({ ...found, shift: above, shiftAtMedian: null }),
    'the page finishes loading later without bound over HTTP/3 than over HTTP/2',
  );
  const open = { value: 0.5, low: 0.1, high: null, unbounded: { high: 'above' } } as const;
  assert.equal(sureWords({ ...found, shift: open }), '95 % sure it is 10 % to unbounded');
});

test('milliseconds never contradict the per cent beside them', () => {
  const of = (pairs: [number, number][]) => {
    const rounds = pairs.map(([candidate, baseline]) => ({ candidate, baseline }));
    const [candidateValues, baselineValues] = [rounds.map(({ candidate }) => candidate), rounds.map(({ baseline }) => baseline)];
    return compare(
      { metric: 'onLoad', candidate: 'h3', baseline: 'h2', candidateValues, baselineValues, pairs: rounds, confirmatory: true },
      { margin: 0.05, seed: 1 },
    );
  };
  const tenth = of([1000, 1200, 2000, 900, 1100, 1500, 5000].map((ms) => [ms * 0.9, ms]));
  assert.equal(amountWords(tenth), '120 ms (10 %) sooner');
  // Sooner in four rounds of five, while the medians are 1090 and 1000.
  const turned = of([
    [90, 100],
    [180, 200],
    [1090, 1000],
    [1800, 2000],
    [2700, 3000],
  ]);
  assert.equal(turned.medianDifference?.value, 90);
  assert.equal(amountWords(turned), '10 % sooner');
});
