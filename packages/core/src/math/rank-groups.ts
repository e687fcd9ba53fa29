import { midranks, tieSum } from './ranks.ts';
import { assertOrdered } from './sample.ts';

export type RankedGroups = {
  /** Of each group among all values. */
  meanRanks: number[];
  /** 1 − Σ(t³ − t) ÷ (n³ − n): 1 without ties, 0 where all values are equal. */
  tieCorrection: number;
  /** Values in all groups. */
  n: number;
};

/**
 * Several groups, ranked together.
 * @throws RangeError on fewer than two groups, on an empty one and on NaN; the message begins with `what`.
 */
export function rankGroups(what: string, groups: readonly (readonly number[])[]): RankedGroups {
  if (groups.length < 2) throw new RangeError(`${what} of ${groups.length} groups, expected at least 2`);
  for (const [i, group] of groups.entries()) assertOrdered(`${what} (group ${i})`, group);
  const { ranks, ties } = midranks(groups.flat());
  let start = 0;
  const meanRanks = groups.map((group) => {
    const own = ranks.subarray(start, start + group.length);
    start += group.length;
    return own.reduce((sum, rank) => sum + rank, 0) / group.length;
  });
  const n = ranks.length;
  return { meanRanks, tieCorrection: 1 - tieSum(ties) / (n ** 3 - n), n };
}
