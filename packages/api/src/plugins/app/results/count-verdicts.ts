import type { GroupAnswer, VerdictCount } from '@pronghorn/core/schemas';
import { notLoaded } from '@pronghorn/core/verdict';
import { verdictOutcomes } from '@pronghorn/core/vocabulary';

type Answer = Pick<GroupAnswer, 'comparison' | 'notLoaded'>;

/**
 * How often each answer was given: winners first, then what could not be loaded, what is unfinished last. Groups without a question are counted only
 * where they could not be loaded.
 */
export function countVerdicts(groups: readonly Answer[]): VerdictCount[] {
  const counts = new Map<string, VerdictCount>();
  for (const { comparison } of groups.filter(isLoaded)) {
    if (comparison === null) continue;
    const { outcome, doubts } = comparison;
    const unfinished = outcome === 'inconclusive' && doubts.includes('unfinished');
    const known = counts.get(`${outcome} ${unfinished}`);
    if (known) known.count++;
    else counts.set(`${outcome} ${unfinished}`, { outcome, unfinished, notLoaded: null, count: 1 });
  }
  const place = ({ outcome, unfinished }: VerdictCount) => verdictOutcomes.indexOf(outcome) + (unfinished ? verdictOutcomes.length : 0);
  const missing = groups.filter((group) => !isLoaded(group));
  const why = notLoaded(missing.map((group) => ({ valid: 0, invalid: group.notLoaded?.reasons ?? [] })));
  return [
    ...[...counts.values()].sort((a, b) => place(a) - place(b)),
    ...(why === null ? [] : [{ outcome: 'inconclusive' as const, unfinished: false, notLoaded: why.words, count: missing.length }]),
  ];
}

/** While rounds are to come a page may load yet. */
const isLoaded = ({ notLoaded: why, comparison }: Answer): boolean => why === null || comparison?.doubts.includes('unfinished') === true;
