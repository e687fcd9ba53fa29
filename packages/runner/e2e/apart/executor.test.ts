// A runner that works for months meets campaigns that need different links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import type { Lease } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { chromeExecutor } from '../../src/lease/executor.ts';
import { surveyBackends } from '../../src/link/backends.ts';
import { standInEngine } from '../../src/testing/stand-in-engine.ts';

const leaseOf = (...names: string[]) => ({ spec: { conditions: names.map((name) => conditionNamed(name)) } }) as Lease;
const options = { choice: 'auto' as const, allowNet: [], fencing: 'fenced' as const, congestionControl: 'cubic' };

test('the link is reopened when the next campaign needs another one, and kept when it does not', proves('link'), async (t) => {
  const can = (await surveyBackends()).filter((backend) => backend.can === true).map(({ name }) => name);
  if (!can.includes('veth') || !(can.includes('netem') || can.includes('guest')))
    return t.skip(`has ${can} alone; needs root and what shapes`);
  const opened: string[] = [];
  let closed = 0;
  const executor = chromeExecutor(options, ({ link }) => {
    opened.push(link.backend);
    return {
      ...standInEngine({ loadMs: 1, resources: 1 }),
      close: async () => {
        closed += 1;
      },
    };
  });
  t.after(() => executor.close());
  const native = await executor.open(leaseOf('native'));
  assert.equal(await executor.open(leaseOf('native')), native);
  const shaped = await executor.open(leaseOf('native', 'latency-50'));
  assert.equal(closed, 1);
  assert.equal(await executor.open(leaseOf('4g')), shaped);
  assert.notEqual(await executor.open(leaseOf('native')), shaped);
  assert.deepEqual(opened, ['veth', can.includes('netem') ? 'netem' : 'guest', 'veth']);
  await executor.close();
  assert.equal(closed, 3);
  await assert.rejects(executor.open(leaseOf('native')), /was stopped/);
});

test(
  'after a failure the next lease gets another engine and link, and one that does not end blocks nothing',
  proves('runners'),
  async () => {
    let opened = 0;
    const executor = chromeExecutor({ ...options, choice: 'direct' }, () => {
      opened += 1;
      return {
        ...standInEngine({ loadMs: 1, resources: 1 }),
        close: async () => {
          throw new Error('Chrome is a zombie');
        },
      };
    });
    const first = await executor.open(leaseOf('native'));
    await executor.abandon();
    assert.notEqual(await executor.open(leaseOf('native')), first);
    assert.equal(opened, 2);
    await assert.rejects(executor.close(), /zombie/);
    await executor.close(); // nothing is left
  },
);

test('an executor of the machine’s own network refuses what it can’t shape', proves('conditions'), async () => {
  const executor = chromeExecutor({ ...options, choice: 'direct' }, () => standInEngine({ loadMs: 1, resources: 1 }));
  await assert.rejects(executor.open(leaseOf('latency-50')), /can’t shape packets/);
  await executor.close();
});
