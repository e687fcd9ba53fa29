import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { random } from './painting.ts';
import { encodePng, type Picture } from './png.ts';

function noisy(width: number, height: number): Picture {
  const chance = random(1);
  return { width, height, rgb: Uint8Array.from({ length: width * height * 3 }, () => chance.int(0, 255)) };
}

/** Chunks by the specification: length, type, content, CRC of type and content. */
function chunks(png: Buffer): { type: string; content: Buffer }[] {
  const found = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const content = png.subarray(at + 8, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(png.subarray(at + 4, at + 8 + length)), 'the CRC fits');
    found.push({ type: png.toString('latin1', at + 4, at + 8), content });
    at += 12 + length;
  }
  return found;
}

test('a picture comes out of a PNG as it went in, at every level of compression', async () => {
  const picture = noisy(7, 5);
  for (const level of [0, 1, 9]) {
    const png = await encodePng(picture, level);
    assert.equal(png.toString('hex', 0, 8), '89504e470d0a1a0a');
    const [header, body, end] = chunks(png);
    assert.deepEqual([header?.type, body?.type, end?.type], ['IHDR', 'IDAT', 'IEND']);
    assert.deepEqual([header?.content.readUInt32BE(0), header?.content.readUInt32BE(4)], [7, 5]);
    const scanlines = inflateSync(body?.content as Buffer);
    const pixels: number[] = [];
    for (let row = 0; row < 5; row++) {
      const line = scanlines.subarray(row * 22, row * 22 + 22);
      const filter = level === 0 ? 0 : 1;
      assert.equal(line[0], filter);
      for (let i = 1; i < 22; i++) pixels.push(((line[i] as number) + (filter === 1 && i > 3 ? (pixels.at(-3) as number) : 0)) & 255);
    }
    assert.deepEqual(Uint8Array.from(pixels), picture.rgb);
  }
});

test('pixels that do not fill the picture are refused with both numbers', async () => {
  await assert.rejects(encodePng({ width: 2, height: 2, rgb: new Uint8Array(11) }), /2×2 has 12 bytes of RGB, not 11/);
});
