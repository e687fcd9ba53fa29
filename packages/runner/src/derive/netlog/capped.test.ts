import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cappedStreams } from './capped.ts';
import { UnknownShape } from './finding.ts';

const rttMs = 100;

/** One packet each 0.1 ms in each round trip; sizes in bytes by round trip. */
function bursts(sizes: readonly number[], { everyMs = rttMs, spreadMs = 0.1, without = [] as number[] } = {}) {
  let [packet, offset] = [0, 0];
  const frames = sizes.flatMap((bytes, trip) =>
    Array.from({ length: Math.ceil(bytes / 1_000) }, (_, i) => {
      const length = Math.min(1_000, bytes - i * 1_000);
      const made = { atMs: trip * everyMs + i * spreadMs, stream: 8, offset, length, packet: packet++ };
      offset += length;
      return made;
    }),
  );
  return { frames, packets: frames.map((frame) => frame.packet).filter((one) => !without.includes(one)), unknownType: null };
}

test('a stream that gets the same bytes in each round trip is capped', () => {
  const grows = [12_000, 24_000, 48_000];
  assert.deepEqual(cappedStreams(bursts([...grows, 65_536, 65_536, 65_000, 65_536, 30_000]), rttMs), [
    { stream: 8, windowBytes: 65_536, roundTrips: 4 },
  ]);
});

test('a window that grows, three round trips alike, or windows of another time than a round trip are no cap', () => {
  assert.deepEqual(cappedStreams(bursts([12_000, 24_000, 48_000, 96_000, 192_000, 100_000]), rttMs), []);
  assert.deepEqual(cappedStreams(bursts([65_000, 65_000, 65_000, 20_000]), rttMs), []);
  assert.deepEqual(cappedStreams(bursts([65_000, 65_000, 65_000, 65_000, 65_000, 9_000], { everyMs: 250 }), rttMs), []);
});

test('a link that is busy all the time caps nobody: there are no bursts', () => {
  assert.deepEqual(cappedStreams(bursts([65_000, 65_000, 65_000, 65_000, 65_000, 65_000], { spreadMs: 100 / 65 }), rttMs), []);
});

test('with packets missing it is not known: a congestion window may stand still after a loss', () => {
  const lossy = bursts([65_000, 65_000, 65_000, 65_000, 65_000, 9_000], { without: [70] });
  assert.throws(() => cappedStreams(lossy, rttMs), UnknownShape);
});

test('nor is it after a loss at the start: from there on a congestion window may stay as it is', () => {
  const sizes = [12_000, 24_000, 48_000, 65_000, 65_000, 65_000, 65_000, 65_000, 9_000];
  assert.throws(() => cappedStreams(bursts(sizes, { without: [20] }), rttMs), UnknownShape);
});
