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

// A picture much reduced, by which two pages are told apart.

const reduced = { width: 32, height: 18 } as const;
/** Levels by which a reduced pixel may differ and show the same: text that is set a pixel further, an edge that JPEG blurs. */
const pixelSlop = 32;

/** @returns RGB of 32 × 18 pixels, in Base64 */
export async function reducedPicture(jpegBase64: string): Promise<string> {
  const { width, height } = reduced;
  const image = sharp(Buffer.from(jpegBase64, 'base64')).toColourspace('srgb').removeAlpha();
  return (await image.resize(width, height, { fit: 'fill' }).raw().toBuffer()).toString('base64');
}

/** Share of their pixels in which two reduced pictures differ. */
export function pictureDifference(one: string, other: string): number {
  const [a, b] = [Buffer.from(one, 'base64'), Buffer.from(other, 'base64')];
  let differing = 0;
  for (let at = 0; at + 2 < a.length; at += channels) {
    const differs = (channel: number) => Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0)) > pixelSlop;
    if (differs(0) || differs(1) || differs(2)) differing += 1;
  }
  return differing / (reduced.width * reduced.height);
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

/** How many pixels a frame has, white ones among them. */
export async function pixelsOfFrame(jpegBase64: string): Promise<number> {
  const { width, height } = await sharp(Buffer.from(jpegBase64, 'base64')).metadata();
  return width * height;
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
