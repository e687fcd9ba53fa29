import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownShape } from './finding.ts';
import { holesOf } from './holes.ts';

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
