// Holes: bytes of a QUIC stream that are missing while later ones are there. Nothing behind one can be used, and it lasts a round trip or more where
// a packet was lost.
import type { CappedStream, Hole } from '@pronghorn/core/schemas';
import { UnknownShape } from './events.ts';
import type { QuicConnection } from './quic.ts';

interface Missing {
  from: number;
  to: number;
  hole: Hole;
  openedMs: number;
  foreignBefore: number;
}

/**
 * @returns the holes of all streams in the order in which they were filled; packets that only overtook each other make short ones
 * @throws UnknownShape where bytes are missing to the end on a stream that nobody reset: then frames are missing in the log, or the visit was cut
 */
export function holesOf({ frames, reset }: Pick<QuicConnection, 'frames' | 'reset'>): Hole[] {
  const streams = new Map<number, { end: number; bytes: number; missing: Missing[] }>();
  const filled: Hole[] = [];
  let allBytes = 0;
  for (const { atMs, stream, offset, length } of frames) {
    const state = streams.get(stream) ?? { end: 0, bytes: 0, missing: [] };
    streams.set(stream, state);
    const to = offset + length;
    state.missing = state.missing.flatMap((gap) => {
      const left = [
        { ...gap, to: Math.min(gap.to, offset) },
        { ...gap, from: Math.max(gap.from, to) },
      ].filter((part) => part.from < part.to);
      if (left.length > 0) return left;
      gap.hole.ms = Math.max(gap.hole.ms, atMs - gap.openedMs);
      gap.hole.foreignBytes = Math.max(gap.hole.foreignBytes, allBytes - state.bytes - gap.foreignBefore);
      if (!filled.includes(gap.hole)) filled.push(gap.hole);
      return [];
    });
    if (offset > state.end) {
      const hole = { stream, offset: state.end, length: offset - state.end, ms: 0, foreignBytes: 0 };
      state.missing.push({ from: state.end, to: offset, hole, openedMs: atMs, foreignBefore: allBytes - state.bytes });
    }
    state.end = Math.max(state.end, to);
    state.bytes += length;
    allBytes += length;
  }
  for (const [stream, { missing }] of streams) {
    const [gap] = missing;
    if (gap !== undefined && !reset.has(stream))
      throw new UnknownShape(`Bytes ${gap.from} to ${gap.to} of stream ${stream} are nowhere in the log.`);
  }
  return filled;
}

// Streams that something else than the network holds back: the same bytes in each round trip.

/** Fewer may be similar by chance. */
const minAlike = 4;
/** One packet more or less. */
const packetBytes = 1_500;
/** Smaller ones a congestion window may make too: it starts at ten packets. */
const minWindowBytes = 16_384;

/**
 * A stream is capped where, again and again, a burst of the same size comes and then nothing until the next round trip. Without loss a congestion window
 * grows from one round trip to the next, a slow link sends all the time, and a server that has nothing to send keeps no such time: so what is left is a
 * window of the stream, such as nginx's `http3_stream_buffer_size` (64 KB by default).
 *
 * @param rttMs of the connection
 * @throws UnknownShape where a packet is missing that came before or meanwhile: after a loss a congestion window may stand still for long; and for an event that is not known
 */
export function cappedStreams(
  { frames, packets, unknownType }: Pick<QuicConnection, 'frames' | 'packets' | 'unknownType'>,
  rttMs: number,
): CappedStream[] {
  if (unknownType !== null) throw new UnknownShape(`${unknownType} is an unknown event.`);
  const capped: CappedStream[] = [];
  for (const [stream, ofStream] of Map.groupBy(frames, (frame) => frame.stream)) {
    const bursts = burstsOf(ofStream, rttMs / 4);
    // The last one is what was left.
    const run = maxAlike(bursts.slice(0, -1), rttMs);
    if (run === undefined) continue;
    const { first, count } = run;
    const to = bursts[first + count]?.packet ?? 0;
    const from = packets.reduce((min, packet) => Math.min(min, packet), to);
    const there = new Set(packets.filter((packet) => packet <= to)).size;
    if (there !== to - from + 1) throw new UnknownShape(`Stream ${stream} stalled after packets were lost.`);
    capped.push({ stream, windowBytes: bursts[first]?.bytes ?? 0, roundTrips: count });
  }
  return capped;
}

interface Burst {
  atMs: number;
  bytes: number;
  /** Its first. */
  packet: number;
}

function burstsOf(frames: QuicConnection['frames'], gapMs: number): Burst[] {
  const bursts: Burst[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { atMs, length, packet } of frames) {
    const last = bursts.at(-1);
    if (last === undefined || atMs - lastMs > gapMs) bursts.push({ atMs, bytes: length, packet });
    else last.bytes += length;
    lastMs = atMs;
  }
  return bursts;
}

function maxAlike(bursts: readonly Burst[], rttMs: number): { first: number; count: number } | undefined {
  let best: { first: number; count: number } | undefined;
  for (let first = 0; first < bursts.length; first++) {
    const { bytes } = bursts[first] as Burst;
    let count = 1;
    for (let next = bursts[first + 1]; next !== undefined; next = bursts[first + count]) {
      const sinceMs = next.atMs - (bursts[first + count - 1] as Burst).atMs;
      if (Math.abs(next.bytes - bytes) > packetBytes || sinceMs < 0.8 * rttMs || sinceMs > 1.4 * rttMs) break;
      count += 1;
    }
    if (bytes >= minWindowBytes && count >= minAlike && count > (best?.count ?? 0)) best = { first, count };
  }
  return best;
}
