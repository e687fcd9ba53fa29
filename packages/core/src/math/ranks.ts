/** Ranks of a sample, and its ties. */
type Ranks = {
  /** In the order of the values; the smallest has rank 1; equal values share the mean of their places. */
  ranks: Float64Array;
  /** Sizes of the groups of two or more equal values. */
  ties: number[];
};

/**
 * Midranks: equal values share the mean of the places that they take (Kendall, "The treatment of ties in ranking problems",
 * Biometrika 33, 1945). O(n log n).
 *
 * @param values in any order, ±∞ too, which are tied with none but themselves; an empty sample has no ranks.
 * @param tolerance values count as equal to the next smaller one when they exceed it by no more than this share of their size:
 *   0 (default) for numbers as measured, 1e-9 for numbers that arithmetic made, where equal ones may differ in the last digits.
 */
export function midranks(values: ArrayLike<number>, tolerance = 0): Ranks {
  const n = values.length;
  const order = placesByValue(values);
  const at = (place: number) => values[order[place] as number] as number;
  const ranks = new Float64Array(n);
  const ties: number[] = [];
  for (let start = 0; start < n; ) {
    let end = start + 1;
    while (end < n && areTied(at(end - 1), at(end), tolerance)) end++;
    for (let place = start; place < end; place++) ranks[order[place] as number] = (start + 1 + end) / 2;
    if (end - start > 1) ties.push(end - start);
    start = end;
  }
  return { ranks, ties };
}

/** ∞ − ∞ is NaN, and a share of ∞ exceeds any distance. */
const areTied = (smaller: number, larger: number, tolerance: number): boolean =>
  smaller === larger || (Number.isFinite(larger - smaller) && larger - smaller <= tolerance * Math.abs(larger));

function placesByValue(values: ArrayLike<number>): number[] {
  const places: number[] = [];
  for (let place = 0; place < values.length; place++) places.push(place);
  return places.sort((a, b) => (values[a] as number) - (values[b] as number) || 0); // of two that are ∞ the difference is NaN
}

/** Σ(t³ − t) over the groups of ties: reduces the variance of a rank sum. 0 without ties. */
export function tieSum(ties: readonly number[]): number {
  return ties.reduce((sum, t) => sum + (t ** 3 - t), 0);
}
