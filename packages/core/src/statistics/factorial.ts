// What a factorial study says of its factors: which of them change a metric, and which change what one protocol is of another.
import { type RandomSource, randomSource, shuffle } from '../random.ts';
import type { CvClass } from '../schemas/results.ts';
import type { Protocol } from '../schemas/vocabulary.ts';
import { adjustPValues } from './adjust.ts';
import { logRatios } from './comparison.ts';
import { type EffectCategory, rankBiserialCategory } from './effect-category.ts';
import { kruskalWallisTest } from './kruskal-wallis.ts';
import { mannWhitneyTest } from './mann-whitney.ts';
import { median } from './quantile.ts';
import { cvClassOf } from './summary.ts';

/** A combination of levels, with one number for each run of each protocol: of the same rounds, in their order; NaN where a round has none. */
export interface FactorialCell {
  /** By factor, such as { method: 'GET', payload: '2 MB' }. */
  levels: Readonly<Record<string, string>>;
  values: Readonly<Partial<Record<Protocol, readonly number[]>>>;
}

/** One scenario as the published study tells it. */
export interface Scenario {
  levels: FactorialCell['levels'];
  /** Of each protocol. */
  mean: Record<'candidate' | 'baseline', number>;
  median: Record<'candidate' | 'baseline', number>;
  /** Standard deviation by mean, over the replications. */
  cv: Record<'candidate' | 'baseline', number | null>;
  cvClass: Record<'candidate' | 'baseline', CvClass | null>;
  /** Two-sided, of Mann & Whitney’s test over replications. */
  p: number;
  /** Corrected by Holm over the scenarios. */
  adjustedP: number;
  /** Negative: the candidate’s values are the smaller ones. */
  rankBiserial: number;
  category: EffectCategory;
  /** (median candidate − median baseline) / median baseline. */
  relative: number;
  /** By the published rule: p < 0.05, |rank-biserial| ≥ 0.3 and a relative difference of at least 10 %; with the corrected p. */
  isRelevant: boolean;
}

const relevance = { alpha: 0.05, rankBiserial: 0.3, relative: 0.1 } as const;

const finite = (values: readonly number[] | undefined): number[] => (values ?? []).filter(Number.isFinite);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Each combination of levels by itself, replications as the unit: requests of a run are no independent samples.
 *
 * Thresholds: Zahra & Ardiansyah 2026. Cells in which a protocol has no finite value are left out.
 */
export function scenariosOf(cells: readonly FactorialCell[], candidate: Protocol, baseline: Protocol): Scenario[] {
  const found = cells.flatMap((cell) => {
    const [of, against] = [finite(cell.values[candidate]), finite(cell.values[baseline])];
    if (of.length === 0 || against.length === 0) return [];
    const { p, rankBiserial } = mannWhitneyTest(of, against);
    const middle = { candidate: median(of), baseline: median(against) };
    const cv = { candidate: cvOf(of), baseline: cvOf(against) };
    return [
      {
        levels: cell.levels,
        mean: { candidate: mean(of), baseline: mean(against) },
        median: middle,
        cv,
        cvClass: { candidate: cvClassOf(cv.candidate), baseline: cvClassOf(cv.baseline) },
        ...{ p, rankBiserial, category: rankBiserialCategory(rankBiserial) },
        relative: (middle.candidate - middle.baseline) / middle.baseline,
      },
    ];
  });
  const adjusted = adjustPValues(found.map(({ p }) => p));
  return found.map((scenario, n) => {
    const adjustedP = adjusted[n] as number;
    const isRelevant =
      adjustedP < relevance.alpha &&
      Math.abs(scenario.rankBiserial) >= relevance.rankBiserial &&
      Math.abs(scenario.relative) >= relevance.relative;
    return { ...scenario, adjustedP, isRelevant };
  });
}

function cvOf(values: readonly number[]): number | null {
  const middle = mean(values);
  if (values.length < 2 || middle === 0) return null;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)) / middle;
}

/** Whether a metric differs between the levels of a factor at all, everything else pooled: as the published study asks. */
export interface FactorDifference {
  factor: string;
  levels: { level: string; median: number; runs: number }[];
  /** Kruskal & Wallis’s. */
  h: number;
  p: number;
}

/** @param cells whose factors have at least two levels; the protocol is a factor, too. */
export function factorDifferences(cells: readonly FactorialCell[]): FactorDifference[] {
  const runs = cells.flatMap(({ levels, values }) =>
    Object.entries(values).flatMap(([protocol, its]) =>
      finite(its).map((value) => ({ levels: { ...levels, protocol } as Record<string, string>, value })),
    ),
  );
  const factors = [...new Set(runs.flatMap(({ levels }) => Object.keys(levels)))];
  return factors.flatMap((factor) => {
    const byLevel = Map.groupBy(runs, ({ levels }) => levels[factor] ?? '');
    if (byLevel.size < 2) return [];
    const groups = [...byLevel].map(([level, its]) => ({ level, values: its.map(({ value }) => value) }));
    const { statistic, p } = kruskalWallisTest(groups.map(({ values }) => values));
    return [
      { factor, levels: groups.map(({ level, values }) => ({ level, median: median(values), runs: values.length })), h: statistic, p },
    ];
  });
}

/** Whether what the candidate is of the baseline depends on a factor, or on two together. */
export interface Interaction {
  factors: readonly string[];
  /** Of each level, or pair of levels: the candidate’s value divided by the baseline’s, geometric mean over rounds, and how many rounds. */
  levels: { level: string; ratio: number; rounds: number }[];
  /** Of the permutation test. */
  p: number;
  /** Corrected by Holm over all interactions. */
  adjustedP: number;
}

/** Of which one in 10,000 is the smallest p that there is. */
const usualPermutations = 9_999;

/**
 * A permutation test of interactions: within a round both protocols ran back to back, so the log of their ratio is one independent number of the round, and a
 * factor that does not change it may have its levels exchanged. They are exchanged within each combination of the other factors alone, so that those
 * stay as they are (a restricted permutation: Anderson & ter Braak, “Permutation tests for multi-factorial analysis of variance”, Journal of
 * Statistical Computation and Simulation 73 (2003)). The statistic is the sum of squares between the levels, of log ratios less their stratum’s mean.
 * Of two factors it is that between pairs of levels, less what each explains alone, with pairs exchanged over all.
 *
 * p counts the permutations that differ at least as much, the found one among them (Phipson & Smyth 2010). O(cells × rounds × permutations).
 *
 * @param seed decides the permutations.
 */
export function interactionsOf(
  cells: readonly FactorialCell[],
  candidate: Protocol,
  baseline: Protocol,
  seed: number,
  permutations = usualPermutations,
): Interaction[] {
  const rounds = cells.flatMap(({ levels, values }) => {
    const [of, against] = [values[candidate] ?? [], values[baseline] ?? []];
    const pairs = of.flatMap((value, round) => {
      const other = against[round];
      return other === undefined || !Number.isFinite(value) || !Number.isFinite(other) ? [] : [{ candidate: value, baseline: other }];
    });
    return (logRatios(pairs) ?? []).map((ratio) => ({ levels, ratio }));
  });
  const factors = [...new Set(cells.flatMap(({ levels }) => Object.keys(levels)))].filter(
    (factor) => new Set(cells.map(({ levels }) => levels[factor])).size > 1,
  );
  const random = randomSource(seed);
  const asked = [...factors.map((factor) => [factor]), ...factors.flatMap((one, n) => factors.slice(n + 1).map((other) => [one, other]))];
  const found = asked.map((of) => ({ factors: of, ...interaction(rounds, of, random, permutations) }));
  const adjusted = adjustPValues(found.map(({ p }) => p));
  return found.map((one, n) => ({ ...one, adjustedP: adjusted[n] as number }));
}

type Round = { levels: Readonly<Record<string, string>>; ratio: number };

function interaction(
  rounds: readonly Round[],
  of: readonly string[],
  random: RandomSource,
  permutations: number,
): Pick<Interaction, 'levels' | 'p'> {
  const levelOf = ({ levels }: Round) => of.map((factor) => levels[factor] ?? '').join(' × ');
  const strata = [
    ...Map.groupBy(rounds, ({ levels }) => JSON.stringify(Object.entries(levels).filter(([factor]) => !of.includes(factor)))).values(),
  ];
  const centred = strata.map((stratum) => {
    const middle = mean(stratum.map(({ ratio }) => ratio));
    return { labels: stratum.map(levelOf), residuals: stratum.map((round) => round.ratio - middle), rounds: stratum };
  });
  const residualsOf = of.length === 1 ? centred : centred.map((stratum) => ({ ...stratum, residuals: withoutMainEffects(stratum, of) }));
  const statistic = (labelled: readonly (readonly string[])[]): number => {
    const sums = new Map<string, { sum: number; n: number }>();
    for (const [n, { residuals }] of residualsOf.entries())
      for (const [m, residual] of residuals.entries()) {
        const label = labelled[n]?.[m] as string;
        const at = sums.get(label) ?? { sum: 0, n: 0 };
        at.sum += residual;
        at.n += 1;
        sums.set(label, at);
      }
    return [...sums.values()].reduce((total, { sum, n }) => total + sum ** 2 / n, 0);
  };
  const observed = statistic(residualsOf.map(({ labels }) => labels));
  let beyond = 1;
  for (let n = 0; n < permutations; n++)
    if (statistic(residualsOf.map(({ labels }) => shuffle(labels, random))) >= observed * (1 - 1e-12)) beyond += 1;
  const byLevel = Map.groupBy(rounds, levelOf);
  return {
    levels: [...byLevel].map(([level, its]) => ({ level, ratio: Math.exp(mean(its.map(({ ratio }) => ratio))), rounds: its.length })),
    p: beyond / (permutations + 1),
  };
}

/** What is left of a stratum’s residuals when each factor’s own level means are taken off. */
function withoutMainEffects(
  { residuals, rounds }: { residuals: readonly number[]; rounds: readonly Round[] },
  of: readonly string[],
): number[] {
  let left = [...residuals];
  for (const factor of of) {
    const means = new Map<string, number>();
    const byLevel = Map.groupBy(left.keys(), (n) => rounds[n]?.levels[factor] ?? '');
    for (const [level, places] of byLevel) means.set(level, mean([...places].map((n) => left[n] as number)));
    left = left.map((value, n) => value - (means.get(rounds[n]?.levels[factor] ?? '') ?? 0));
  }
  return left;
}
