// The linear model behind interactions: the columns that a factor, or a pair of factors, adds, and what the design can tell apart.
import type { CampaignFactorial } from '../../schemas/factorial.ts';
import { listed } from '../../text/numbers.ts';

/** A combination of levels by factor; all are distinct. */
export type Combination = Readonly<Record<string, string>>;

/** A factor, or the interaction of two. */
export type Term = readonly string[];

/** Columns over combinations; orthonormal under the combinations’ weights. */
type Columns = readonly Float64Array[];

/** Below this share of its length a column adds nothing: it is a sum of the others. */
const negligible = 1e-9;

export const sameTerm = (one: Term, other: Term): boolean => one.length === other.length && one.every((factor) => other.includes(factor));

/** In the order in which they first occur. */
export const levelsOf = (combinations: readonly Combination[], factor: string): string[] => [
  ...new Set(combinations.map((one) => one[factor] ?? '')),
];

/** Each factor, then each pair. */
export const termsOf = (factors: readonly string[]): Term[] => [
  ...factors.map((factor) => [factor]),
  ...factors.flatMap((one, n) => factors.slice(n + 1).map((other) => [one, other])),
];

/** Indicators of all levels but the first; for a pair, their products. */
export function columnsOf(combinations: readonly Combination[], term: Term): Float64Array[] {
  return term.reduce<Float64Array[]>(
    (columns, factor) => {
      const indicators = levelsOf(combinations, factor)
        .slice(1)
        .map((level) => Float64Array.from(combinations, (one) => Number(one[factor] === level)));
      return columns.flatMap((column) => indicators.map((indicator) => column.map((value, k) => value * (indicator[k] as number))));
    },
    [new Float64Array(combinations.length).fill(1)],
  );
}

/** The constant column. */
export const constant = (combinations: readonly Combination[]): Float64Array[] => columnsOf(combinations, []);

/**
 * The part of the columns outside an orthonormal basis, as further vectors of it: Gram–Schmidt, twice, under the weights.
 *
 * @param weights of the combinations; the inner product is Σ w x y.
 */
export function extension(basis: Columns, columns: Columns, weights: ArrayLike<number>): Float64Array[] {
  const added: Float64Array[] = [];
  const product = (x: Float64Array, y: Float64Array) =>
    x.reduce((sum, value, k) => sum + (weights[k] as number) * value * (y[k] as number), 0);
  for (const column of columns) {
    const left = Float64Array.from(column);
    const length = Math.sqrt(product(left, left));
    for (let time = 0; time < 2; time++)
      for (const vector of [...basis, ...added]) {
        const along = product(left, vector);
        for (let k = 0; k < left.length; k++) left[k] = (left[k] as number) - along * (vector[k] as number);
      }
    const rest = Math.sqrt(product(left, left));
    if (length > 0 && rest > negligible * length) added.push(left.map((value) => value / rest));
  }
  return added;
}

/**
 * The other factors and pairs that the combinations can’t separate a term from: given those, and the margins of each, the term adds nothing.
 *
 * A design that has every combination confounds nothing. Half of the combinations of three factors confounds each with the interaction of
 * the other two (Box, Hunter & Hunter, Statistics for Experimenters, 2nd ed. 2005, chapter 6).
 */
export function confoundedWith(combinations: readonly Combination[], term: Term, others: readonly Term[]): Term[] {
  const weights = new Float64Array(combinations.length).fill(1);
  const basisOf = (terms: readonly Term[]) =>
    extension([], [...constant(combinations), ...terms.flatMap((one) => columnsOf(combinations, one))], weights);
  return others.filter((other) => {
    if (sameTerm(term, other)) return false;
    const margins = [...(term.length > 1 ? term : []), ...(other.length > 1 ? other : [])].map((factor) => [factor]);
    const columns = columnsOf(combinations, term);
    const without = extension(basisOf(margins), columns, weights).length;
    return without > 0 && extension(basisOf([...margins, other]), columns, weights).length === 0;
  });
}

/** Such as method × payload. */
export const termName = (term: Term): string => term.join(' × ');

/** @param combinations sites × conditions × views; all are distinct. */
export function designOf(combinations: readonly Combination[]): CampaignFactorial['design'] {
  const factors = Object.keys(combinations[0] ?? {}).filter((factor) => levelsOf(combinations, factor).length > 1);
  const all = factors.reduce((product, factor) => product * levelsOf(combinations, factor).length, 1);
  const counts = { combinations: combinations.length, of: all };
  if (combinations.length === all) return { ...counts, resolution: null, words: `All ${all} combinations of levels.` };
  const terms = termsOf(factors);
  const pairs = terms.flatMap((term) => confoundedWith(combinations, term, terms).map((other) => [term, other] as const));
  // Each pair once, in one order.
  const those = pairs.filter(([term, other], n) => !pairs.slice(0, n).some(([one, two]) => one === other && two === term));
  const among = (one: number, other: number) => pairs.some(([term, two]) => term.length === one && two.length === other);
  const resolution = among(1, 1) ? 'II' : among(1, 2) || among(2, 1) ? 'III' : among(2, 2) ? 'IV' : null;
  const names = those.map(([term, other]) => `${termName(term)} with ${termName(other)}`);
  const some = `${combinations.length} of ${all} combinations of levels${resolution === null ? '' : `, of resolution ${resolution}`}.`;
  const confounded =
    names.length === 0
      ? 'No factor and no pair of factors is confounded with another.'
      : `The design confounds ${listed(names)}: an effect of one may be the other’s.${resolution === 'II' ? ' Factors are confounded with each other, so neither can be judged: measure more combinations.' : ''}`;
  return { ...counts, resolution, words: `${some} ${confounded}` };
}
