// Bounds the pictures of a visit by their bytes: what paints for a minute at 60 frames a second would make a hundred megabytes.
import { histogramOf, packHistogram } from '../derive/histogram.ts';
import type { DroppedFrame, Frame } from './evidence.ts';

/** Characters of pictures that evidence keeps: a quarter of what the service takes. */
const mostCharacters = 12_000_000;

/**
 * Keeps all frames where they are few. Else every second picture goes, again and again until the rest fits, and of each that goes its
 * colours stay, so that SpeedIndex is the same. The first and the last one stay.
 */
export async function boundFrames(
  frames: readonly Frame[],
  most: number = mostCharacters,
): Promise<{ frames: Frame[]; dropped?: DroppedFrame[] }> {
  let kept = [...frames];
  const gone: Frame[] = [];
  while (kept.length > 2 && kept.reduce((sum, { jpegBase64 }) => sum + jpegBase64.length, 0) > most) {
    const last = kept.length - 1;
    gone.push(...kept.filter((_, index) => index % 2 === 1 && index !== last));
    kept = kept.filter((_, index) => index % 2 === 0 || index === last);
  }
  if (gone.length === 0) return { frames: kept };
  const dropped: DroppedFrame[] = [];
  for (const { timestamp, jpegBase64 } of gone.sort((a, b) => a.timestamp - b.timestamp))
    dropped.push({ timestamp, histogram: packHistogram(await histogramOf(jpegBase64)) });
  return { frames: kept, dropped };
}
