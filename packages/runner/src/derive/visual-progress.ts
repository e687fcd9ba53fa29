// Frames → SpeedIndex, first and last visual change.
import type { ProgressPoint } from '@pronghorn/core/schemas';
import type { DroppedFrame, Frame } from '../gather/evidence.ts';
import { channels, type Histogram, histogramOf, levels, unpackHistogram } from '../gather/frames.ts';

export interface VisualProgress {
  speedIndex: number;
  firstVisualChange: number;
  lastVisualChange: number;
  /** Completeness at each frame since navigation start, in their order. */
  curve: ProgressPoint[];
}

/**
 * SpeedIndex and its moments, milliseconds since navigation start.
 *
 * SpeedIndex is the area above the curve of visual completeness, ∫ (1 − VC(t)) dt from navigation start (Meenan,
 * https://docs.webpagetest.org/metrics/speedindex/). Completeness is as speedline (Lighthouse) and
 * visualmetrics.py (WebPageTest, browsertime) have it: the part of the last frame's histogram that a frame has already. The viewport is white at
 * navigation start, and white pixels count as blank. How it differs from both: docs/decisions/0003-speed-index.md.
 *
 * @param timeOrigin navigation start, milliseconds since the epoch
 * @param dropped frames of which no more than the colours were kept
 * @returns null when no frame shows anything
 */
export async function visualProgress(
  frames: readonly Frame[],
  timeOrigin: number,
  dropped: readonly DroppedFrame[] = [],
): Promise<VisualProgress | null> {
  const shown = [...frames, ...dropped].filter(({ timestamp }) => timestamp >= timeOrigin).sort((a, b) => a.timestamp - b.timestamp);
  const histograms: Histogram[] = [];
  for (const [index, frame] of shown.entries()) {
    histograms.push(await coloursOf(frame, shown[index - 1], histograms[index - 1]));
  }
  const target = histograms.at(-1);
  if (target === undefined || target.every((count) => count === 0)) return null;

  let speedIndex = 0;
  let completeness = 0;
  let at = timeOrigin;
  const changes: number[] = [];
  const curve: ProgressPoint[] = [];
  for (const [index, frame] of shown.entries()) {
    speedIndex += (frame.timestamp - at) * (1 - completeness);
    at = frame.timestamp;
    const now = similarity(histograms[index] as Histogram, target);
    if (now !== completeness) changes.push(frame.timestamp - timeOrigin);
    completeness = now;
    curve.push({ atMs: at - timeOrigin, completeness });
  }
  return { speedIndex, firstVisualChange: changes[0] ?? 0, lastVisualChange: changes.at(-1) ?? 0, curve };
}

async function coloursOf(
  frame: Frame | DroppedFrame,
  previous: Frame | DroppedFrame | undefined,
  before: Histogram | undefined,
): Promise<Histogram> {
  if ('histogram' in frame) return unpackHistogram(frame.histogram);
  const same = previous !== undefined && 'jpegBase64' in previous && previous.jpegBase64 === frame.jpegBase64;
  return same && before !== undefined ? before : await histogramOf(frame.jpegBase64);
}

/**
 * Levels by which two values may differ and be taken for the same: visualmetrics.py's. Without it the noise that JPEG puts
 * around each edge makes a finished area look unfinished as long as its neighbour is missing.
 */
const slop = 5;

/** Share of the target's pixels, value by value, that a histogram has too; equal values are matched first, then nearer ones. */
function similarity(current: Histogram, target: Histogram): number {
  const available = current.slice();
  const wanted = target.slice();
  let total = 0;
  let match = 0;
  for (const count of target) total += count;
  for (const distance of distances) {
    for (let channel = 0; channel < channels; channel++) {
      const start = channel * levels;
      for (let level = Math.max(0, -distance); level < Math.min(levels, levels - distance); level++) {
        const at = start + level;
        const matched = Math.min(wanted[at] as number, available[at + distance] as number);
        if (matched === 0) continue;
        (wanted[at] as number) -= matched;
        (available[at + distance] as number) -= matched;
        match += matched;
      }
    }
  }
  return match / total;
}

/** 0, −1, 1, −2, 2, … */
const distances = Array.from({ length: 2 * slop + 1 }, (_, i) => (i % 2 === 0 ? i / 2 : -(i + 1) / 2));
