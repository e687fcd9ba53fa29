// The moments of a load that are drawn as lines.
import type { MetricName, Metrics } from '@pronghorn/core/schemas';
import { metricOf } from '../../text/vocabulary.ts';

export interface Moment {
  /** Such as `FCP`; of several at the same time, all: `FP, FCP`. */
  name: string;
  ms: number;
  metrics: MetricName[];
}

/** Short names, since labels stand close to each other; the table of metrics has the long ones. */
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

/** In the order of their times; those less than `sameMs` after another are told as one. */
export function momentsOf(metrics: Metrics | null, sameMs = 0.5): Moment[] {
  // Those of REST calls are percentiles, and no moments.
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

export interface Label {
  text: string;
  /** Pixels from the left of the axis, where its line is. */
  x: number;
}
/** `isLeft`: the text ends at its line, since it would leave the axis otherwise. */
export type PlacedLabel = Label & { lane: number; isLeft: boolean };

/**
 * Puts each label into the first lane where it touches no other.
 * @param width of the axis, pixels.
 * @param lengthOf a text, pixels; without a screen to measure it on, about.
 */
export function placeLabels(labels: readonly Label[], width: number, lengthOf = (text: string) => text.length * 6.2): PlacedLabel[] {
  const gap = 6;
  const ends: number[] = [];
  const placed = labels.map((label) => {
    const length = lengthOf(label.text) + gap;
    const isLeft = label.x + length > width && label.x > length;
    return { ...label, isLeft, start: isLeft ? label.x - length : label.x, end: isLeft ? label.x : label.x + length };
  });
  const lanes = new Map<(typeof placed)[number], number>();
  for (const label of placed.toSorted((a, b) => a.start - b.start)) {
    let lane = ends.findIndex((end) => end <= label.start);
    if (lane === -1) lane = ends.length;
    ends[lane] = label.end;
    lanes.set(label, lane);
  }
  return placed.map((label) => ({ text: label.text, x: label.x, isLeft: label.isLeft, lane: lanes.get(label) ?? 0 }));
}
