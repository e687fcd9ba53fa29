import { chiSquaredSurvival } from './probability.ts';
import { signTestP } from './proportion.ts';
import { midranks, tieSum } from './ranks.ts';
import { assertOrdered } from './sample.ts';

type FriedmanTest = {
  /** Corrected for ties. */
  statistic: number;
  /** Levels − 1. */
  df: number;
  /**
   * For two levels, that of the exact sign test: the approximation is below 0.05 in up to 7 % of cases without a difference, for any number
   * of blocks (8: 7.0 %). For more, by the chi-squared approximation: below 0.05 in 3 to 6 % from 5 blocks on, rough with fewer.
   */
  p: number;
  /** Kendall's coefficient of concordance: 0 if blocks order the levels at random, 1 if all order them alike. */
  kendallW: number;
};

/**
 * Friedman's test: do levels differ, when every block (a site) has one value at each level? Only the order within a block
 * counts, so that slow and fast sites weigh the same. "The Use of Ranks to Avoid the Assumption of Normality Implicit in the
 * Analysis of Variance", JASA 32 (1937); ties as in Conover, Practical Nonparametric Statistics, 3rd ed., §5.8; W: Kendall &
 * Babington Smith, "The Problem of m Rankings", Annals of Mathematical Statistics 10 (1939). Two levels make it the sign
 * test. O(b k log k).
 *
 * @param blocks each with its values at the levels, in the same order. If all values of every block are equal, the statistic is 0
 *   and p is 1.
 * @throws RangeError without blocks, on fewer than two levels, on blocks of different length and on NaN.
 */
export function friedmanTest(blocks: readonly (readonly number[])[]): FriedmanTest {
  const levels = blocks[0]?.length ?? 0;
  if (levels < 2)
    throw new RangeError(`Friedman test of ${blocks.length} blocks of ${levels} levels, expected a block and two levels at least`);
  const rankSums = new Float64Array(levels);
  let [tied, less, more] = [0, 0, 0];
  for (const [i, block] of blocks.entries()) {
    if (block.length !== levels) throw new RangeError(`Friedman test: block ${i} has ${block.length} values, expected ${levels}`);
    assertOrdered(`Friedman test, block ${i}`, block);
    const { ranks, ties } = midranks(block);
    ranks.forEach((rank, level) => {
      rankSums[level] = (rankSums[level] as number) + rank;
    });
    tied += tieSum(ties);
    const [first, second] = block as [number, number];
    if (first < second) less++;
    if (first > second) more++;
  }
  const n = blocks.length;
  const correction = 1 - tied / (n * levels * (levels ** 2 - 1));
  const spread = rankSums.reduce((sum, ranks) => sum + (ranks - (n * (levels + 1)) / 2) ** 2, 0);
  const statistic = correction === 0 ? 0 : (12 * spread) / (n * levels * (levels + 1)) / correction;
  const df = levels - 1;
  const p = levels === 2 ? (signTestP(less, more) ?? 1) : chiSquaredSurvival(statistic, df);
  return { statistic, df, p, kendallW: Math.min(1, statistic / (n * df)) };
}
