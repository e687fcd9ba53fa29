// Evidence → resources and outcome: all that is derived of a visit, in one call that can be made again on stored evidence.
import type { PageOutcome, ProgressPoint, Resource } from '@pronghorn/core/schemas';
import { kindOf } from '@pronghorn/core/vocabulary';
import type { Evidence, PageTimings, VisitRequest } from '../gather/evidence.ts';
import { VisitorError } from '../visitor/load-visitor.ts';
import { deriveMetrics } from './metrics.ts';
import { deriveResources } from './resources.ts';
import { faultOfArrival, judge } from './verdict.ts';
import { type VisualProgress, visualProgress } from './visual-progress.ts';

/**
 * @param foreignCpuShare the most that other processes may have taken of the machine's CPU time
 * @returns `progress`, the visual progress curve of a valid visit that showed something
 */
export async function deriveOutcome(
  request: VisitRequest,
  evidence: Evidence,
  foreignCpuShare: number,
): Promise<{ outcome: PageOutcome; resources: Resource[]; progress: ProgressPoint[] | null }> {
  const resources = deriveResources(evidence);
  const fault = judge(request, evidence, resources, foreignCpuShare);
  if (fault !== null) return { outcome: { verdict: 'invalid', ...fault }, resources, progress: null };
  const { page } = evidence;
  if (page === null) throw new Error('A load without page timings was judged valid.');
  const visual = await visualOf(evidence, page);
  return {
    outcome: { verdict: 'valid', metrics: deriveMetrics(page, resources, evidence, visual) },
    resources,
    progress: visual?.curve ?? null,
  };
}

/** A page that painted nothing has no SpeedIndex, whatever a program says of its video. */
async function visualOf({ video, frames, dropped }: Evidence, page: PageTimings): Promise<VisualProgress | null> {
  if (video === undefined) return await visualProgress(frames, page.timeOrigin, dropped);
  return video === null || 'failure' in video || page.firstContentfulPaint === null ? null : video;
}

/**
 * @throws VisitorError that names the page where it did not come: the page that is measured was not tried then. What is a failure of a page is one
 *   of the page behind it too, or a protocol that fails on the way there would be judged by the visits that got through.
 */
export function mustHaveCome(url: string, evidence: Evidence): void {
  const fault = faultOfArrival({ url, view: 'warm', expectStatus: 200, usual: null }, evidence, deriveResources(evidence));
  if (fault === null) return;
  const reason = kindOf(fault.reason) === 'unfit' ? 'step-failed' : fault.reason;
  throw new VisitorError(reason, `The page before, ${url}, failed (${fault.reason}), so this one was not opened: ${fault.detail}`);
}
