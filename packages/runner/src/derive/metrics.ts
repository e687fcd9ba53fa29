// Evidence → metrics: one pure function over what the metric files make of it.
import type { PageMetrics, Resource } from '@pronghorn/core/schemas';
import type { Evidence, PageTimings } from '../gather/evidence.ts';
import { traffic } from './traffic.ts';
import type { VisualProgress } from './visual-progress.ts';

/** The metrics of a load that finished. */
export function deriveMetrics(
  page: PageTimings,
  resources: readonly Resource[],
  { sockets, untold = [] }: Pick<Evidence, 'sockets' | 'untold'>,
  visual: VisualProgress | null,
): PageMetrics {
  return {
    onLoad: page.navigation.loadEventStart,
    loadEventEnd: page.navigation.loadEventEnd,
    domContentLoaded: page.navigation.domContentLoadedEventStart,
    ttfb: page.navigation.responseStart,
    documentHeaders: page.navigation.finalResponseHeadersStart || null,
    firstPaint: page.firstPaint,
    firstContentfulPaint: page.firstContentfulPaint,
    largestContentfulPaint: page.largestContentfulPaint,
    cumulativeLayoutShift: cumulativeLayoutShift(page.layoutShifts),
    speedIndex: visual?.speedIndex ?? null,
    firstVisualChange: visual?.firstVisualChange ?? null,
    lastVisualChange: visual?.lastVisualChange ?? null,
    totalBlockingTime: totalBlockingTime(page.longTasks, page.firstContentfulPaint),
    linkedDownload: untold.includes('scripts') ? null : linkedDownload(resources),
    ...traffic(resources),
    webSockets: sockets.length,
  };
}

/**
 * Total blocking time: of each long task the part beyond 50 ms, counted from first contentful paint on.
 *
 * Lighthouse counts until Time to Interactive, a metric that it no longer reports; here the end is the end of the visit
 * (load and quiet). Null without a paint, as there is nothing to count from, and where the browser reports no tasks. Source: https://web.dev/articles/tbt
 */
export function totalBlockingTime(tasks: PageTimings['longTasks'], firstContentfulPaint: number | null): number | null {
  if (tasks === null || firstContentfulPaint === null) return null;
  return tasks
    .map(({ startTime, duration }) => Math.min(duration, startTime + duration - firstContentfulPaint))
    .reduce((sum, duration) => sum + Math.max(0, duration - 50), 0);
}

/**
 * Cumulative Layout Shift: the largest sum of shifts in a session window, which ends after a gap of 1 s or after 5 s.
 *
 * Source: https://web.dev/articles/cls
 */
export function cumulativeLayoutShift(shifts: PageTimings['layoutShifts']): number | null {
  if (shifts === null) return null;
  let largest = 0;
  let sum = 0;
  let first = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { startTime, value } of shifts) {
    if (startTime - last >= 1_000 || startTime - first >= 5_000) {
      sum = 0;
      first = startTime;
    }
    sum += value;
    last = startTime;
    largest = Math.max(largest, sum);
  }
  return largest;
}

/**
 * Time until all linked assets are there: the latest end among requests that no script started, directly or through
something that a script requested. A failed one has no end. Milliseconds since navigation start.
 *
 * Source: Kiwee 2023, whose benchmark waits for the assets that the document links and leaves out what scripts add.
 */
export function linkedDownload(resources: readonly Resource[]): number {
  return Math.max(
    0,
    ...resources.flatMap(({ linked, endMs, failure, blocked }) =>
      linked && endMs !== null && failure === null && blocked === null ? [endMs] : [],
    ),
  );
}
