// The colours of a frame, which is all that SpeedIndex looks at.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import sharp from 'sharp';

/** For each colour channel, how many pixels have each value; white pixels are left out. */
export type Histogram = Uint32Array;

export const channels = 3;
export const levels = 256;
/** From this value in all channels on, a pixel is white (speedline's threshold). */
const white = 249;

export async function histogramOf(jpegBase64: string): Promise<Histogram> {
  const pixels = await sharp(Buffer.from(jpegBase64, 'base64')).toColourspace('srgb').removeAlpha().raw().toBuffer();
  const counts = new Uint32Array(channels * levels);
  for (let i = 0; i + 2 < pixels.length; i += channels) {
    const red = pixels[i] as number;
    const green = pixels[i + 1] as number;
    const blue = pixels[i + 2] as number;
    if (red >= white && green >= white && blue >= white) continue;
    (counts[red] as number)++;
    (counts[levels + green] as number)++;
    (counts[2 * levels + blue] as number)++;
  }
  return counts;
}

/** As text: little-endian counts, deflated, in Base64; about a kilobyte. */
export function packHistogram(counts: Histogram): string {
  const bytes = Buffer.alloc(counts.length * 4);
  for (const [index, count] of counts.entries()) bytes.writeUInt32LE(count, index * 4);
  return deflateRawSync(bytes).toString('base64');
}

export function unpackHistogram(packed: string): Histogram {
  const bytes = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: channels * levels * 4 });
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4));
}
