import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nowNs } from './clock.ts';
import { openTo, sendUdp, UdpReceiver } from './udp.ts';

const address = '127.0.0.1';

describe('the UDP ends', () => {
  it('stamp every packet, and none that carries another mark', async () => {
    const receiver = await UdpReceiver.open({ address, mark: 7, packets: 200 });
    const target = { from: address, to: address, port: receiver.port, packets: 200, intervalUs: 50, payloadBytes: 4, forMs: 5_000 };
    await sendUdp({ ...target, mark: 8, packets: 3 });
    const departures = await sendUdp({ ...target, mark: 7 });
    const arrivals = await receiver.collect({ expected: 200, untilNs: nowNs() + 5e9, quietMs: 5_000 });
    assert.deepEqual(
      [...arrivals.numbers].sort((a, b) => a - b),
      Array.from({ length: 200 }, (_, number) => number),
    );
    // Drops are counted for all sockets of this network.
    assert.equal(departures.refused, 0);
    assert.ok(arrivals.ns.every((ns, index) => ns >= (departures.ns[arrivals.numbers[index] as number] as number)));
  });

  it('space packets evenly, and stop in time', async () => {
    const receiver = await UdpReceiver.open({ address, mark: 0, packets: 10_000 });
    const target = { from: address, to: address, port: receiver.port, mark: 0, packets: 10_000, payloadBytes: 4 };
    const begin = nowNs();
    const { ns } = await sendUdp({ ...target, intervalUs: 2_000, forMs: 100 });
    receiver.close();
    // Later where the machine stood still, and one more then; never before its time.
    assert.ok(ns.every((at, number) => at - begin >= number * 2e6));
    const tookMs = ((ns.at(-1) ?? 0) - begin) / 1e6;
    assert.ok(ns.length > 1 && ns.length <= 2 + tookMs / 2, `${ns.length} packets in ${tookMs} ms, 2 ms apart`);
    assert.ok(ns.length < 1_000, 'it stopped');
  });

  it('count what the receiver’s own buffer had no room for', async () => {
    const receiver = await UdpReceiver.open({ address, mark: 0, packets: 100_000 });
    const socket = await openTo({ from: address, to: address, port: receiver.port });
    // In one go: the receiver, in this same process, has no turn to read.
    for (let number = 0; number < 30_000; number++) socket.send(Buffer.alloc(1_472));
    const { dropped } = await receiver.collect({ expected: 1, untilNs: nowNs() + 1e7, quietMs: 1 });
    socket.close();
    assert.ok(dropped > 0);
  });
});
