// Counts the cells of a campaign by verdict.
import type { VerdictCount } from '../../schemas/campaign-list.ts';
import type { CellAnswer } from '../../schemas/summary.ts';
import { sizesWords } from '../../text/verdict.ts';
import { notLoaded } from '../../verdict/unmeasured.ts';
import { verdictOutcomes } from '../../vocabulary/verdict.ts';

/** Rounds are still to come, or were cancelled: there is no fault. */
export function isUnfinished({ outcome, doubts }: { outcome: string; doubts: readonly (string | { doubt: string })[] }): boolean {
  return outcome === 'inconclusive' && doubts.some((one) => (typeof one === 'string' ? one : one.doubt) === 'unfinished');
}

export type Answered = CellAnswer & { comparison: NonNullable<CellAnswer['comparison']> };
export const answered = ({ cells }: { cells: readonly CellAnswer[] }): Answered[] =>
  cells.filter((cell): cell is Answered => cell.comparison !== null);

/** While rounds are to come, a page may load yet. */
export const isNotLoaded = ({ notLoaded: why, comparison }: Pick<CellAnswer, 'notLoaded' | 'comparison'>): boolean =>
  why !== null && !(comparison !== null && isUnfinished(comparison));

/** The number of cells with each verdict: winners first, unfinished ones next to last, and last those whose page did not load, compared or not. */
export function verdictCounts({ cells }: { cells: readonly CellAnswer[] }): VerdictCount[] {
  const lost = cells.filter(isNotLoaded);
  const compared = answered({ cells: cells.filter((cell) => !isNotLoaded(cell)) });
  const kinds = [
    ...verdictOutcomes.map((outcome) => ({ outcome, unfinished: false })),
    { outcome: 'inconclusive' as const, unfinished: true },
  ];
  const counts = kinds.flatMap(({ outcome, unfinished }): VerdictCount[] => {
    const those = compared.filter(({ comparison }) => comparison.outcome === outcome && isUnfinished(comparison) === unfinished);
    const size = outcome.endsWith('-faster') ? sizesWords(those.map(({ comparison }) => comparison)) : null;
    return those.length === 0 ? [] : [{ outcome, unfinished, notLoaded: null, count: those.length, size }];
  });
  const why = notLoaded(lost.map((cell) => ({ valid: 0, invalid: cell.notLoaded?.reasons ?? [] }))) ?? lost[0]?.notLoaded;
  if (why) counts.push({ outcome: 'inconclusive', unfinished: false, notLoaded: why.words, count: lost.length, size: null });
  return counts;
}
