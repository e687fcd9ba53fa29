// The time axis of a load: the visible window, and the moments drawn as lines.
import type { MetricName, Metrics } from '@pronghorn/core/schemas';
import { metricOf } from '../../text/vocabulary.ts';

export type TimeWindow = { fromMs: number; toMs: number };

const minMs = 1;

/** The window from the address, limited to the whole; the whole where the address has no valid one. */
export function parseWindow(text: string, wholeMs: number): TimeWindow {
  const [, from, to] = text.match(/^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/) ?? [];
  const [fromMs, toMs] = [Number(from ?? 0), Math.min(Number(to ?? wholeMs), wholeMs)];
  return toMs - fromMs >= minMs ? { fromMs, toMs } : { fromMs: 0, toMs: wholeMs };
}

/** For the address; empty for the whole. */
export function windowText({ fromMs, toMs }: TimeWindow, wholeMs: number): string {
  return fromMs <= 0 && toMs >= wholeMs ? '' : `${rounded(fromMs)}-${rounded(toMs)}`;
}
const rounded = (ms: number) => Math.round(ms * 10) / 10;

/** @param factor below 1: zooms in. @param aroundMs keeps its position */
export function zoomed({ fromMs, toMs }: TimeWindow, factor: number, aroundMs: number, wholeMs: number): TimeWindow {
  const length = Math.min(wholeMs, Math.max(minMs, (toMs - fromMs) * factor));
  const share = (aroundMs - fromMs) / (toMs - fromMs);
  return within(aroundMs - share * length, length, wholeMs);
}

/** @param share of the visible window; negative: earlier */
export const moved = ({ fromMs, toMs }: TimeWindow, share: number, wholeMs: number): TimeWindow =>
  within(fromMs + share * (toMs - fromMs), toMs - fromMs, wholeMs);

function within(fromMs: number, length: number, wholeMs: number): TimeWindow {
  const from = Math.min(Math.max(0, fromMs), Math.max(0, wholeMs - length));
  return { fromMs: from, toMs: from + length };
}

/** From a time to percent of the axis; may lie outside. */
export const shareOf = ({ fromMs, toMs }: TimeWindow, ms: number): number => ((ms - fromMs) / (toMs - fromMs)) * 100;

/** A bar's position, cut at the edges; null: out of view. At least one pixel wide. */
export function barOf(window: TimeWindow, startMs: number, endMs: number): { left: string; width: string } | null {
  const [start, end] = [shareOf(window, startMs), shareOf(window, endMs)];
  if (end < 0 || start > 100) return null;
  const [left, right] = [Math.max(0, start), Math.min(100, end)];
  return { left: `${left.toFixed(3)}%`, width: `max(1px, ${(right - left).toFixed(3)}%)` };
}

export interface Moment {
  /** Such as `FCP`; for several at the same time: `FP, FCP`. */
  name: string;
  ms: number;
  metrics: MetricName[];
}

/** Short names, since labels are close to each other; the table of metrics has the full ones. */
const shortNames = {
  ttfb: 'TTFB',
  firstPaint: 'FP',
  firstContentfulPaint: 'FCP',
  firstVisualChange: 'first change',
  domContentLoaded: 'DCL',
  largestContentfulPaint: 'LCP',
  onLoad: 'onLoad',
  lastVisualChange: 'last change',
} as const satisfies Partial<Record<MetricName, string>>;

/** Sorted by time; moments less than `sameMs` apart become one. */
export function momentsOf(metrics: Metrics | null, sameMs = 0.5): Moment[] {
  // The times of REST calls are percentiles, not moments.
  if (metrics === null || 'latency' in metrics) return [];
  const known = Object.entries(shortNames).flatMap(([metric, name]) => {
    const ms = metricOf(metrics, metric as MetricName);
    return ms === null ? [] : [{ name, ms, metrics: [metric as MetricName] }];
  });
  const moments: Moment[] = [];
  for (const moment of known.sort((a, b) => a.ms - b.ms)) {
    const before = moments.at(-1);
    if (before === undefined || moment.ms - before.ms >= sameMs) moments.push(moment);
    else
      moments[moments.length - 1] = { ...before, name: `${before.name}, ${moment.name}`, metrics: [...before.metrics, ...moment.metrics] };
  }
  return moments;
}

/** The order in which labels get their room: what readers look for first. */
const importance: readonly MetricName[] = ['onLoad', 'largestContentfulPaint', 'firstContentfulPaint', 'ttfb', 'domContentLoaded'];
export const rankOf = ({ metrics }: Moment): number =>
  metrics.reduce((best, metric) => Math.min(best, importance.indexOf(metric) + 1 || importance.length + 1), importance.length + 1);

export interface Label {
  text: string;
  /** Where the text has no room. */
  short: string;
  /** The position of its line, in pixels from the left of the axis. */
  x: number;
  /** Its visit's: each has a lane of its own. */
  lane: number;
  /** Lower ones are placed first. */
  rank: number;
}
/** `start`: the left edge of the text, in pixels; the text is empty where no room is. */
export type PlacedLabel = Label & { start: number };

/**
 * Puts each label into its lane, behind its line or before it, where it touches no other label and no other line crosses it; shortened, or left out,
 * where there is no such place.
 * @param width of the axis in pixels
 * @param lengthOf a text in pixels; default: an estimate for environments without a screen
 */
export function placeLabels(labels: readonly Label[], width: number, lengthOf = (text: string) => text.length * 6.2): PlacedLabel[] {
  const gap = 6;
  const taken: { lane: number; start: number; end: number }[] = [];
  const placed = new Map<Label, PlacedLabel>();
  for (const label of labels.toSorted((a, b) => a.rank - b.rank)) {
    const { lane, x } = label;
    const isFree = (start: number, end: number) =>
      start >= 0 &&
      end <= width &&
      labels.every((other) => other.lane !== lane || other.x === x || other.x <= start || other.x >= end) &&
      taken.every((other) => other.lane !== lane || other.end <= start || other.start >= end);
    const places = [label.text, label.short].flatMap((text) => {
      const length = lengthOf(text) + gap;
      return [x, x - length].map((start) => ({ text, start, end: start + length }));
    });
    const place = places.find(({ start, end }) => isFree(start, end)) ?? { text: '', start: x, end: x };
    taken.push({ lane, start: place.start, end: place.end });
    placed.set(label, { ...label, text: place.text, start: place.start });
  }
  return labels.map((label) => placed.get(label) as PlacedLabel);
}

/**
 * The moments as lines behind thousands of bars, without an element for each: CSS variables for the background of a track.
 * @param ink a visit's CSS colour
 */
export function momentLines(moments: readonly (Moment & { visit: number })[], window: TimeWindow, ink: (visit: number) => string) {
  const within = moments.filter(({ ms }) => ms >= window.fromMs && ms <= window.toMs);
  return {
    '--lines': within.map(({ visit }) => `linear-gradient(${ink(visit)}, ${ink(visit)})`).join(', ') || 'none',
    '--places': within.map(({ ms }) => `${shareOf(window, ms).toFixed(3)}% 0`).join(', ') || '0 0',
  };
}
