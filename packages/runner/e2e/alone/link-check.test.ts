// The probe and the checks on links of this kernel: veth pairs over a bridge, tbf for a rate, nftables for loss. None of these delays.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { median } from '@pronghorn/core/math';
import type { Condition } from '@pronghorn/core/schemas';
import { checkFull, checkRtt, type Subject } from '../../src/link/check/check.ts';
import { Namespace } from '../../src/link/net/namespace.ts';
import { openProbe, type Probe } from '../../src/link/probe/probe.ts';
import { judgesTimes } from '../standstill.ts';

const subject: Subject = { backend: 'veth', kernel: 'test', tcLines: [] };
const native: Condition = { name: 'native', up: {}, down: {} };
const losing = (share: number): Condition => {
  const shape = { loss: { model: 'independent', share } } as const;
  return { name: 'loss', up: shape, down: shape };
};
const limited = (upKbps: number, downKbps: number): Condition => ({
  name: 'bandwidth',
  up: { rateKbps: upKbps, queueBytes: 32_768 },
  down: { rateKbps: downKbps, queueBytes: 32_768 },
});

const addresses = { near: '10.115.1.2', far: '10.115.1.1' };
const addresses6 = { near: 'fd70:7068:1::2', far: 'fd70:7068:1::1' };

describe('a link is measured', { skip: process.getuid?.() === 0 ? false : 'needs root: it makes network namespaces' }, () => {
  let near: Namespace;
  let middle: Namespace;
  let far: Namespace;
  let probe: Probe;

  before(async () => {
    [near, middle, far] = (await Promise.all(['near', 'middle', 'far'].map((name) => Namespace.create(name)))) as [
      Namespace,
      Namespace,
      Namespace,
    ];
    await middle.run(['ip', 'link', 'add', 'bridge', 'type', 'bridge']);
    await middle.run(['ip', 'link', 'set', 'bridge', 'up']);
    for (const [end, name] of [
      [near, 'near'],
      [far, 'far'],
    ] as const) {
      await middle.run(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'link0', 'netns', String(end.pid)]);
      await middle.run(['ip', 'link', 'set', name, 'master', 'bridge', 'up']);
      await end.run(['ethtool', '-K', 'link0', 'tso', 'off', 'gso', 'off', 'gro', 'off']);
      await end.run(['ip', 'address', 'add', `${addresses[name]}/24`, 'dev', 'link0']);
      await end.run(['ip', 'address', 'add', `${addresses6[name]}/64`, 'dev', 'link0', 'nodad']);
      await end.run(['ip', 'link', 'set', 'link0', 'up']);
      await middle.run(['ethtool', '-K', name, 'tso', 'off', 'gso', 'off', 'gro', 'off']);
    }
    for (const [end, to] of [
      [near, addresses.far],
      [far, addresses.near],
    ] as const)
      await end.run(['ip', 'route', 'replace', to, 'dev', 'link0', 'congctl', 'cubic']);
    probe = await openProbe(near, far, addresses);
  });

  after(async () => {
    await probe?.close();
    await Promise.all([near, middle, far].map((namespace) => namespace?.close()));
  });

  /** What the far end receives is shaped where it leaves the bridge towards it. */
  const shape = async (kbps: { up: number; down: number }) => {
    for (const [device, rate] of [
      ['far', kbps.up],
      ['near', kbps.down],
    ] as const)
      await middle.run(['tc', 'qdisc', 'replace', 'dev', device, 'root', 'tbf', 'rate', `${rate}kbit`, 'burst', '4000', 'limit', '32768']);
  };
  const unshape = async () => {
    for (const device of ['near', 'far']) await middle.run(['tc', 'qdisc', 'del', 'dev', device, 'root']);
  };
  /** Drops packets at random before they reach the far and the near end. */
  const lose = async (perMille: { up: number; down: number }) => {
    for (const [end, share] of [
      [far, perMille.up],
      [near, perMille.down],
    ] as const)
      await end.run(
        ['nft', '-f', '-'],
        `table inet loss { chain lose { type filter hook prerouting priority 0; numgen random mod 1000 < ${share} drop; }; }`,
      );
  };
  const loseNothing = async () => {
    for (const end of [near, far]) await end.run(['nft', 'delete', 'table', 'inet', 'loss']);
  };

  it(
    'a clean link loses none of 8,000 packets in each direction',
    judgesTimes(async () => {
      const check = await checkFull(probe, native, subject);
      assert.deepEqual(check.faults, []);
      assert.deepEqual(
        [check.up, check.down].map((direction) => direction?.loss.lost),
        [0, 0],
      );
      assert.deepEqual(
        [check.up, check.down].map((direction) => direction?.loss.sent),
        [8_000, 8_000],
      );
      assert.deepEqual(
        check.up?.rates.map(({ within }) => within),
        [null, null],
      );
    }),
  );

  it(
    'a rate limit is measured within 7 % by UDP and by TCP, each direction by itself',
    judgesTimes(async () => {
      await shape({ up: 5_000, down: 2_000 });
      try {
        const check = await checkFull(probe, limited(5_000, 2_000), subject);
        assert.deepEqual(check.faults, []);
        assert.deepEqual(
          [...(check.up?.rates ?? []), ...(check.down?.rates ?? [])].map(({ within }) => within),
          [true, true, true, true],
        );
        const wrong = await checkFull(probe, limited(2_000, 2_200), subject);
        assert.match(wrong.faults.join('\n'), /up: UDP [\d.]+ Mbit\/s, 2 ± 0.14 Mbit\/s requested/);
        assert.match(wrong.faults.join('\n'), /down: TCP [\d.]+ Mbit\/s, 2.2 ± 0.154 Mbit\/s requested/);
      } finally {
        await unshape();
      }
    }),
  );

  it(
    'loss is inside its interval when it is as declared, and found out when it is not',
    judgesTimes(async () => {
      await lose({ up: 20, down: 60 });
      const { up, down, faults } = await checkFull(probe, losing(0.02), subject).finally(loseNothing);
      assert.equal(up?.loss.within, true, `up lost ${up?.loss.lost}`);
      assert.equal(down?.loss.within, false);
      assert.match(faults.join('\n'), /^down: \d+ of 8,000 packets lost, 120–203 expected at 2 %$/);
    }),
  );

  it(
    'a round trip over a plain pair is measured as short as a bare one between two threads',
    judgesTimes(async (t) => {
      const bare: number[] = [];
      const measured: number[] = [];
      // Waking a process takes 0.1 to 0.5 ms, as the machine is busy and its host too: both are asked in turns, and the least of each is told.
      for (let turn = 0; turn < 6; turn++) {
        bare.push(await bareRoundTripMs(10));
        measured.push((await probe.rtt({ packets: 10 })).delay?.p50Ms ?? Number.POSITIVE_INFINITY);
      }
      t.diagnostic(`bare ${bare.map((ms) => ms.toFixed(3))}, measured ${measured.map((ms) => ms.toFixed(3))} ms`);
      assert.ok(Math.min(...measured) < 1.5 * Math.min(...bare), `${Math.min(...measured)} ms, a bare one ${Math.min(...bare)} ms`);
    }),
  );

  it('IPv6 is measured alike', async () => {
    const six = await openProbe(near, far, addresses6);
    try {
      const { delay } = await six.rtt({ packets: 5 });
      assert.equal(delay?.packets, 5);
      const { lost, received } = await six.oneWay({ direction: 'down', packets: 500, kbps: 1_000 });
      assert.deepEqual([lost, received], [0, 500]);
    } finally {
      await six.close();
    }
  });

  it(
    'a cheap check takes less than a round trip and 100 ms',
    judgesTimes(async () => {
      const start = performance.now();
      const { faults } = await checkRtt(probe, native, subject);
      assert.deepEqual(faults, []);
      assert.ok(performance.now() - start < 100, `it took ${performance.now() - start} ms`);
    }),
  );

  it(
    'a delay that is not there is named',
    judgesTimes(async () => {
      const { faults } = await checkRtt(probe, { name: 'latency-50', up: { delayMs: 50 }, down: {} }, subject);
      assert.match(faults.join('\n'), /^RTT 0\.\d+ ms, 50 ± 2\.5 ms requested$/);
    }),
  );

  it(
    'a dead link is a fault in bounded time',
    judgesTimes(async () => {
      await middle.run(['ip', 'link', 'set', 'far', 'down']);
      const start = performance.now();
      const { faults, rtt, up } = await checkFull(probe, native, subject);
      const tookMs = performance.now() - start;
      await middle.run(['ip', 'link', 'set', 'far', 'up']);
      assert.ok(tookMs < 2_000, `it took ${tookMs} ms`);
      assert.deepEqual([rtt, up], [null, null]);
      assert.match(faults.join('\n'), /^none of 10 pings came back within 1,000 ms/);
    }),
  );

  it('an end that is gone is an error that says so, and leaves nothing waiting', async () => {
    const other = await openProbe(near, far, addresses);
    const measuring = other.oneWay({ direction: 'up', packets: 8_000, kbps: 1_000 });
    const rejected = assert.rejects(measuring, /The probe’s (near|far) end is gone/);
    await other.close();
    await rejected;
    await assert.rejects(other.rtt({ packets: 1 }), /The probe’s far end is gone/);
  });

  it('its processes end with the runner, however that ends', async () => {
    const source = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const runner = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { Namespace } from ${source('../../src/link/net/namespace.ts')};
         import { openProbe } from ${source('../../src/link/probe/probe.ts')};
         import { readlinkSync } from 'node:fs';
         const end = await Namespace.create('end');
         await openProbe(end, end, { near: '127.0.0.1', far: '127.0.0.1' });
         console.log(readlinkSync('/proc/' + end.pid + '/ns/net'));`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const namespace = await new Promise<string>((resolve) => runner.stdout.once('data', (text) => resolve(String(text).trim())));
    assert.equal(processesIn(namespace).length, 3);
    runner.kill('SIGKILL');
    const deadline = performance.now() + 5_000;
    while (processesIn(namespace).length > 0 && performance.now() < deadline) await new Promise(setImmediate);
    assert.deepEqual(processesIn(namespace), []);
  });
});

function processesIn(namespace: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/ns/net`) === namespace;
    } catch {
      return false;
    }
  });
}

/** The median of round trips by UDP over the loopback, to a thread of this process and back, one each 4 ms as the probe's. */
async function bareRoundTripMs(packets: number): Promise<number> {
  const echo = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const socket = require('node:dgram').createSocket('udp4');
     socket.on('message', (packet, from) => socket.send(packet, from.port, from.address));
     socket.bind(0, '127.0.0.1', () => parentPort.postMessage(socket.address().port));`,
    { eval: true },
  );
  const socket = createSocket('udp4');
  try {
    const [port] = (await once(echo, 'message')) as [number];
    const tookMs: number[] = [];
    for (let packet = 0; packet < packets; packet++) {
      await setTimeout(4);
      const sent = performance.now();
      socket.send('ping', port, '127.0.0.1');
      await once(socket, 'message');
      tookMs.push(performance.now() - sent);
    }
    return median(tookMs);
  } finally {
    socket.close();
    await echo.terminate();
  }
}
