// Whether a metric differs between the levels of a factor at all, as the published study asks.

import { kruskalWallisTest } from '../../math/kruskal-wallis.ts';
import { median } from '../../math/quantile.ts';
import type { FactorDifference } from '../../schemas/factorial.ts';
import { knownOrNull } from '../../verdict/summary.ts';
import { type Combination, levelsOf } from './model.ts';

/** Values of one protocol under one combination of levels, the protocol among them; +∞ for the time of a replication that failed. */
export interface LevelledValues {
  levels: Combination;
  values: readonly number[];
}

/**
 * Kruskal & Wallis’s test of each factor with all else pooled, and of the protocol within each level of each other factor: the study had its protocols differ
 * for POST and not for GET. Levels without a value are none, and what has one level alone is no factor.
 */
export function factorDifferences(cells: readonly LevelledValues[]): FactorDifference[] {
  const measured = cells.filter(({ values }) => values.length > 0);
  const factors = Object.keys(measured[0]?.levels ?? {}).filter((factor) => levelsIn(measured, factor).length > 1);
  const pooled = factors.flatMap((factor) => differenceOf(measured, factor, null));
  const within = factors
    .filter((factor) => factor !== 'protocol')
    .flatMap((factor) =>
      levelsIn(measured, factor).flatMap((level) =>
        differenceOf(
          measured.filter(({ levels }) => levels[factor] === level),
          'protocol',
          { factor, level },
        ),
      ),
    );
  return [...pooled, ...within];
}

const levelsIn = (cells: readonly LevelledValues[], factor: string): string[] =>
  levelsOf(
    cells.map(({ levels }) => levels),
    factor,
  );

function differenceOf(cells: readonly LevelledValues[], factor: string, within: FactorDifference['within']): FactorDifference[] {
  const groups = levelsIn(cells, factor).map((level) => ({
    level,
    values: cells.filter(({ levels }) => levels[factor] === level).flatMap(({ values }) => values),
  }));
  if (groups.length < 2) return [];
  const { statistic, df, p, epsilonSquared } = kruskalWallisTest(groups.map(({ values }) => values));
  const levels = groups.map(({ level, values }) => ({ level, median: knownOrNull(median(values)), n: values.length }));
  return [{ factor, within, levels, h: statistic, df, p, epsilonSquared }];
}
