import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed, presets, withBaseRtt } from './presets.ts';
import { delayOf } from './shaping.ts';

const [native] = presets;
const loss2 = conditionNamed('loss-2');
assert.ok(native && loss2);

test('another base RTT replaces the one before, half in each direction, and is part of the name', () => {
  const slow = withBaseRtt(loss2, 80);
  assert.deepEqual([slow.name, delayOf(slow, 'up'), delayOf(slow, 'down')], ['loss-2.rtt-80', 40, 40]);
  assert.deepEqual(slow.up, loss2.up);
  assert.doesNotMatch(slow.description ?? '', /20 ms/);
  assert.equal(withBaseRtt(slow, 20).name, 'loss-2.rtt-20');
});

test('a condition as it is listed can be given another base RTT too', () => {
  const listed = { ...loss2, preset: true, words: 'base RTT 20 ms; 2 % loss each way' };
  assert.deepEqual(withBaseRtt(listed, 80), withBaseRtt(loss2, 80));
});

test('what loses nothing has no base RTT to change, and an RTT must be a time', () => {
  assert.throws(() => withBaseRtt(native, 50), /native loses no packets; only lossy conditions have a base RTT/);
  for (const ms of [-1, Number.NaN, 10_001]) assert.throws(() => withBaseRtt(loss2, ms), RangeError);
});
