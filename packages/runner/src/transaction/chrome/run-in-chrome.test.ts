import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workloadOf } from '@pronghorn/core/schemas';
import { planOf } from '../run-plan.ts';
import { sharesOf } from './run-in-chrome.ts';

const url = 'https://api.example/';
const sharesFor = (workload: object, protocol: 'h1' | 'h2' = 'h2') => {
  const whole = workloadOf({ engine: 'transaction', workload }, { url });
  assert.ok(whole !== null);
  return sharesOf({ ...planOf(url, whole, protocol, 'warm', 1), at: '', authority: '', askUsage: false }, protocol);
};
const usersOf = (workload: object) => sharesFor(workload).map(({ users }) => users);

test('each connection has a page, and each user is of one', () => {
  assert.deepEqual(usersOf({ users: 3 }), [[0], [1], [2]]);
  assert.deepEqual(usersOf({ users: 5, connections: 'shared', shared: 2 }), [
    [0, 2, 4],
    [1, 3],
  ]);
  assert.deepEqual(usersOf({ users: 4, connections: 'pool' }), [[0, 1, 2, 3]]);
});

test('one connection of HTTP/1.1 that is shared has one request at a time, a pool and other protocols many', () => {
  const shared = { users: 4, connections: 'shared' };
  assert.deepEqual(
    [sharesFor(shared, 'h1'), sharesFor(shared, 'h2'), sharesFor({ users: 4, connections: 'pool' }, 'h1')].map(
      ([share]) => share?.oneAtATime,
    ),
    [true, false, false],
  );
});

test('a pool of HTTP/1.1 is warmed on as many connections as Chrome opens, all else on one', () => {
  const warming = (workload: object, protocol: 'h1' | 'h2') => sharesFor(workload, protocol).map((share) => share.warming);
  assert.deepEqual(warming({ users: 10, connections: 'pool' }, 'h1'), [6]);
  assert.deepEqual(warming({ users: 2, connections: 'pool' }, 'h1'), [2]);
  assert.deepEqual(warming({ users: 10, connections: 'pool' }, 'h2'), [1]);
  assert.deepEqual(warming({ users: 2 }, 'h1'), [1, 1]);
});
