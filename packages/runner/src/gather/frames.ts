// Bounds the pictures of a visit by their bytes: what paints for a minute at 60 frames a second would make a hundred megabytes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import sharp from 'sharp';
import type { DroppedFrame, Frame } from './evidence.ts';

/** Characters of pictures that evidence keeps: a quarter of what the service takes. */
const maxCharacters = 12_000_000;

/**
 * Keeps all frames where they are few. Else every second picture goes, again and again until the rest fits, and of each that goes its
 * colours stay, so that SpeedIndex is the same. The first and the last one stay.
 */
export async function boundFrames(
  frames: readonly Frame[],
  max: number = maxCharacters,
): Promise<{ frames: Frame[]; dropped?: DroppedFrame[] }> {
  let remaining = [...frames];
  const gone: Frame[] = [];
  while (remaining.length > 2 && remaining.reduce((sum, { jpegBase64 }) => sum + jpegBase64.length, 0) > max) {
    const last = remaining.length - 1;
    gone.push(...remaining.filter((_, index) => index % 2 === 1 && index !== last));
    remaining = remaining.filter((_, index) => index % 2 === 0 || index === last);
  }
  if (gone.length === 0) return { frames: remaining };
  const dropped: DroppedFrame[] = [];
  for (const { timestamp, jpegBase64 } of gone.sort((a, b) => a.timestamp - b.timestamp))
    dropped.push({ timestamp, histogram: packHistogram(await histogramOf(jpegBase64)) });
  return { frames: remaining, dropped };
}

// The colours of a frame, which is all that SpeedIndex looks at.

/** Counts pixels per value of each colour channel, without white pixels. */
export type Histogram = Uint32Array;

export const channels = 3;
export const levels = 256;
/** A pixel with at least this value in all channels is white (speedline's threshold). */
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

/** Text form: little-endian counts, deflated, in Base64; about a kilobyte. */
function packHistogram(counts: Histogram): string {
  const bytes = Buffer.alloc(counts.length * 4);
  for (const [index, count] of counts.entries()) bytes.writeUInt32LE(count, index * 4);
  return deflateRawSync(bytes).toString('base64');
}

export function unpackHistogram(packed: string): Histogram {
  const bytes = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: channels * levels * 4 });
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4));
}
