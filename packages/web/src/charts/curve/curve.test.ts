import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueThere } from './curve.ts';

const points = [
  { x: 0, y: 10 },
  { x: 1, y: 20 },
  { x: 2, y: 30 },
];

test('of steps the one holds that began last, of a curve its next point', () => {
  assert.equal(valueThere(points, 0.5, true), 10);
  assert.equal(valueThere(points, 0.5, false), 20);
  for (const isStepped of [true, false]) assert.equal(valueThere(points, 1, isStepped), 20);
});

test('beyond its ends a curve says nothing', () => {
  for (const isStepped of [true, false])
    assert.deepEqual(
      [-0.1, 2.1].map((x) => valueThere(points, x, isStepped)),
      [null, null],
    );
  assert.equal(valueThere([], 1, true), null);
});
