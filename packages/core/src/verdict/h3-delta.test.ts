import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h3Delta } from './h3-delta.ts';

test('H3-Delta is negative when HTTP/3 has the lower median, and the larger median divides', () => {
  assert.equal(h3Delta([300, 900, 100], [400, 10, 500]), -0.25);
  assert.equal(h3Delta([400, 10, 500], [300, 900, 100]), 0.25);
});

test('H3-Delta ends at −1 and 1', () => {
  assert.equal(h3Delta([0], [5]), -1);
  assert.equal(h3Delta([5], [0]), 1);
  assert.equal(h3Delta([7], [7]), 0);
});

test('H3-Delta is not defined without both samples, or when both medians are 0', () => {
  assert.equal(h3Delta([], [1]), null);
  assert.equal(h3Delta([1], []), null);
  assert.equal(h3Delta([0, 0, 9], [0]), null);
});

test('a negative value and one that is not finite are refused by name', () => {
  assert.throws(() => h3Delta([-1], [1]), { name: 'RangeError', message: /a value of h3 is -1/ });
  assert.throws(() => h3Delta([1], [Number.NaN]), { name: 'RangeError', message: /a value of h2 is NaN/ });
  assert.throws(() => h3Delta([], [Number.NaN]), RangeError);
});
