// Plans the measurement of a condition: packets, rates and lengths, so that measuring itself fills no queue.
import { type Direction, lossShareOf, queueBytesOf, rttOf } from '@pronghorn/core/network';
import type { Condition, Shape } from '@pronghorn/core/schemas';

/** Packets by which the loss of a direction is measured. */
const lossPackets = 8_000;
/** No longer than this for it, even when the rate is so low that fewer packets fit. */
const maxLossSeconds = 10;
/** Packets of 46 bytes: 8,000 take 3 s, and a busy machine still keeps up. */
const fastestKbps = 980;
/** Share of the condition's rate, so that the queue stays empty. */
const loadShare = 0.95;
const lossPacketBytes = 46;

const fullPacketBytes = 1_514;
/** Full packets for a rate; they are timed one by one, so that few are enough. */
const ratePackets = 20;

const pings = 10;

/** Ten pings, 4 ms apart: with the 40 ms that lost ones are waited for, a round trip and 80 ms. */
export function pingingOf(condition: Condition) {
  const expectedMs = rttOf(condition) + spreadMs(condition.up) + spreadMs(condition.down);
  return { packets: pings, expectedMs, timeoutMs: 1_000 + 2 * expectedMs };
}

export function lossSendingOf(condition: Condition, direction: Direction) {
  const { rateKbps = Number.POSITIVE_INFINITY } = condition[direction];
  const kbps = Math.min(fastestKbps, loadShare * rateKbps);
  const packets = Math.min(lossPackets, Math.floor((maxLossSeconds * kbps * 1e3) / (lossPacketBytes * 8)));
  return { packets, kbps, timeoutMs: rttOf(condition) + spreadMs(condition[direction]) + 200 };
}

interface RateSending {
  seconds: number;
  warmUpMs: number;
  /** Only for UDP; undefined: as fast as a probe sends. */
  offeredKbps: number | undefined;
  timeoutMs: number;
}

/** UDP at 1.2 times the rate, and as much more as is lost before the bottleneck. */
export function udpSendingOf(condition: Condition, direction: Direction): RateSending {
  const shape = condition[direction];
  const { rateKbps } = shape;
  if (rateKbps === undefined) return { seconds: 0.3, warmUpMs: 100, offeredKbps: undefined, timeoutMs: rttOf(condition) + 100 };
  // Bursts of loss leave gaps, which the queue has to bridge.
  const factor = (shape.loss?.model === 'gilbert-elliott' ? 1.5 : 1.2) / Math.max(0.01, 1 - lossShareOf(shape));
  // tbf's bucket, about a packet and 2 ms, is used up first at a fifth of the rate.
  const bucketMs = (fullPacketBytes * 8) / (0.2 * rateKbps) + 10;
  return {
    seconds: Math.max(0.4, (ratePackets * fullPacketBytes * 8) / (rateKbps * 1e3)),
    warmUpMs: 150 + bucketMs,
    offeredKbps: factor * rateKbps,
    timeoutMs: rttOf(condition) + spreadMs(shape) + drainMs(shape) + 100,
  };
}

/** One connection; its warm-up is the time that slow start takes to fill the pipe. Where it can't be judged it is short. */
export function tcpSendingOf(condition: Condition, direction: Direction): RateSending {
  const shape = condition[direction];
  const seconds = Math.max(0.4, (ratePackets * fullPacketBytes * 8) / ((shape.rateKbps ?? Number.POSITIVE_INFINITY) * 1e3));
  const warmUpMs = tcpFills(condition, direction) ? slowStartMs(condition, direction) : 500;
  return { seconds, warmUpMs, offeredKbps: undefined, timeoutMs: rttOf(condition) + spreadMs(shape) + drainMs(shape) + 100 };
}

const maxWarmUpMs = 2_000;
const initialWindowBytes = 10 * 1_448;
/** Largest window of Linux by default: half of net.ipv4.tcp_rmem's 6 MiB. */
const maxWindowBytes = 3 * 1024 * 1024;

/**
 * True if one TCP connection should reach the rate, so that it can be judged by it. It can't where packets are lost, late or out of
 * order by themselves (the window follows that, Mathis et al. 1997), where it would still be in slow start when measured, where pipe and
 * queue are larger than its window, and where the queue is shorter than the pipe: 0.43 of it would do for CUBIC's window after one loss
 * (0.7 of before, RFC 9438), but what slow start overshoots loses more, and it takes long to come back.
 */
export function tcpFills(condition: Condition, direction: Direction): boolean {
  const shape = condition[direction];
  if (shape.rateKbps === undefined) return false;
  for (const { loss, jitter, reorder, duplicateShare = 0 } of [condition.up, condition.down])
    if (loss !== undefined || jitter !== undefined || reorder !== undefined || duplicateShare > 0) return false;
  const pipe = pipeBytes(condition, direction);
  const queue = queueBytesOf(shape) ?? 0;
  return queue >= pipe && pipe + queue <= maxWindowBytes && slowStartMs(condition, direction) <= maxWarmUpMs;
}

const pipeBytes = (condition: Condition, direction: Direction) => ((condition[direction].rateKbps ?? 0) / 8) * rttOf(condition);

/** Doublings of the first window until the pipe is full, and one round trip more. */
function slowStartMs(condition: Condition, direction: Direction): number {
  const doublings = Math.max(0, Math.log2(pipeBytes(condition, direction) / initialWindowBytes));
  return 200 + (doublings + 1) * rttOf(condition);
}

/** The longest that a packet may come after its delay: netem's tables end at four deviations. */
const spreadMs = ({ jitter }: Shape) => 4 * (jitter?.ms ?? 0);

/** How long a full queue takes to empty. */
const drainMs = (shape: Shape) => ((queueBytesOf(shape) ?? 0) * 8) / (shape.rateKbps ?? Number.POSITIVE_INFINITY);
