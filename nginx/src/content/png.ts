// A PNG encoder (W3C PNG, third edition) for what this project paints: 8-bit RGB, no interlacing.
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

export interface Picture {
  width: number;
  height: number;
  /** Three bytes for each pixel, row by row. */
  rgb: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const bytesPerPixel = 3;
const deflated = promisify(deflate) as (bytes: Uint8Array, options: { level: number }) => Promise<Buffer>;

/**
 * Encodes a picture. `level` is zlib's (0–9). Compression runs in libuv's pool: many pictures encode on all cores.
 * @throws {RangeError} when rgb doesn't hold exactly width × height pixels.
 */
export async function encodePng({ width, height, rgb }: Picture, level = 6): Promise<Buffer> {
  const rowBytes = width * bytesPerPixel;
  if (rgb.length !== rowBytes * height) {
    throw new RangeError(`a picture of ${width}×${height} has ${rowBytes * height} bytes of RGB, not ${rgb.length}`);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, truecolour, zlib, adaptive filters, not interlaced
  const scanlines = await deflated(filteredRows(rgb, rowBytes, level === 0 ? 0 : 1), { level });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', scanlines), chunk('IEND', Buffer.alloc(0))]);
}

/**
 * Every row with filter 1 (Sub), the difference from the pixel to the left, which suits painted gradients; or with
 * filter 0 (None) where nothing will be compressed.
 */
function filteredRows(rgb: Uint8Array, rowBytes: number, filter: 0 | 1): Uint8Array {
  const rows = rgb.length / rowBytes;
  const filtered = new Uint8Array(rgb.length + rows);
  for (let row = 0; row < rows; row++) {
    const from = row * rowBytes;
    const to = from + row + 1;
    filtered[to - 1] = filter;
    filtered.set(rgb.subarray(from, filter === 0 ? from + rowBytes : from + bytesPerPixel), to);
    if (filter === 0) continue;
    for (let i = bytesPerPixel; i < rowBytes; i++) {
      filtered[to + i] = (rgb[from + i] as number) - (rgb[from + i - bytesPerPixel] as number);
    }
  }
  return filtered;
}

function chunk(type: string, content: Uint8Array): Buffer {
  const bytes = Buffer.alloc(content.length + 12);
  bytes.writeUInt32BE(content.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(content, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length);
  return bytes;
}
