// Frames → SpeedIndex, first and last visual change.
import speedline, { type TraceEvent } from 'speedline-core';
import type { Frame } from '../gather/evidence.ts';

export interface VisualProgress {
  speedIndex: number;
  firstVisualChange: number;
  lastVisualChange: number;
}

/**
 * SpeedIndex by speedline (histograms of the viewport's frames against the last one), milliseconds since navigation start.
 *
 * Speedline reads traces, so frames become its screenshot events. The viewport is taken to be white at navigation start.
 * Source: Meenan's SpeedIndex, https://docs.webpagetest.org/metrics/speedindex/
 *
 * @param timeOrigin navigation start, milliseconds since the epoch
 * @returns null when no frame shows anything
 */
export async function visualProgress(frames: readonly Frame[], timeOrigin: number): Promise<VisualProgress | null> {
  const shown = withoutRepeats(frames.filter(({ timestamp }) => timestamp >= timeOrigin));
  if (shown.length === 0) return null;
  const events: TraceEvent[] = shown.map(({ timestamp, jpegBase64 }) => ({
    tid: 1,
    cat: 'disabled-by-default-devtools.screenshot',
    name: 'Screenshot',
    ts: timestamp * 1_000,
    dur: 0,
    args: { snapshot: jpegBase64 },
  }));
  const result = await speedline(events, { timeOrigin: timeOrigin * 1_000, include: 'speedIndex' });
  // Progress is a share of the way from white to the last frame, so a last frame that is white has none.
  const changes = result.frames.filter((frame, index) => index > 0 && frame.getProgress() !== result.frames[index - 1]?.getProgress());
  const [first] = changes;
  const last = changes.at(-1);
  if (first === undefined || last === undefined || !(result.speedIndex > 0)) return null;
  return {
    speedIndex: result.speedIndex,
    firstVisualChange: first.getTimeStamp() - timeOrigin,
    lastVisualChange: last.getTimeStamp() - timeOrigin,
  };
}

/** Each frame costs a JPEG to decode; one that equals the frame before it tells nothing. */
function withoutRepeats(frames: readonly Frame[]): Frame[] {
  return frames.filter((frame, index) => frame.jpegBase64 !== frames[index - 1]?.jpegBase64);
}
