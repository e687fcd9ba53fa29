import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownShape } from './events.ts';
import { cappedStreams, holesOf } from './streams.ts';

const frame = (atMs: number, stream: number, offset: number, length: number) => ({ atMs, stream, offset, length, packet: atMs });
const holes = (frames: ReturnType<typeof frame>[], reset: number[] = []) => holesOf({ frames, reset: new Set(reset) });

test('a hole lasts from the first byte behind it to its last missing one, and counts what came of other streams', () => {
  const found = holes([frame(0, 0, 0, 100), frame(1, 0, 200, 100), frame(2, 4, 0, 500), frame(3, 0, 300, 100), frame(101, 0, 100, 100)]);
  assert.deepEqual(found, [{ stream: 0, offset: 100, length: 100, ms: 100, foreignBytes: 500 }]);
});

test('a hole that is filled in parts is one hole, as long as its last part', () => {
  const found = holes([frame(0, 0, 300, 10), frame(5, 0, 100, 100), frame(10, 4, 0, 50), frame(20, 0, 0, 100), frame(30, 0, 200, 100)]);
  assert.deepEqual(found, [{ stream: 0, offset: 0, length: 300, ms: 30, foreignBytes: 50 }]);
});

test('streams in order and frames that come twice have none', () => {
  assert.deepEqual(holes([frame(0, 0, 0, 100), frame(1, 4, 0, 100), frame(2, 0, 100, 100), frame(3, 0, 0, 200)]), []);
});

test('bytes that are missing to the end make it unknown, but for a stream that was reset', () => {
  const frames = [frame(0, 0, 0, 100), frame(1, 0, 200, 100)];
  assert.throws(() => holes(frames), new UnknownShape('Bytes 100 to 200 of stream 0 are nowhere in the log.'));
  assert.deepEqual(holes(frames, [0]), []);
});

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

test('a link that is busy all the time shows no cap: there are no bursts', () => {
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
