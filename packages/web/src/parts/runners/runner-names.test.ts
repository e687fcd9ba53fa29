import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Runner, RunnerState } from '@pronghorn/core/schemas';
import { countWords, inOrder } from './runner-names.ts';

const runner = (name: string, state: RunnerState) => ({ name, state }) as Runner;

test('runners that are there stand before those that are gone, each kind by name', () => {
  const some = [runner('d', 'stopped'), runner('b', 'alive'), runner('c', 'lost'), runner('a', 'alive'), runner('e', 'busy')];
  assert.deepEqual(
    inOrder(some).map(({ name }) => name),
    ['e', 'a', 'b', 'c', 'd'],
  );
  assert.equal(countWords(some), '1 busy, 2 alive, 1 lost, 1 stopped');
});
