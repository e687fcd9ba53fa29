// Counts the cells of a campaign by verdict.
import type { VerdictCount } from '../../schemas/campaign-list.ts';
import type { CellAnswer } from '../../schemas/summary.ts';
import { sizesWords } from '../../text/verdict.ts';
import { verdictOutcomes } from '../../vocabulary/verdict.ts';

/** Rounds are still to come, or were cancelled: there is no fault. */
export function isUnfinished({ outcome, doubts }: { outcome: string; doubts: readonly (string | { doubt: string })[] }): boolean {
  return outcome === 'inconclusive' && doubts.some((one) => (typeof one === 'string' ? one : one.doubt) === 'unfinished');
}

export type Answered = CellAnswer & { comparison: NonNullable<CellAnswer['comparison']> };
export const answered = ({ cells }: { cells: readonly CellAnswer[] }): Answered[] =>
  cells.filter((cell): cell is Answered => cell.comparison !== null);

/** The number of cells with each verdict: winners first, unfinished ones last. */
export function outcomeCounts(cells: readonly Pick<Answered, 'comparison'>[]): VerdictCount[] {
  const kinds = [
    ...verdictOutcomes.map((outcome) => ({ outcome, unfinished: false })),
    { outcome: 'inconclusive' as const, unfinished: true },
  ];
  return kinds.flatMap(({ outcome, unfinished }) => {
    const those = cells.filter(({ comparison }) => comparison.outcome === outcome && isUnfinished(comparison) === unfinished);
    const size = outcome.endsWith('-faster') ? sizesWords(those.map(({ comparison }) => comparison)) : null;
    return those.length === 0 ? [] : [{ outcome, unfinished, notLoaded: null, count: those.length, size }];
  });
}

/** Includes cells whose page never loaded, as the list of campaigns shows them. */
export function verdictCounts({ cells }: { cells: readonly CellAnswer[] }): VerdictCount[] {
  const missing = cells.flatMap(({ notLoaded }) => notLoaded ?? []);
  return [
    ...outcomeCounts(answered({ cells: cells.filter(({ notLoaded }) => notLoaded === null) })),
    ...missing
      .slice(0, 1)
      .map(({ words }) => ({ outcome: 'inconclusive' as const, unfinished: false, notLoaded: words, count: missing.length, size: null })),
  ];
}
