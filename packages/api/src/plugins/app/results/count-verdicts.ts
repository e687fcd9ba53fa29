import { type GroupAnswer, type VerdictCount, verdictOutcomes } from '@pronghorn/core';

/** How often each answer was given: winners first, what is unfinished last. Groups without a question are not counted. */
export function countVerdicts(groups: readonly Pick<GroupAnswer, 'comparison'>[]): VerdictCount[] {
  const counts = new Map<string, VerdictCount>();
  for (const { comparison } of groups) {
    if (comparison === null) continue;
    const { outcome, doubts } = comparison;
    const unfinished = outcome === 'inconclusive' && doubts.includes('unfinished');
    const known = counts.get(`${outcome} ${unfinished}`);
    if (known) known.count++;
    else counts.set(`${outcome} ${unfinished}`, { outcome, unfinished, count: 1 });
  }
  const place = ({ outcome, unfinished }: VerdictCount) => verdictOutcomes.indexOf(outcome) + (unfinished ? verdictOutcomes.length : 0);
  return [...counts.values()].sort((a, b) => place(a) - place(b));
}
