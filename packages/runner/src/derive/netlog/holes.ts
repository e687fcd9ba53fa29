// Holes: bytes of a QUIC stream that are missing while later ones are there. Nothing behind one can be used, and it lasts a round trip or more where
// a packet was lost.
import type { Hole } from '@pronghorn/core/schemas';
import { UnknownShape } from './finding.ts';
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
