import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed, presets } from '../network/presets.ts';
import type { Condition } from '../schemas/condition.ts';
import { conditionDetails, describeCondition } from './condition.ts';

const words = (given: Omit<Condition, 'name'>) => describeCondition({ name: 'mine', ...given });
const details = (given: Omit<Condition, 'name'>) => conditionDetails({ name: 'mine', ...given });
const preset = (name: string) => conditionNamed(name) ?? assert.fail(name);

test('presets read well', () => {
  const expected = {
    ...{ native: 'nothing added', 'latency-50': '+50 ms RTT', 'loss-2': '+20 ms RTT, 2 % loss each way' },
    ...{ '4g': '+170 ms RTT, 9 Mbit/s both ways', cable: '+28 ms RTT, 5 Mbit/s down, 1 Mbit/s up' },
    ...{ poor: '+50 ms RTT, 10 Mbit/s both ways, 2 % loss each way', 'mobile-poor': '+100 ms RTT, 15 % loss up' },
    ...{ 'mobile-poor-symmetric': '+100 ms RTT, 7.5 % loss each way' },
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, describeCondition(preset(name))])), expected);
});

test('an RTT is the same words wherever its delay is added, and a direction is named where it differs', () => {
  assert.equal(words({ up: { delayMs: 50 }, down: { delayMs: 50 } }), words({ up: { delayMs: 100 }, down: {} }));
  assert.equal(words({ up: {}, down: { rateKbps: 768 } }), '768 kbit/s down');
});

test('every effect is in the words, and bursts by their mean', () => {
  const bursts = { model: 'gilbert-elliott', p: 0.01, r: 0.24, lossBad: 0.5, lossGood: 0.001 } as const;
  assert.equal(
    words({
      up: { delayMs: 40.5, jitter: { ms: 10, distribution: 'normal' }, loss: bursts },
      down: { delayMs: 10, jitter: { ms: 2.5 }, reorder: { share: 0.01 }, duplicateShare: 0.005 },
    }),
    '+50.5 ms RTT, 2.1 % loss in bursts up, ±2.5 ms jitter down, ±10 ms jitter up, 1 % reordered down, 0.5 % duplicated down',
  );
});

test('the details say the queue, and where a delay is added', () => {
  const detailsOf = (name: string) => conditionDetails(preset(name));
  assert.equal(detailsOf('latency-50'), '50 ms delay up');
  assert.equal(detailsOf('loss-2'), 'base RTT 20 ms; 2 % loss each way');
  assert.equal(detailsOf('poor'), '25 ms delay, 10 Mbit/s, 32 KB queue, 2 % loss each way');
  assert.equal(detailsOf('cable'), '14 ms delay each way; 1 Mbit/s, 32 KB queue up; 5 Mbit/s, 62.5 kB queue down');
});

test('the details say once what both directions have alike, delays first', () => {
  const shared = { rateKbps: 10_000, queueBytes: 32_768, loss: { model: 'independent', share: 0.02 } } as const;
  assert.equal(details({ up: { delayMs: 50, ...shared }, down: shared }), '50 ms delay up; 10 Mbit/s, 32 KB queue, 2 % loss each way');
});

test('the details say everything that a direction can have', () => {
  const bursts = { model: 'gilbert-elliott', p: 0.01, r: 0.24, lossBad: 0.5, lossGood: 0.001 } as const;
  assert.equal(
    details({
      up: { delayMs: 40.5, jitter: { ms: 10, correlation: 0.25, distribution: 'normal' }, loss: bursts },
      down: { delayMs: 10, jitter: { ms: 2.5 }, rateKbps: 768, reorder: { share: 0.01 }, duplicateShare: 0.005 },
    }),
    '40.5 ± 10 ms delay (normal, correlation 0.25), 2.096 % loss in bursts (p 1 %, r 24 %, 50 % of the bad, 0.1 % of the good) up; ' +
      '10 ± 2.5 ms delay (uniform), 768 kbit/s, 32 KB queue, 1 % reordered, 0.5 % duplicated down',
  );
});

test('presets that do different things are described differently', () => {
  for (const describe of [describeCondition, conditionDetails]) {
    const different = presets.map(describe);
    assert.equal(new Set(different).size, different.length);
  }
});
