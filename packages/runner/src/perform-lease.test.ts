import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core';
import { ApiRefusal, ApiUnavailable } from './api-errors.ts';
import { isLost } from './perform-lease.ts';

test('a lease is lost when the api says so, or does not know it; what else it refuses is a failure, which is counted', () => {
  assert.ok(isLost(new ApiRefusal(409, 'It is lost.', problemType('lease-lost'))));
  assert.ok(isLost(new ApiRefusal(409, 'It has ended.', problemType('lease-ended'))));
  assert.ok(isLost(new ApiRefusal(404, 'There is no lease.', problemType('not-found'))));
  for (const kind of ['already-different', 'round-incomplete', 'invalid-visit'] as const)
    assert.ok(!isLost(new ApiRefusal(409, 'Not so.', problemType(kind))), kind);
  assert.ok(!isLost(new ApiRefusal(404, 'A proxy’s page.', '', true)), 'it is not the api’s word');
  assert.ok(!isLost(new ApiUnavailable('It does not answer.', null)));
});
