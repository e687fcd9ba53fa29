import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureWords } from '../text/numbers.ts';
import { failureRate, failuresOf, mayFailMore } from './failures.ts';

const sides = { candidate: 'h3', baseline: 'h2' } as const;
const rounds = (onlyCandidate: number, onlyBaseline: number, both: number, neither: number) => {
  const of = (count: number, one: number, other: number) => Array.from({ length: count }, () => [one, other] as const);
  const all = [...of(onlyCandidate, 1, 0), ...of(onlyBaseline, 0, 1), ...of(both, 1, 1), ...of(neither, 0, 0)];
  return failuresOf(
    all.map(([one]) => one),
    all.map(([, other]) => other),
    sides,
  );
};

test('whether one fails more is told by the rounds in which one alone failed', () => {
  // R: binom.test(1, 8)$p.value
  assert.equal(rounds(7, 1, 3, 50).p, 0.0703125);
  assert.equal(rounds(7, 1, 0, 0).p, 0.0703125);
  assert.equal(rounds(1, 1, 0, 9).p, 1);
  assert.equal(rounds(0, 0, 4, 9).p, null);
  const { words, ...counts } = rounds(7, 1, 3, 9);
  assert.deepEqual(counts, { rounds: 20, candidate: 10, baseline: 4, both: 3, unpaired: { candidate: 0, baseline: 0 }, p: 0.0703125 });
  assert.equal(words, 'Of 20 rounds HTTP/3 failed in 10, HTTP/2 failed in 4, in 3 of them both did (p = 0.07).');
});

test('whoever failed while the other was not measured may fail more, whatever the other rounds say', () => {
  const found = failuresOf([1, 0, 0, 0], [Number.NaN, 0, 0, 0], sides);
  assert.deepEqual([found.rounds, found.candidate, found.unpaired.candidate, found.p], [3, 0, 1, null]);
  assert.deepEqual([mayFailMore(found, 'candidate'), mayFailMore(found, 'baseline')], [true, false]);
  assert.match(found.words, /No visit failed in 3 rounds; .* HTTP\/3 failed in 1 round in which HTTP\/2 was not measured\.$/);
});

test('rounds in which one was not measured say nothing of it', () => {
  const found = failuresOf([1, Number.NaN, 0, 1], [Number.NaN, 1, 0, 0], sides);
  assert.deepEqual([found.rounds, found.candidate, found.baseline, found.p], [2, 1, 0, 1]);
});

test('without a failure it is told how many so few rounds can hide', () => {
  assert.equal(rounds(0, 0, 0, 20).words, 'No visit failed in 20 rounds; a protocol that fails in 14 % of visits may show none.');
});

test('a winner may fail more unless it never failed alone, or the other is shown to fail more', () => {
  assert.equal(mayFailMore(rounds(0, 0, 0, 20), 'candidate'), false);
  assert.equal(mayFailMore(rounds(1, 0, 0, 20), 'candidate'), true);
  assert.equal(mayFailMore(rounds(1, 0, 0, 20), 'baseline'), false);
  assert.equal(mayFailMore(rounds(1, 3, 0, 20), 'candidate'), true);
  assert.equal(mayFailMore(rounds(1, 8, 0, 20), 'candidate'), false);
  assert.equal(mayFailMore(rounds(1, 8, 0, 20), 'baseline'), true);
});

test('a rate has its exact interval', () => {
  assert.deepEqual(failureRate(0, 0), { failed: 0, loads: 0, share: null, low: null, high: null });
  // R: binom.test(3, 20)$conf.int
  assert.equal(failureWords(failureRate(3, 20)), '3 of 20 visits failed (15 %, 95 % interval: 3.2 to 38 %).');
});
