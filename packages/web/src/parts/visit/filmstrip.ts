// Frames and visual progress on a time axis.
import type { Filmstrip, FilmstripFrame, ProgressPoint, Visit } from '@pronghorn/core/schemas';

/** A strip at one time: the newest frame; null before the first. */
export interface StripCell {
  frame: FilmstripFrame | null;
  /** True: the frame differs from the previous cell's. */
  isNew: boolean;
  completeness: number | null;
}

const steps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000];

/** A round step with which at most `maxCells` cells reach from 0 to the end. */
export const stepFor = (endMs: number, maxCells: number): number =>
  steps.find((step) => endMs / step <= maxCells) ?? Math.ceil(endMs / maxCells);

/** The times of the cells, from 0 to the end of all visual changes. */
export function stripTimes(endMs: number, stepMs: number): number[] {
  return Array.from({ length: Math.ceil(endMs / stepMs) + 1 }, (_, index) => index * stepMs);
}

export function stripCells({ frames, progress }: Pick<Filmstrip, 'frames' | 'progress'>, times: readonly number[]): StripCell[] {
  let before: FilmstripFrame | null = null;
  return times.map((ms) => {
    const frame = frames.findLast(({ atMs }) => atMs <= ms) ?? null;
    const isNew = frame !== before;
    before = frame;
    return { frame, isNew, completeness: progress === null ? null : completenessAt(progress, ms) };
  });
}

/** 0 before the first frame: the viewport is blank then. */
export function completenessAt(progress: readonly ProgressPoint[], ms: number): number {
  return progress.findLast(({ atMs }) => atMs <= ms)?.completeness ?? 0;
}

/** The end of visual changes: the last frame. */
export const lastChange = (strips: readonly (Pick<Filmstrip, 'frames' | 'progress'> | null)[]): number =>
  Math.max(1, ...strips.flatMap((strip) => [strip?.frames.at(-1)?.atMs ?? 0, changeOf(strip?.progress ?? null)]));
const changeOf = (progress: readonly ProgressPoint[] | null) =>
  progress?.findLast(({ completeness }, index) => completeness !== (progress[index - 1]?.completeness ?? 0))?.atMs ?? 0;

/** The first moment with at least half of the page visible, and the middle of that step; null: never. */
export function halfway(progress: readonly ProgressPoint[]): ProgressPoint | null {
  const index = progress.findIndex(({ completeness }) => completeness >= 0.5);
  const point = progress[index];
  return point === undefined
    ? null
    : { atMs: point.atMs, completeness: (point.completeness + (progress[index - 1]?.completeness ?? 0)) / 2 };
}

/** Steps as an SVG path, from 0 to the end. @param x, y from milliseconds and completeness to pixels. */
export function progressPath(
  progress: readonly ProgressPoint[],
  endMs: number,
  x: (ms: number) => number,
  y: (share: number) => number,
): string {
  const at = (value: number) => value.toFixed(1);
  const steps = progress.filter(({ atMs }) => atMs <= endMs).map(({ atMs, completeness }) => `H${at(x(atMs))}V${at(y(completeness))}`);
  return `M${at(x(0))} ${at(y(0))}${steps.join('')}H${at(x(endMs))}`;
}

/** Why a visit has no pictures, and what to do about it; null where it has some. */
export function missingWords(
  { frames, missing }: Pick<Filmstrip, 'frames' | 'missing'>,
  { outcome }: Pick<Visit, 'outcome'>,
): string | null {
  switch (missing) {
    case 'not-kept':
      return (
        'Its raw evidence, with the frames, was not kept. Runners keep it unless the campaign (evidence) or their options say otherwise: ' +
        'leave out --evidence and --no-evidence, or set runner.keepEvidence to true in the configuration, and measure again.'
      );
    case 'removed':
      return (
        'Its raw evidence was removed: to stay within the budget (evidence.budgetMb), for its age (retention.evidenceDays), or because its ' +
        'campaign keeps only other visits’ (evidence). The metrics stay.'
      );
    case 'lost':
      return 'Its raw evidence is lost: its file was missing or damaged. A backup of the folder evidence brings it back. The metrics stay.';
    case 'unreadable':
      return 'Its raw evidence can’t be read; the service’s log says why.';
    case null:
      if (frames.length > 0) return null;
      if (outcome.verdict === 'invalid') return 'The browser sent no frame: the visit ended before anything was painted.';
      if ('latency' in outcome.metrics) return 'A run of REST calls shows nothing.';
      return outcome.metrics.firstContentfulPaint === null
        ? 'The browser sent no frame: the page painted nothing.'
        : 'Its engine keeps no frames: SpeedIndex, where there is one, is from a video.';
  }
}
