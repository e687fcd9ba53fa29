import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecdf, shareAtMost } from '@pronghorn/core';
import { shareAt, stepsOf } from './ecdf.ts';

const values = [5, 1, 3, 3, 9, 3, 5];

test('steps made of values are those of the statistics', () => {
  const { values: corners, shares } = ecdf(values);
  assert.deepEqual(stepsOf({ name: 'visits', values }), { values: corners, shares });
  assert.deepEqual(stepsOf({ name: 'nothing', values: [] }), { values: [], shares: [] });
});

test('a share is read at, between and beyond the steps as the statistics do', () => {
  const steps = stepsOf({ name: 'visits', values });
  for (const value of [0, 1, 2, 3, 4.9, 5, 9, 100]) assert.equal(shareAt(steps, value), shareAtMost(steps, value));
});
