// The null distribution of Mann and Whitney's U without ties: every choice of places for the first sample is equally likely.

const lowerTails = new Map<string, Float64Array>();

/** P(U ≤ u) for u from 0 to the middle of the distribution, samples of m and n values. Kept for the next caller. */
export function mannWhitneyLowerTail(m: number, n: number): Float64Array {
  const [fewer, more] = m < n ? [m, n] : [n, m];
  const key = `${fewer} ${more}`;
  const kept = lowerTails.get(key);
  if (kept) return kept;
  const counts = orderingCounts(fewer, more);
  const all = binomialCoefficient(fewer + more, fewer);
  let below = 0;
  const tail = counts.map((count) => {
    below += count;
    return below / all;
  });
  lowerTails.set(key, tail);
  return tail;
}

/**
 * How many of the orderings of m and n values have each U from 0 to the middle: by Mann & Whitney's recurrence
 * (Annals of Mathematical Statistics 18, 1947), whether the largest value is one of the m or one of the n.
 */
function orderingCounts(m: number, n: number): Float64Array {
  const last = Math.floor((m * n) / 2);
  // Of i and j values, with j growing: counts[i].
  const counts = Array.from({ length: m + 1 }, () => {
    const without = new Float64Array(last + 1);
    without[0] = 1;
    return without;
  });
  for (let j = 1; j <= n; j++) {
    for (let i = 1; i <= m; i++) {
      const [fewer, same] = [counts[i - 1] as Float64Array, counts[i] as Float64Array];
      for (let u = last; u >= j; u--) same[u] = (same[u] as number) + (fewer[u - j] as number);
    }
  }
  return counts[m] as Float64Array;
}

function binomialCoefficient(n: number, k: number): number {
  let coefficient = 1;
  for (let i = 1; i <= k; i++) coefficient = (coefficient * (n - k + i)) / i;
  return coefficient;
}
