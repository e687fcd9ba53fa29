// What a check of a link makes of many packets, and how long it takes: on a machine that does nothing else.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { median } from '@pronghorn/core/math';
import type { Condition } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { checkFull, checkRtt } from '../../src/link/check/check.ts';
import { linkBench, native, needsRoot, subject } from '../link-bench.ts';
import { judgesTimes } from '../standstill.ts';

const losing = (share: number): Condition => {
  const shape = { loss: { model: 'independent', share } } as const;
  return { name: 'loss', up: shape, down: shape };
};
const limited = (upKbps: number, downKbps: number): Condition => ({
  name: 'bandwidth',
  up: { rateKbps: upKbps, queueBytes: 32_768 },
  down: { rateKbps: downKbps, queueBytes: 32_768 },
});

describe('a link is measured', { ...proves('link-check'), skip: needsRoot }, () => {
  const bench = linkBench();

  it(
    'a clean link loses none of 8,000 packets in each direction',
    judgesTimes(async () => {
      const check = await checkFull(bench().probe, native, subject);
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
      await bench().shaped({ up: 5_000, down: 2_000 }, async () => {
        const check = await checkFull(bench().probe, limited(5_000, 2_000), subject);
        assert.deepEqual(check.faults, []);
        assert.deepEqual(
          [...(check.up?.rates ?? []), ...(check.down?.rates ?? [])].map(({ within }) => within),
          [true, true, true, true],
        );
        const wrong = await checkFull(bench().probe, limited(2_000, 2_200), subject);
        assert.match(wrong.faults.join('\n'), /up: UDP [\d.]+ Mbit\/s, 2 ± 0.14 Mbit\/s requested/);
        assert.match(wrong.faults.join('\n'), /down: TCP [\d.]+ Mbit\/s, 2.2 ± 0.154 Mbit\/s requested/);
      });
    }),
  );

  it(
    'loss is inside its interval when it is as declared, and found out when it is not',
    judgesTimes(async () => {
      const perMille = (share: number) => `numgen random mod 1000 < ${share}`;
      const { up, down, faults } = await bench().losing({ up: perMille(20), down: perMille(60) }, () =>
        checkFull(bench().probe, losing(0.02), subject),
      );
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
        measured.push((await bench().probe.rtt({ packets: 10 })).delay?.p50Ms ?? Number.POSITIVE_INFINITY);
      }
      t.diagnostic(`bare ${bare.map((ms) => ms.toFixed(3))}, measured ${measured.map((ms) => ms.toFixed(3))} ms`);
      assert.ok(Math.min(...measured) < 1.5 * Math.min(...bare), `${Math.min(...measured)} ms, a bare one ${Math.min(...bare)} ms`);
    }),
  );

  it(
    'a cheap check takes less than a round trip and 100 ms',
    judgesTimes(async () => {
      const start = performance.now();
      const { faults } = await checkRtt(bench().probe, native, subject);
      assert.deepEqual(faults, []);
      assert.ok(performance.now() - start < 100, `it took ${performance.now() - start} ms`);
    }),
  );

  it(
    'a delay that is not there is named',
    judgesTimes(async () => {
      const { faults } = await checkRtt(bench().probe, { name: 'latency-50', up: { delayMs: 50 }, down: {} }, subject);
      assert.match(faults.join('\n'), /^RTT 0\.\d+ ms, 50 ± 2\.5 ms requested$/);
    }),
  );

  it(
    'a dead link is a fault in bounded time',
    judgesTimes(async () => {
      await bench().middle.run(['ip', 'link', 'set', 'far', 'down']);
      const start = performance.now();
      const { faults, rtt, up } = await checkFull(bench().probe, native, subject);
      const tookMs = performance.now() - start;
      await bench().middle.run(['ip', 'link', 'set', 'far', 'up']);
      assert.ok(tookMs < 2_000, `it took ${tookMs} ms`);
      assert.deepEqual([rtt, up], [null, null]);
      assert.match(faults.join('\n'), /^none of 10 pings came back within 1,000 ms/);
    }),
  );
});

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
