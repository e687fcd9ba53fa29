import type { CampaignLogLine, Visit } from '@pronghorn/core/schemas';

export type VisitStep = { visit: Visit; seq: number };
/** afterVisit: the newest visit when the line was written. */
export type LineStep = { line: CampaignLogLine; number: number; afterVisit: number };

/**
 * Visits and lines of a campaign in the order in which they were stored.
 *
 * @param more whether there are visits or lines after these: what may come after one that is not here has to wait.
 */
export function mergeSteps(
  visits: readonly VisitStep[],
  lines: readonly LineStep[],
  more: { moreVisits: boolean; moreLines: boolean },
): (VisitStep | LineStep)[] {
  const steps: (VisitStep | LineStep)[] = [];
  let [v, l] = [0, 0];
  for (;;) {
    const [visit, line] = [visits[v], lines[l]];
    if (line && (visit ? line.afterVisit < visit.seq : !more.moreVisits)) {
      steps.push(line);
      l += 1;
    } else if (visit && (line || !more.moreLines)) {
      steps.push(visit);
      v += 1;
    } else return steps;
  }
}
