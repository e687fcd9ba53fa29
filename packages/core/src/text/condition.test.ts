import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed, presets } from '../network/presets.ts';
import type { Condition } from '../schemas/condition.ts';
import { describeCondition } from './condition.ts';

const words = (given: Omit<Condition, 'name'>) => describeCondition({ name: 'mine', ...given });
const ofPreset = (name: string) => describeCondition(conditionNamed(name) ?? assert.fail(name));

test('presets read well', () => {
  assert.equal(ofPreset('native'), 'nothing added');
  assert.equal(ofPreset('latency-50'), '50 ms up');
  assert.equal(ofPreset('loss-2'), 'base RTT 20 ms; 2 % loss each way');
  assert.equal(ofPreset('poor'), '25 ms, 10 Mbit/s, 32 KB queue, 2 % loss each way');
  assert.equal(ofPreset('cable'), '14 ms each way; 1 Mbit/s, 32 KB queue up; 5 Mbit/s, 62.5 kB queue down');
  assert.equal(ofPreset('mobile-poor-symmetric'), '50 ms, 7.5 % loss each way');
});

test('what both directions have alike is said once, and delays come first', () => {
  const shared = { rateKbps: 10_000, queueBytes: 32_768, loss: { model: 'independent', share: 0.02 } } as const;
  assert.equal(words({ up: { delayMs: 50, ...shared }, down: shared }), '50 ms up; 10 Mbit/s, 32 KB queue, 2 % loss each way');
});

test('everything that a direction can have is said', () => {
  const bursts = { model: 'gilbert-elliott', p: 0.01, r: 0.24, lossBad: 0.5, lossGood: 0.001 } as const;
  assert.equal(
    words({
      up: { delayMs: 40.5, jitter: { ms: 10, correlation: 0.25, distribution: 'normal' }, loss: bursts },
      down: { delayMs: 10, jitter: { ms: 2.5 }, rateKbps: 768, reorder: { share: 0.01 }, duplicateShare: 0.005 },
    }),
    '40.5 ± 10 ms (normal, correlation 0.25), 2.096 % loss in bursts (p 1 %, r 24 %, 50 % of the bad, 0.1 % of the good) up; ' +
      '10 ± 2.5 ms (uniform), 768 kbit/s, 32 KB queue, 1 % reordered, 0.5 % duplicated down',
  );
});

test('conditions that do different things are described differently', () => {
  const different = presets.filter(({ name }) => name !== 'baseline').map(describeCondition);
  assert.equal(new Set(different).size, different.length);
});
