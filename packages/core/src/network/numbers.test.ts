import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed } from './presets.ts';
import { numbersOf } from './shaping.ts';

test('numbers of a condition have the base RTT in their delays, the mean of bursts, and the queue that is meant', () => {
  const bursts = { model: 'gilbert-elliott', p: 0.01, r: 0.24 } as const;
  const numbers = numbersOf({
    name: 'train',
    baseRttMs: 20,
    up: { delayMs: 30, jitter: { ms: 5 } },
    down: { loss: bursts, rateKbps: 12_000 },
  });
  assert.deepEqual(numbers, {
    rttMs: 50,
    up: { delayMs: 40, jitterMs: 5, lossShare: 0, rateKbps: null, queueBytes: 0 },
    down: { delayMs: 10, jitterMs: null, lossShare: 0.04, rateKbps: 12_000, queueBytes: 150_000 },
  });
});

test('native adds nothing', () => {
  const native = conditionNamed('native');
  assert.ok(native);
  const nothing = { delayMs: 0, jitterMs: null, lossShare: 0, rateKbps: null, queueBytes: 0 };
  assert.deepEqual(numbersOf(native), { rttMs: 0, up: nothing, down: nothing });
});
