import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeWords, confidenceWords, counted, intervalWords, listed, pWords } from './numbers.ts';

test('a change is rounded to what matters, and never to 0 % unless it is 0', () => {
  assert.equal(changeWords(1e-11), '0 % higher'); // what equal values differ by in floating point
  assert.deepEqual(
    [-0.0812, -0.119, 0.031, 1.204, 12.5, -0.00042, 0].map((share) => changeWords(share)),
    ['8.1 % lower', '12 % lower', '3.1 % higher', '120 % higher', '1,250 % higher', '0.04 % lower', '0 % higher'],
  );
  assert.deepEqual(
    [0.0994, 0.0996, 0.00049, 0.00051].map((share) => changeWords(share)),
    ['9.9 % higher', '10 % higher', '0.05 % higher', '0.1 % higher'],
  );
});

test('an interval says its sides, the nearer end first', () => {
  assert.equal(intervalWords(-0.12, -0.081), '8.1 to 12 % lower');
  assert.equal(intervalWords(0.02, 0.15), '2 to 15 % higher');
  assert.equal(intervalWords(-0.021, 0.03), 'between 2.1 % lower and 3 % higher');
  assert.equal(intervalWords(-0.021, 0), 'between 2.1 % lower and 0 % higher');
  assert.equal(intervalWords(0, 0.02), '0 to 2 % higher');
});

test('an interval whose ends look alike is said once', () => {
  assert.equal(intervalWords(0.0301, 0.0302), '3 % higher');
  assert.equal(intervalWords(-0.0302, -0.0301), '3 % lower');
  assert.equal(intervalWords(0, 0), '0 % higher');
});

test('a confidence short of 100 % is not called 100 %', () => {
  assert.deepEqual([0.95, 0.9, 1 - 0.05 / 12, 1 - 0.00042].map(confidenceWords), ['95 %', '90 %', '99.58 %', '99.958 %']);
});

test('a p-value is rounded, but not across the level', () => {
  assert.deepEqual(
    [1, 0.32, 0.0496, 0.05, 0.0504, 0.050004, 0.00031, 0.00009].map((p) => pWords(p, 0.05)),
    ['p = 1', 'p = 0.32', 'p = 0.05', 'p = 0.05', 'p = 0.0504', 'p = 0.050004', 'p = 0.00031', 'p < 0.0001'],
  );
});

test('counts and lists are written as people write them', () => {
  assert.deepEqual(
    [counted(1, 'round'), counted(0, 'round'), counted(12_000, 'comparison')],
    ['1 round', '0 rounds', '12,000 comparisons'],
  );
  assert.deepEqual([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'])], ['', 'a', 'a and b', 'a, b and c']);
});
