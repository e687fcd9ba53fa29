import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interruption } from './interrupt.ts';

test('a Ctrl-C between two campaigns stops the second too', () => {
  const first = interruption();
  assert.equal(first.aborted, false);
  process.emit('SIGHUP');
  assert.deepEqual([first.aborted, interruption().aborted], [true, true]);
});
