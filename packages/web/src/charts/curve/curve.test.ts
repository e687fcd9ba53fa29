import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cumulativePoints, namePlaces, valueThere } from './curve.ts';

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

test('names of cumulative curves stand on their curves, each at a height of its own', () => {
  const lines = [0, 0.2, -0.1].map((shift, index) => ({
    name: String(index),
    points: cumulativePoints({ values: [shift, shift + 0.1, shift + 0.2], shares: [1 / 3, 2 / 3, 1] }, [-1, 1]),
  }));
  const places = namePlaces(lines);
  assert.deepEqual(
    places.map(({ name }) => name),
    ['2', '0', '1'],
  );
  assert.equal(new Set(places.map(({ y }) => y)).size, 3);
  for (const { name, x, y } of places) {
    const { points } = lines[Number(name)] as (typeof lines)[number];
    assert.ok(
      (valueThere(points, x, true) ?? 0) >= y && (valueThere(points, x - 1e-9, true) ?? 0) <= y,
      'where the curve crosses its height',
    );
  }
});
