import type { PageTimings } from '../gather/evidence.ts';

/**
 * Total blocking time: of each long task the part beyond 50 ms, counted from first contentful paint on.
 *
 * Lighthouse counts until Time to Interactive, a metric that it no longer reports; here the end is the end of the visit
 * (load and quiet). Null without a paint, as there is nothing to count from, and where the browser tells no tasks. Source: https://web.dev/articles/tbt
 */
export function totalBlockingTime(tasks: PageTimings['longTasks'], firstContentfulPaint: number | null): number | null {
  if (tasks === null || firstContentfulPaint === null) return null;
  return tasks
    .map(({ startTime, duration }) => Math.min(duration, startTime + duration - firstContentfulPaint))
    .reduce((sum, duration) => sum + Math.max(0, duration - 50), 0);
}
