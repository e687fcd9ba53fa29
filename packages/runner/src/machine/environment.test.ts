import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '@pronghorn/core/schemas';
import { describeEnvironment, slowdownOf } from './environment.ts';

const chrome = { product: 'Chrome/1', executable: '/chrome', flags: [], sandbox: true, preferences: {} };
const link: Environment['link'] = {
  backend: 'direct',
  kernel: null,
  congestionControl: null,
  priority: 'none',
  offloads: 'machine',
  receiveBuffers: { tcp: null, udpMaxBytes: null },
};
const notAsked = (): number => assert.fail('the machine’s index is of no use here');

test('a phone’s CPU is as many times slower as the machine is faster than one, in steps that hide the noise', () => {
  assert.deepEqual(
    slowdownOf({ device: 'phone' }, () => 3_488),
    { factor: 3.5, machineIndex: 3_500 },
  );
  assert.deepEqual(
    slowdownOf({ device: 'tablet' }, () => 800),
    { factor: 1, machineIndex: 800 },
  );
  assert.deepEqual(slowdownOf({ device: 'phone', cpuSlowdown: 6 }, notAsked), { factor: 6, machineIndex: null });
  assert.deepEqual(slowdownOf({}, notAsked), { factor: 1, machineIndex: null });
});

test('an environment tells of a slower CPU, and is another one by it', () => {
  const plain = describeEnvironment(chrome, link, undefined, 'context');
  assert.equal(plain.cpuSlowdown, undefined);
  assert.equal(describeEnvironment(chrome, link, undefined, 'context', slowdownOf({}, notAsked)).id, plain.id, 'a desktop is as before');
  const phone = (index: number) =>
    describeEnvironment(
      chrome,
      link,
      undefined,
      'context',
      slowdownOf({ device: 'phone' }, () => index),
    );
  assert.deepEqual(phone(3_488).cpuSlowdown, { factor: 3.5, machineIndex: 3_500 });
  assert.notEqual(phone(3_488).id, plain.id);
  assert.equal(phone(3_488).id, phone(3_512).id);
});
