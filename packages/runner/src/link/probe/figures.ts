// Computes loss, order, one-way delays and rates from the stamps of both ends. Pure.
import { summarise } from '@pronghorn/core/verdict';
import type { Stamps } from './messages.ts';

export interface Delays {
  meanMs: number;
  p50Ms: number;
  p99Ms: number;
  packets: number;
}

export interface OneWay {
  sent: number;
  /** Packets without duplicates. */
  received: number;
  lost: number;
  duplicates: number;
  /** Packets that came after one sent later (RFC 4737, section 3: a number below the highest that came). */
  reordered: number;
  delay: Delays | null;
}

export function delaysOf(ms: readonly number[]): Delays | null {
  if (ms.length === 0) return null;
  const { mean, median, p99 } = summarise(ms);
  return { meanMs: mean, p50Ms: median, p99Ms: p99, packets: ms.length };
}

/** @param departedNs by the packets' numbers */
export function oneWayOf(departedNs: Float64Array, arrivals: Stamps): OneWay {
  const delays: number[] = [];
  const seen = new Uint8Array(departedNs.length);
  let highest = -1;
  let duplicates = 0;
  let reordered = 0;
  for (let index = 0; index < arrivals.numbers.length; index++) {
    const number = arrivals.numbers[index] as number;
    const departed = departedNs[number];
    if (departed === undefined) continue;
    if (seen[number] === 1) {
      duplicates++;
      continue;
    }
    seen[number] = 1;
    if (number < highest) reordered++;
    else highest = number;
    delays.push(((arrivals.ns[index] as number) - departed) / 1e6);
  }
  const sent = departedNs.length;
  return { sent, received: delays.length, lost: sent - delays.length, duplicates, reordered, delay: delaysOf(delays) };
}

/**
 * Kilobits a second that came in a window, from the last arrival before it to the first one after it, so that the
 * size of a packet doesn't blur a slow rate.
 *
 * @param ns times of arrivals, rising
 * @param total bytes that had come at each of them
 * @param warmUpMs from the first arrival to the window
 */
export function rateOf(ns: ArrayLike<number>, total: ArrayLike<number>, warmUpMs: number, seconds: number): number {
  const first = ns[0];
  if (first === undefined) return 0;
  const from = first + warmUpMs * 1e6;
  const to = from + seconds * 1e9;
  let begin = 0;
  while (begin + 1 < ns.length && (ns[begin + 1] as number) <= from) begin++;
  let end = begin;
  while (end + 1 < ns.length && (ns[end] as number) < to) end++;
  // A stream that ended before the window did has stalled, and that counts.
  const spent = Math.max(ns[end] as number, to) - (ns[begin] as number);
  return (((total[end] as number) - (total[begin] as number)) * 8e6) / spent;
}
