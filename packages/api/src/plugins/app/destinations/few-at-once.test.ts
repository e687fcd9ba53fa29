import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fewAtOnce } from './destinations.ts';

const never = new AbortController().signal;

test('a few at once, the rest in their order, and failures make room too', async () => {
  const taking = fewAtOnce(2);
  const started: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const results = gates.map(({ promise }, place) =>
    taking(() => {
      started.push(place);
      return promise;
    }, never),
  );
  await setImmediate();
  assert.deepEqual(started, [0, 1]);
  gates[1]?.reject(new Error('broken'));
  await assert.rejects(results[1] as Promise<number>, /broken/);
  assert.deepEqual(started, [0, 1, 2]);
  gates[0]?.resolve(10);
  assert.equal(await results[0], 10);
  assert.deepEqual(started, [0, 1, 2, 3]);
});

test('who gives up waiting is never started; who gives up what has begun leaves its place taken until it ends', async () => {
  const taking = fewAtOnce(1);
  const slow = Promise.withResolvers<void>();
  const first = new AbortController();
  const second = new AbortController();
  const begun = taking(() => slow.promise, first.signal);
  const waiting = taking(async () => assert.fail('was started'), second.signal);
  second.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  first.abort(new Error('enough too'));
  await assert.rejects(begun, /enough too/);
  const last = taking(async () => 'done', never);
  slow.resolve();
  assert.equal(await last, 'done');
});
