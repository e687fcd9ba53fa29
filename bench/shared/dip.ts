/**
 * Hartigan's dip: the largest distance between the empirical distribution function and the unimodal one that is closest to it
 * (Hartigan & Hartigan, "The Dip Test of Unimodality", Annals of Statistics 13, 1985). A unimodal distribution function is
 * convex up to its mode and concave after it, so the dip is found between the greatest convex minorant and the least concave
 * majorant, on an interval around the mode that shrinks until they are as close there as the dip so far (§5 of the paper).
 *
 * @param sorted ascending, finite, at least one value; equal values make one higher step.
 * @returns between 1/(2n), for a sample without any dip, and 1/4.
 */
export function dip(sorted: ArrayLike<number>): number {
  const n = sorted.length;
  const { values, below, upTo } = stepsOf(sorted);
  const minorant = new Float64Array(values.length);
  const majorant = new Float64Array(values.length);
  let [first, last] = [0, values.length - 1];
  // In values, not shares, and twice the dip: a step of one value lies half above and half below the closest distribution.
  let deepest = 1;
  for (;;) {
    const lowerKnots = hull(values, below, first, last, 1);
    const upperKnots = hull(values, upTo, first, last, -1);
    interpolate(values, below, lowerKnots, minorant);
    interpolate(values, upTo, upperKnots, majorant);
    let [widest, modeFirst, modeLast] = [0, first, last];
    for (const knot of lowerKnots) {
      const gap = (majorant[knot] as number) - (below[knot] as number);
      if (gap > widest) [widest, modeFirst, modeLast] = [gap, knot, upperKnots.find((other) => other >= knot) as number];
    }
    for (const knot of upperKnots) {
      const gap = (upTo[knot] as number) - (minorant[knot] as number);
      if (gap > widest) [widest, modeFirst, modeLast] = [gap, lowerKnots.findLast((other) => other <= knot) as number, knot];
    }
    if (widest <= deepest) break;
    for (let i = first; i < modeFirst; i++) deepest = Math.max(deepest, (upTo[i] as number) - (minorant[i] as number));
    for (let i = last; i > modeLast; i--) deepest = Math.max(deepest, (majorant[i] as number) - (below[i] as number));
    if (modeFirst === first && modeLast === last) break;
    [first, last] = [modeFirst, modeLast];
  }
  return deepest / (2 * n);
}

/** Distinct values, and how many of the sample lie below each and up to it. */
function stepsOf(sorted: ArrayLike<number>): { values: number[]; below: number[]; upTo: number[] } {
  const [values, below, upTo]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < sorted.length; i++) {
    if (values.at(-1) !== sorted[i]) {
      values.push(sorted[i] as number);
      below.push(i);
      upTo.push(i);
    }
    upTo[upTo.length - 1] = i + 1;
  }
  return { values, below, upTo };
}

/** Corners of the convex minorant (turn 1) or concave majorant (turn −1) of the points from `first` to `last`, by their places. */
function hull(x: readonly number[], y: readonly number[], first: number, last: number, turn: 1 | -1): number[] {
  const knots: number[] = [];
  const slope = (a: number, b: number) => ((y[b] as number) - (y[a] as number)) / ((x[b] as number) - (x[a] as number));
  for (let i = first; i <= last; i++) {
    while (knots.length > 1 && turn * (slope(knots.at(-1) as number, i) - slope(knots.at(-2) as number, knots.at(-1) as number)) <= 0) {
      knots.pop();
    }
    knots.push(i);
  }
  return knots;
}

/** Writes the heights of the line through the knots into `heights`. */
function interpolate(x: readonly number[], y: readonly number[], knots: readonly number[], heights: Float64Array): void {
  for (let k = 0; k < knots.length; k++) {
    const [from, to] = [knots[k] as number, knots[Math.min(k + 1, knots.length - 1)] as number];
    heights[from] = y[from] as number;
    for (let i = from + 1; i < to; i++) {
      const share = ((x[i] as number) - (x[from] as number)) / ((x[to] as number) - (x[from] as number));
      heights[i] = (y[from] as number) + share * ((y[to] as number) - (y[from] as number));
    }
  }
}
