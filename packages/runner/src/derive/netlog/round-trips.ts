// What a connection did in each round trip.
import type { Handshake } from '@pronghorn/core/schemas';
import { UnknownShape } from './finding.ts';

/** On a shorter path what browser and server compute takes as long as the way. */
const shortestRttMs = 5;
/** Later ones depend on the page more than on the connection. */
const mostRoundTrips = 20;

/** @throws UnknownShape where no round trip was measured, or one too short to count by */
export function handshakeOf({
  handshakeMs,
  rttMs,
  early = false,
}: {
  handshakeMs: number | null;
  rttMs: number | null;
  early?: boolean;
}): Handshake {
  if (handshakeMs === null) throw new UnknownShape('No handshake ends in the log.');
  if (early) return { ms: 0, roundTrips: 0 };
  return { ms: handshakeMs, roundTrips: Math.round((handshakeMs / roundTrip(rttMs)) * 10) / 10 };
}

/**
 * Bytes of each round trip since the first byte of a response, up to the twentieth or the last that has any: how the sender's window grows.
 *
 * @throws UnknownShape as `handshakeOf`
 */
export function bytesByRoundTrip(arrivals: readonly { atMs: number; bytes: number }[], rttMs: number | null): number[] {
  const rtt = roundTrip(rttMs);
  const [first] = arrivals;
  const sums: number[] = [];
  for (const { atMs, bytes } of arrivals) {
    const index = Math.floor((atMs - (first?.atMs ?? 0)) / rtt);
    if (index < mostRoundTrips) sums[index] = (sums[index] ?? 0) + bytes;
  }
  return Array.from(sums, (sum) => sum ?? 0);
}

/** @throws UnknownShape */
export function roundTrip(rttMs: number | null): number {
  if (rttMs === null) throw new UnknownShape('No round trip was measured.');
  if (rttMs < shortestRttMs)
    throw new UnknownShape(`A round trip of ${rttMs.toFixed(1)} ms is too short to count by: computing takes as long.`);
  return rttMs;
}
