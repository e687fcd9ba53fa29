// The time limit of a load: several times what its page can need under its condition.
import type { Condition } from '../schemas/condition.ts';
import { lossShareOf, rttOf } from './shaping.ts';

/** Limits of the automatic timeout, milliseconds. */
export const [minAutoTimeoutMs, maxAutoTimeoutMs] = [60_000, 600_000] as const;
/** Multiple of the time that the bytes alone need: a page's load event also waits for scripts, and for servers. */
const margin = 3;
/** Connections, redirects and objects that lead to further objects, one after the other. */
const roundTrips = 40;
/** A full segment, bytes. */
const segmentBytes = 1_460;
/** √(3/2), without delayed acknowledgements: Mathis et al. 1997, The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm. */
const mathis = 1.22;
/** Round trip of the path besides the condition's: loss without any delay would bound nothing. */
const ownRttMs = 20;

/**
 * The time limit of a load without a fixed one: three times the time that its bytes need at the condition's rate, plus forty round trips;
 * at least a minute, at most ten.
 *
 * The rate is that of the bottleneck downwards, or of one connection through the condition's loss, whichever is lower: HTTP/2 and HTTP/3
 * use one connection per host, and a page gets most of its bytes from few hosts. Only loss in the direction of the data counts; loss
 * upwards, of requests and acknowledgements, costs round trips.
 *
 * @param pageBytes received at discovery; null: unknown
 */
export function autoLoadTimeoutMs(condition: Condition, pageBytes: number | null): number {
  const rttMs = rttOf(condition) + ownRttMs;
  const bitsPerMs = Math.min(condition.down.rateKbps ?? Number.POSITIVE_INFINITY, throughputOf(lossShareOf(condition.down), rttMs));
  const bytesMs = ((pageBytes ?? 0) * 8) / bitsPerMs;
  const tripsMs = (roundTrips * rttMs) / (1 - Math.min(lossShareOf(condition.up), 0.9));
  return Math.round(Math.min(Math.max(margin * bytesMs + tripsMs, minAutoTimeoutMs), maxAutoTimeoutMs));
}

/** Rate of one connection, bits per millisecond. */
function throughputOf(lossShare: number, rttMs: number): number {
  return lossShare === 0 ? Number.POSITIVE_INFINITY : (segmentBytes * 8 * mathis) / (rttMs * Math.sqrt(lossShare));
}
