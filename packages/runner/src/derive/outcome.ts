// Evidence → resources and outcome: all that is derived of a visit, in one call that can be made again on stored evidence.
import type { PageMetrics, PageOutcome, ProgressPoint, Resource } from '@pronghorn/core/schemas';
import { kindOf } from '@pronghorn/core/vocabulary';
import type { Evidence, PageTimings, VisitRequest } from '../gather/evidence.ts';
import { blockingMs } from '../gather/page-timings.ts';
import { VisitorError } from '../visitor/load-visitor.ts';
import { type Seen, seenBy } from './equally-watched.ts';
import { deriveResources } from './resources.ts';
import { traffic } from './traffic.ts';
import { faultOfArrival, judge } from './verdict.ts';
import { type Picture, picturesOf, type VisualProgress, visualProgress } from './visual-progress.ts';

/**
 * @param foreignCpuShare the most that other processes may have taken of the machine's CPU time
 * @returns `progress`, the visual progress curve of a valid visit that showed something, and `seen`, what a valid visit saw
 */
export async function deriveOutcome(
  request: VisitRequest,
  evidence: Evidence,
  foreignCpuShare: number,
): Promise<{ outcome: PageOutcome; resources: Resource[]; progress: ProgressPoint[] | null; seen: Seen | null }> {
  const resources = deriveResources(evidence);
  const fault = judge(request, evidence, resources, foreignCpuShare);
  if (fault !== null) return { outcome: { verdict: 'invalid', ...fault }, resources, progress: null, seen: null };
  const { page } = evidence;
  if (page === null) throw new Error('A load without page timings was judged valid.');
  const { pictures, visual } = await shownIn(evidence, page);
  return {
    outcome: { verdict: 'valid', metrics: deriveMetrics(page, resources, evidence, visual) },
    resources,
    progress: visual?.curve ?? null,
    seen: seenBy(page, evidence.settled, resources, pictures, visual?.speedIndex === null),
  };
}

/** What its page showed; what an earlier document did is none of the page's, as its paints and its load event are none. */
export async function shownIn(evidence: Evidence, page: PageTimings): Promise<{ pictures: Picture[]; visual: VisualProgress | null }> {
  const { frames, dropped = [] } = evidence;
  const pictures = (await picturesOf([...frames, ...dropped], page.timeOrigin)).filter(({ atMs }) => atMs >= (page.documentAt ?? 0));
  return { pictures, visual: visualOf(evidence, page, pictures) };
}

/** A page that painted nothing has no SpeedIndex, whatever a program says of its video. */
function visualOf({ video, settled }: Evidence, page: PageTimings, pictures: readonly Picture[]): VisualProgress | null {
  const { busy = [], ...watched } = settled ?? {};
  if (video === undefined) return visualProgress(pictures, { ...watched, endMs: page.readAt, paints: busy.includes('paint') });
  return video === null || 'failure' in video || page.firstContentfulPaint === null ? null : video;
}

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
    .reduce((sum, duration) => sum + blockingMs(duration), 0);
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
 * something that a script requested. A failed one has no end. Milliseconds since navigation start.
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

/**
 * @throws VisitorError that names the page where it did not come: the page that is measured was not tried then. What is a failure of a page is one
 *   of the page behind it too, or a protocol that fails on the way there would be judged by the visits that got through.
 */
export function mustHaveCome(url: string, discovery: VisitRequest['discovery'], evidence: Evidence): void {
  const fault = faultOfArrival({ url, view: 'warm', expectStatus: 200, usual: null, discovery }, evidence, deriveResources(evidence));
  if (fault === null) return;
  const reason = kindOf(fault.reason) === 'unfit' ? 'step-failed' : fault.reason;
  throw new VisitorError(reason, `The page before, ${url}, failed (${fault.reason}), so this one was not opened: ${fault.detail}`);
}
