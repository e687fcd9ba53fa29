import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { directions, presets, queueBytesOf, rttOf } from '@pronghorn/core/network';
import type { Condition } from '@pronghorn/core/schemas';
import { lossSendingOf, pingingOf, tcpFills, tcpSendingOf, udpSendingOf } from './sendings.ts';

const preset = (name: string) => presets.find((condition) => condition.name === name) as Condition;

describe('the plan of a check', () => {
  for (const condition of presets) {
    it(`tells loss from 8,000 packets under ${condition.name} without filling its queue`, () => {
      for (const direction of directions) {
        const { packets, kbps } = lossSendingOf(condition, direction);
        assert.equal(packets, 8_000);
        assert.ok(kbps < (condition[direction].rateKbps ?? Number.POSITIVE_INFINITY));
        const seconds = (packets * 46 * 8) / (kbps * 1e3);
        assert.ok(seconds <= ((condition[direction].rateKbps ?? 1_000) >= 1_000 ? 4 : 9), `${seconds} s`);
      }
    });

    it(`offers more than the rate to UDP under ${condition.name}, and waits until the queue is empty`, () => {
      for (const direction of directions) {
        const shape = condition[direction];
        const { offeredKbps, timeoutMs } = udpSendingOf(condition, direction);
        if (shape.rateKbps === undefined) assert.equal(offeredKbps, undefined);
        else {
          const survive = shape.loss?.model === 'independent' ? 1 - shape.loss.share : 1;
          assert.ok(Math.abs((offeredKbps ?? 0) * survive - 1.2 * shape.rateKbps) < 1e-6);
          assert.ok(timeoutMs > rttOf(condition) + ((queueBytesOf(shape) ?? 0) * 8) / shape.rateKbps);
        }
      }
    });
  }

  it('tells loss from fewer packets where 8,000 would take minutes', () => {
    const { packets, kbps } = lossSendingOf({ name: 'gprs', up: { rateKbps: 50 }, down: {} }, 'up');
    assert.ok(packets < 2_000 && (packets * 46 * 8) / (kbps * 1e3) <= 10);
  });

  it('holds TCP to the rate only where one connection can fill it', () => {
    const fills = presets.filter((condition) => tcpFills(condition, 'down')).map(({ name }) => name);
    assert.deepEqual(fills, ['bandwidth-5', 'bandwidth-2', 'bandwidth-1', 'cable', 'dsl', 'lte', '3g-fast', '3g-slow']);
    const shortQueue: Condition = { name: 'short', up: {}, down: { rateKbps: 20_000, delayMs: 50, queueBytes: 120_000 } };
    // The pipe holds 125 kB.
    assert.equal(tcpFills(shortQueue, 'down'), false);
    assert.equal(tcpFills({ ...shortQueue, down: { ...shortQueue.down, queueBytes: 130_000 } }, 'down'), true);
  });

  it('gives TCP longer to start where the round trip is longer', () => {
    assert.ok(tcpSendingOf(preset('3g'), 'down').warmUpMs > tcpSendingOf(preset('cable'), 'down').warmUpMs);
  });

  it('waits for late pings as long as the condition’s jitter can make them', () => {
    const jittery: Condition = { name: 'jittery', up: { delayMs: 50, jitter: { ms: 10 } }, down: {} };
    assert.equal(pingingOf(jittery).expectedMs, 90);
  });
});
