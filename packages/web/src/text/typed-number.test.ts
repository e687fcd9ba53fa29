import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedNumber } from './typed-number.ts';

test('decimals have a point or a comma, and an empty field is nothing', () => {
  assert.deepEqual([' 20 ', '0.5', '0,5', '.5', '2,', '-1', '1e3', '0,125'].map(typedNumber), [20, 0.5, 0.5, 0.5, 2, -1, 1000, 0.125]);
  assert.deepEqual(['', '  '].map(typedNumber), [undefined, undefined]);
});

test('what is no number, or could be read as two, is none', () => {
  for (const text of [
    'many',
    '1,000',
    '10,000,000',
    '1 000',
    '0x10',
    'Infinity',
    '5 %',
    '1.2.3',
    '1,000e2',
    '-1,000',
    '01,234',
    '1e999',
    '-1e999',
  ])
    assert.ok(Number.isNaN(typedNumber(text)), text);
});
