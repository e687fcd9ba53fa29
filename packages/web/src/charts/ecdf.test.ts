import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecdf, shareAtMost } from '@pronghorn/core/math';
import { shareAt } from './ecdf.ts';

test('a share is read at, between and beyond the steps as the statistics do', () => {
  const steps = ecdf([5, 1, 3, 3, 9, 3, 5]);
  for (const value of [0, 1, 2, 3, 4.9, 5, 9, 100]) assert.equal(shareAt(steps, value), shareAtMost(steps, value));
});
