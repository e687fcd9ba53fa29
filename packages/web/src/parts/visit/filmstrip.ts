// Frames and visual progress on a time axis.
import type { Filmstrip, FilmstripFrame, ProgressPoint } from '@pronghorn/core/schemas';

/** What a strip shows at one time: the newest frame of that moment; null before the first. */
export interface StripCell {
  frame: FilmstripFrame | null;
  /** Whether it is another one than a cell before. */
  isNew: boolean;
  completeness: number | null;
}

const steps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000];

/** A round step, so that at most so many cells reach from 0 to the end. */
export const stepFor = (endMs: number, most: number): number => steps.find((step) => endMs / step <= most) ?? Math.ceil(endMs / most);

/** The times of the cells: from 0 until everything was seen. */
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

/** When nothing more changes: the last frame. */
export const lastChange = (strips: readonly (Pick<Filmstrip, 'frames' | 'progress'> | null)[]): number =>
  Math.max(1, ...strips.flatMap((strip) => [strip?.frames.at(-1)?.atMs ?? 0, changeOf(strip?.progress ?? null)]));
const changeOf = (progress: readonly ProgressPoint[] | null) =>
  progress?.findLast(({ completeness }, index) => completeness !== (progress[index - 1]?.completeness ?? 0))?.atMs ?? 0;

/** The first moment at which at least half of the page is there, and the middle of that step; null: never. */
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
