import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { Condition } from '../schemas/condition.ts';
import { checkCondition } from './check-condition.ts';
import { conditionNamed, presets } from './presets.ts';
import { isLossy, isNative, rttOf } from './shaping.ts';

const named = (name: string) => {
  const found = conditionNamed(name);
  assert.ok(found, name);
  return found;
};

test('every preset fits the schema, has a name of its own, and tells what it is and where its numbers come from', () => {
  const schema = Compile(Condition);
  for (const preset of presets) {
    assert.ok(schema.Check(preset), JSON.stringify([...schema.Errors(preset)]));
    assert.ok(preset.description && preset.source, preset.name);
  }
  assert.equal(new Set(presets.map(({ name }) => name)).size, presets.length);
});

test('no preset has a fault that a user’s own condition would be refused for', () => {
  for (const preset of presets.filter((condition) => !isNative(condition))) {
    assert.deepEqual(checkCondition({ ...preset, name: `my-${preset.name}` }), [], preset.name);
  }
});

test('the conditions of Trevisan et al. delay the uplink, and lose and limit in both directions', () => {
  assert.deepEqual([named('latency-200').up, named('latency-200').down], [{ delayMs: 200 }, {}]);
  const { up, down, baseRttMs } = named('loss-5');
  assert.deepEqual([up, down, baseRttMs], [{ loss: { model: 'independent', share: 0.05 } }, up, 20]);
  assert.deepEqual(named('bandwidth-2').up, { rateKbps: 2000, queueBytes: 32_768 });
  assert.deepEqual(named('bandwidth-2').down, named('bandwidth-2').up);
  assert.match(named('bandwidth-2').description ?? '', /a queue of 32 KB, the paper’s/);
});

test('the profiles of the trade have WebPageTest’s RTT, half of it in each direction', () => {
  const expected = { cable: 28, dsl: 50, '4g': 170, lte: 70, '3g': 300, '3g-fast': 150, '3g-slow': 400 };
  for (const [name, rttMs] of Object.entries(expected)) {
    assert.equal(rttOf(named(name)), rttMs);
    assert.equal(named(name).up.delayMs, rttMs / 2);
  }
  assert.deepEqual([named('cable').up.rateKbps, named('cable').down.rateKbps], [1000, 5000]);
});

test('mobile-poor and its symmetric variant have the same RTT', () => {
  assert.equal(rttOf(named('mobile-poor')), rttOf(named('mobile-poor-symmetric')));
});

test('every lossy preset has an RTT of 20 ms or more', () => {
  const lossy = presets.filter(isLossy);
  assert.ok(lossy.length >= 7);
  for (const preset of lossy) assert.ok(rttOf(preset) >= 20, preset.name);
});

test('a lossy condition is known by its name with a base RTT too', () => {
  assert.equal(named('loss-2.rtt-50').baseRttMs, 50);
  assert.equal(rttOf(named('loss-2.rtt-50')), 50);
  assert.equal(rttOf(named('poor.rtt-12.5')), 62.5);
  const spiky: Condition = { name: 'spiky', up: {}, down: { delayMs: 10, loss: { model: 'gilbert-elliott', p: 0.01, r: 0.3 } } };
  assert.equal(conditionNamed('spiky.rtt-30', [spiky])?.name, 'spiky.rtt-30');
});

test('other names with a base RTT are unknown', () => {
  for (const name of [
    'native.rtt-50',
    'latency-50.rtt-50',
    'loss-3.rtt-50',
    'loss-2.rtt-050',
    'loss-2.rtt-50.0',
    'loss-2.rtt-20000',
    'loss-2.rtt-',
  ]) {
    assert.equal(conditionNamed(name), undefined, name);
  }
});
