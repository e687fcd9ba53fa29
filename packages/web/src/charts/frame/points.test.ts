import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blit } from './points.ts';

const opaque = 0xff0000ff;
const faint = 0x330000ff;
const stamp = { size: 2, pixels: Uint32Array.from([opaque, opaque, opaque, opaque]) };

test('a mark is put where it belongs', () => {
  const pixels = new Uint32Array(16);
  blit(pixels, 4, 4, stamp, 1, 2);
  assert.deepEqual(
    [...pixels].flatMap((pixel, i) => (pixel === 0 ? [] : [i])),
    [9, 10, 13, 14],
  );
});

test('of a mark at the edge, or outside, nothing comes in at the other side', () => {
  const pixels = new Uint32Array(16);
  blit(pixels, 4, 4, stamp, 3, -1);
  assert.deepEqual(
    [...pixels].flatMap((pixel, i) => (pixel === 0 ? [] : [i])),
    [3],
  );
  blit(pixels, 4, 4, stamp, -5, 1);
  blit(pixels, 4, 4, stamp, 0, 9);
  assert.equal(pixels.filter((pixel) => pixel !== 0).length, 1);
});

test('the faint edge of a mark does not rub out another', () => {
  const pixels = new Uint32Array(16).fill(opaque);
  blit(pixels, 4, 4, { size: 1, pixels: Uint32Array.from([faint]) }, 1, 1);
  assert.equal(pixels[5], opaque);
});
