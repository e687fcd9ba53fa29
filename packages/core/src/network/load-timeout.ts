// The time limit of a load: several times what its page can need under its condition.
import type { Condition } from '../schemas/condition.ts';
import { lossShareOf, rttOf } from './shaping.ts';

/** As the campaign's limits allow it, milliseconds. */
export const [shortestAutoTimeoutMs, longestAutoTimeoutMs] = [60_000, 600_000] as const;
/** Of what the bytes alone need: a page's load event also waits for scripts, and for servers. */
const margin = 3;
/** Connections, redirects and objects that name further objects, one after the other. */
const roundTrips = 40;
/** Of a full segment, bytes. */
const segmentBytes = 1_460;
/** √(3/2), without delayed acknowledgements: Mathis et al. 1997, The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm. */
const mathis = 1.22;
/** The path beside what the condition adds: loss without any delay would bound nothing. */
const ownRttMs = 20;

/**
 * The time limit of a load where none is fixed: three times what its bytes need at the rate that the condition leaves, and forty round trips;
 * at least a minute, at most ten.
 *
 * The rate is the bottleneck's downwards, or what one connection gets through the condition's loss, whichever is less: HTTP/2 and HTTP/3 have
 * one for each host, and a page has most of its bytes from few. Loss counts in the direction of the data alone; what is lost upwards, requests
 * and acknowledgements, costs round trips.
 *
 * @param pageBytes received at discovery; null: not known
 */
export function autoLoadTimeoutMs(condition: Condition, pageBytes: number | null): number {
  const rttMs = rttOf(condition) + ownRttMs;
  const bitsPerMs = Math.min(condition.down.rateKbps ?? Number.POSITIVE_INFINITY, throughputOf(lossShareOf(condition.down), rttMs));
  const bytesMs = ((pageBytes ?? 0) * 8) / bitsPerMs;
  const tripsMs = (roundTrips * rttMs) / (1 - Math.min(lossShareOf(condition.up), 0.9));
  return Math.round(Math.min(Math.max(margin * bytesMs + tripsMs, shortestAutoTimeoutMs), longestAutoTimeoutMs));
}

/** Of one connection, bits a millisecond. */
function throughputOf(lossShare: number, rttMs: number): number {
  return lossShare === 0 ? Number.POSITIVE_INFINITY : (segmentBytes * 8 * mathis) / (rttMs * Math.sqrt(lossShare));
}
