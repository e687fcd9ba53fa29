import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coresApart } from './run-plan.ts';

test('client and server have half of the cores each, from four on', () => {
  assert.deepEqual(coresApart('0-3'), { client: '0,1', server: '2,3' });
  assert.deepEqual(coresApart('0,2,4-6'), { client: '0,2', server: '4,5,6' });
  for (const few of ['0', '0-1', '0-2', '3,5']) assert.equal(coresApart(few), null);
});
