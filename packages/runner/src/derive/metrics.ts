// Evidence → metrics: one pure function over what the metric files make of it.
import type { PageMetrics, Resource } from '@pronghorn/core/schemas';
import type { Evidence, PageTimings } from '../gather/evidence.ts';
import { totalBlockingTime } from './blocking-time.ts';
import { cumulativeLayoutShift } from './layout-shift.ts';
import { linkedDownload } from './linked-download.ts';
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
