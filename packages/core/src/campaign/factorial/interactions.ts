// Permutation tests of each factor, and of each pair of factors, on the ratio of two protocols.

import { adjustPValues } from '../../math/adjust.ts';
import { studentTQuantile } from '../../math/probability.ts';
import { type RandomSource, randomSource } from '../../math/random.ts';
import type { FactorInteraction } from '../../schemas/factorial.ts';
import { type Combination, columnsOf, confoundedWith, constant, extension, levelsOf, sameTerm, type Term, termsOf } from './model.ts';

/** A combination of levels with ln(candidate ÷ baseline) of each of its rounds; finite. */
export interface RatioCell {
  levels: Combination;
  logRatios: readonly number[];
}

export type InteractionTest = Omit<FactorInteraction, 'words'>;

/** The smallest possible p is one in 10,000. */
const maxPermutations = 9_999;
const minPermutations = 999;
/** Sums and products of all permutations together: about a second. */
const budget = 4e8;
/** Above this, contrasts don't get a covariance of their own, which costs their square for each combination and permutation. */
const maxContrasts = 12;

/**
 * Whether the ratio of two protocols depends on a factor, or on two together. In a round the protocols ran back to back, so the logarithm
 * of their ratio is one independent number, and a factor that changes the effect of the protocol is an effect on that number: one factor
 * alone is its interaction with the protocol, a pair is the interaction of all three.
 *
 * The model has all factors, and all pairs that the design can separate. A term is tested against the model without it (for a factor, also
 * without the pairs that contain it) by contrasts of the combinations’ means that are zero whatever the rest of the model does, compared
 * with the variances of each combination’s own rounds: spreads differ between conditions (Wald’s statistic by permutation: Pauly, Brunner &
 * Konietschke, “Asymptotic permutation tests in general factorial designs”, Journal of the Royal Statistical Society B 77, 2015). If a
 * combination has one round, or the term many levels, by F.
 *
 * The statistic’s distribution is that over permutations of the residuals of the smaller model (Freedman & Lane, “A nonstochastic
 * interpretation of reported significance levels”, Journal of Business & Economic Statistics 1, 1983), so that main effects neither pass
 * for an interaction nor hide one. To exchange residuals without taking the smaller model out again made the test of a pair err in 1 of 100
 * studies in place of 5, and miss as much more (bench/statistics/factorial.ts). Residuals are exchanged within combinations of the other
 * factors where each of these has all levels of the term, which of a factor makes the test exact (Anderson & ter Braak, “Permutation tests
 * for multi-factorial analysis of variance”, Journal of Statistical Computation and Simulation 73, 2003); else, as in a fraction, over all
 * rounds. In studies of 3 rounds whose spreads differ fivefold between conditions the tests of pairs err in 6 to 8 of 100, else in 4 to 6.
 *
 * p counts the permutations that explain at least as much, including the observed one (Phipson & Smyth, Statistical Applications in
 * Genetics and Molecular Biology 9, 2010).
 *
 * @param cells combinations without a round are ignored, with their levels.
 * @param seed decides the permutations.
 * @param max permutations; fewer for many rounds and terms, which would take long.
 */
export function interactionsOf(cells: readonly RatioCell[], seed: number, max = maxPermutations): InteractionTest[] {
  const measured = cells.filter(({ logRatios }) => logRatios.length > 0);
  const combinations = measured.map(({ levels }) => levels);
  const factors = Object.keys(combinations[0] ?? {}).filter((factor) => levelsOf(combinations, factor).length > 1);
  const terms = termsOf(factors);
  const rounds = measured.reduce((sum, { logRatios }) => sum + logRatios.length, 0);
  const columns = terms.reduce((sum, term) => sum + columnsOf(combinations, term).length, 1);
  const affordable = Math.floor(budget / (terms.length * (3 * rounds + combinations.length * columns)));
  const permutations = Math.min(max, Math.max(minPermutations, affordable));
  const random = randomSource(seed);
  const tested = terms.map((term): InteractionTest => {
    const alike = confoundedWith(combinations, term, terms);
    const p = permutationTest(measured, term, nuisanceOf(term, terms, alike), random, permutations);
    return {
      factors: [...term],
      levels: ratiosByLevel(measured, term),
      ...{ p, adjustedP: null, permutations: p === null ? 0 : permutations },
      confoundedWith: alike.map((other) => [...other]),
    };
  });
  const adjusted = adjustPValues(tested.flatMap(({ p }) => p ?? []));
  let next = 0;
  return tested.map((one) => (one.p === null ? one : { ...one, adjustedP: adjusted[next++] as number }));
}

/** The rest of the model while a term is tested. */
function nuisanceOf(term: Term, terms: readonly Term[], alike: readonly Term[]): Term[] {
  return terms.filter((other) => {
    if (sameTerm(other, term)) return false;
    if (other.length === 1) return true;
    const contains = term.length === 1 && other.includes(term[0] as string);
    return !contains && !alike.some((one) => sameTerm(one, other));
  });
}

/** @returns null if the design can’t separate the term from the rest, or has too few rounds to separate it from chance. */
function permutationTest(
  unordered: readonly RatioCell[],
  term: Term,
  nuisance: readonly Term[],
  random: RandomSource,
  permutations: number,
): number | null {
  const strata = strataOf(unordered, term);
  const cells = strata.flat();
  const combinations = cells.map(({ levels }) => levels);
  const counts = Float64Array.from(cells, ({ logRatios }) => logRatios.length);
  const values = Float64Array.from(cells.flatMap(({ logRatios }) => logRatios));
  const smaller = extension([], [...constant(combinations), ...nuisance.flatMap((one) => columnsOf(combinations, one))], counts);
  const added = extension(smaller, columnsOf(combinations, term), counts);
  if (added.length === 0 || values.length - smaller.length - added.length < 1) return null;

  const cellOf = Int32Array.from(cells.flatMap(({ logRatios }, k) => logRatios.map(() => k)));
  const fitted = fit(smaller, sums(values, cellOf, cells.length), cells.length);
  const residuals = values.map((value, i) => value - (fitted[cellOf[i] as number] as number));
  const total = squares(residuals);
  // If all rounds are alike there is nothing to explain.
  if (total <= 1e-24 * squares(values)) return null;
  const statistic =
    added.length <= maxContrasts && cells.every(({ logRatios }) => logRatios.length > 1)
      ? studentised(contrastsOf(combinations, nuisance, term), residuals, cellOf, counts)
      : // Explained by unexplained variation: F without its degrees of freedom, which are the same for all permutations.
        () => {
          const ofCells = sums(residuals, cellOf, cells.length);
          const explained = squaresAlong(added, ofCells);
          return explained / Math.max(total - squaresAlong(smaller, ofCells) - explained, Number.MIN_VALUE);
        };
  const observed = statistic();
  const sizes = strata.map((its) => its.reduce((sum, { logRatios }) => sum + logRatios.length, 0));
  let beyond = 1;
  for (let n = 0; n < permutations; n++) {
    let start = 0;
    for (const size of sizes) {
      shuffleWithin(residuals, start, start + size, random);
      start += size;
    }
    if (statistic() >= observed * (1 - 1e-9)) beyond += 1;
  }
  return beyond / (permutations + 1);
}

/** Contrasts of the means of combinations: zero whatever the rest of the model does. */
function contrastsOf(combinations: readonly Combination[], nuisance: readonly Term[], term: Term): Float64Array[] {
  const alike = new Float64Array(combinations.length).fill(1);
  const rest = extension([], [...constant(combinations), ...nuisance.flatMap((one) => columnsOf(combinations, one))], alike);
  return extension(rest, columnsOf(combinations, term), alike);
}

/** Wald’s statistic of the contrasts; each combination has the variance of its own rounds. */
function studentised(contrasts: readonly Float64Array[], residuals: Float64Array, cellOf: Int32Array, counts: Float64Array): () => number {
  const [sum, sumOfSquares] = [new Float64Array(counts.length), new Float64Array(counts.length)];
  const size = contrasts.length;
  return () => {
    sum.fill(0);
    sumOfSquares.fill(0);
    for (let i = 0; i < residuals.length; i++) {
      const [k, value] = [cellOf[i] as number, residuals[i] as number];
      sum[k] = (sum[k] as number) + value;
      sumOfSquares[k] = (sumOfSquares[k] as number) + value * value;
    }
    const estimates = new Float64Array(size);
    const covariance = Array.from({ length: size }, () => new Float64Array(size));
    for (let k = 0; k < counts.length; k++) {
      const n = counts[k] as number;
      const mean = (sum[k] as number) / n;
      const variance = Math.max(0, (sumOfSquares[k] as number) - n * mean * mean) / (n - 1) / n;
      for (let i = 0; i < size; i++) {
        const c = contrasts[i]?.[k] as number;
        estimates[i] = (estimates[i] as number) + c * mean;
        const row = covariance[i] as Float64Array;
        for (let j = 0; j <= i; j++) row[j] = (row[j] as number) + c * (contrasts[j]?.[k] as number) * variance;
      }
    }
    return wald(estimates, covariance);
  };
}

/** x′ V⁻¹ x by Cholesky’s decomposition of V; reads the lower half and overwrites it. */
function wald(x: Float64Array, v: Float64Array[]): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) {
    const row = v[i] as Float64Array;
    let left = x[i] as number;
    for (let j = 0; j < i; j++) {
      const other = v[j] as Float64Array;
      let value = row[j] as number;
      for (let k = 0; k < j; k++) value -= (row[k] as number) * (other[k] as number);
      row[j] = value / (other[j] as number);
      left -= (row[j] as number) * (x[j] as number);
    }
    let pivot = row[i] as number;
    for (let k = 0; k < i; k++) pivot -= (row[k] as number) ** 2;
    row[i] = Math.sqrt(Math.max(pivot, Number.MIN_VALUE));
    x[i] = left / (row[i] as number);
    total += (x[i] as number) ** 2;
  }
  return total;
}

/** Strata within which residuals are exchanged: combinations of the other factors if each has all levels of the term, otherwise all together. */
function strataOf(cells: readonly RatioCell[], term: Term): RatioCell[][] {
  const combinations = cells.map(({ levels }) => levels);
  const others = ({ levels }: RatioCell) => JSON.stringify(Object.entries(levels).filter(([factor]) => !term.includes(factor)));
  const strata = [...Map.groupBy(cells, others).values()];
  const all = term.reduce((product, factor) => product * levelsOf(combinations, factor).length, 1);
  return strata.every((its) => its.length === all) ? strata : [[...cells]];
}

const squares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0);

function sums(values: Float64Array, cellOf: Int32Array, cells: number): Float64Array {
  const totals = new Float64Array(cells);
  for (let i = 0; i < values.length; i++) {
    const k = cellOf[i] as number;
    totals[k] = (totals[k] as number) + (values[i] as number);
  }
  return totals;
}

const along = (vector: Float64Array, ofCells: Float64Array): number => {
  let sum = 0;
  for (let k = 0; k < vector.length; k++) sum += (vector[k] as number) * (ofCells[k] as number);
  return sum;
};

/** The sum of squares that these vectors explain. */
const squaresAlong = (basis: readonly Float64Array[], ofCells: Float64Array): number =>
  basis.reduce((sum, vector) => sum + along(vector, ofCells) ** 2, 0);

function fit(basis: readonly Float64Array[], ofCells: Float64Array, cells: number): Float64Array {
  const fitted = new Float64Array(cells);
  for (const vector of basis) {
    const much = along(vector, ofCells);
    for (let k = 0; k < cells; k++) fitted[k] = (fitted[k] as number) + much * (vector[k] as number);
  }
  return fitted;
}

/** Fisher & Yates, in place. */
function shuffleWithin(values: Float64Array, start: number, end: number, random: RandomSource): void {
  for (let last = end - 1; last > start; last--) {
    const pick = start + Math.floor(random() * (last - start + 1));
    const swapped = values[last] as number;
    values[last] = values[pick] as number;
    values[pick] = swapped;
  }
}

/** Scenarios weigh the same, however many rounds each has. */
function ratiosByLevel(cells: readonly RatioCell[], term: Term): FactorInteraction['levels'] {
  return [...Map.groupBy(cells, ({ levels }) => JSON.stringify(term.map((factor) => levels[factor] ?? ''))).entries()].map(([key, its]) => {
    const ofCells = its.map(({ logRatios }) => {
      const n = logRatios.length;
      const mean = logRatios.reduce((sum, value) => sum + value, 0) / n;
      const variance = logRatios.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) / n;
      return { n, mean, variance };
    });
    const middle = ofCells.reduce((sum, { mean }) => sum + mean, 0) / ofCells.length;
    const variance = ofCells.reduce((sum, one) => sum + one.variance, 0);
    const df = variance ** 2 / ofCells.reduce((sum, one) => sum + one.variance ** 2 / (one.n - 1), 0);
    const half = df > 0 ? (studentTQuantile(0.975, Math.max(1, Math.floor(df + 1e-9))) * Math.sqrt(variance)) / ofCells.length : null;
    const at = (log: number) => Math.exp(log);
    return {
      levels: JSON.parse(key) as string[],
      ...{ ratio: at(middle), low: half === null ? null : at(middle - half), high: half === null ? null : at(middle + half) },
      rounds: ofCells.reduce((sum, { n }) => sum + n, 0),
    };
  });
}
