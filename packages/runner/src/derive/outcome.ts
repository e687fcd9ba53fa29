// Evidence → resources and outcome: all that is derived of a visit, in one call that can be made again on stored evidence.
import type { Outcome, ProgressPoint, Resource } from '@pronghorn/core';
import type { Asked, Evidence } from '../gather/evidence.ts';
import { deriveMetrics } from './metrics.ts';
import { deriveResources } from './resources.ts';
import { judge } from './verdict.ts';
import { visualProgress } from './visual-progress.ts';

/**
 * @param foreignCpuShare the most that other processes may have taken of the machine's CPU time
 * @returns `progress`, the visual progress curve of a valid visit that showed something
 */
export async function deriveOutcome(
  asked: Asked,
  evidence: Evidence,
  foreignCpuShare: number,
): Promise<{ outcome: Outcome; resources: Resource[]; progress: ProgressPoint[] | null }> {
  const resources = deriveResources(evidence);
  const fault = judge(asked, evidence, resources, foreignCpuShare);
  if (fault !== null) return { outcome: { verdict: 'invalid', ...fault }, resources, progress: null };
  const { page, frames, dropped } = evidence;
  if (page === null) throw new Error('A load without page timings was judged valid.');
  const visual = await visualProgress(frames, page.timeOrigin, dropped);
  return {
    outcome: { verdict: 'valid', metrics: deriveMetrics(page, resources, evidence.sockets, visual) },
    resources,
    progress: visual?.curve ?? null,
  };
}
