import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecdf, shareAtMost } from '@pronghorn/core/math';
import { cumulativePoints, valueThere } from './curve.ts';

test('a share is read at, between and beyond the steps as the statistics do', () => {
  const steps = ecdf([5, 1, 3, 3, 9, 3, 5]);
  const points = cumulativePoints(steps, [0, 100]);
  for (const value of [0, 1, 2, 3, 4.9, 5, 9, 100]) assert.equal(valueThere(points, value, true), shareAtMost(steps, value));
});
