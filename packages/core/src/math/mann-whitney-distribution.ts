// The null distribution of Mann and Whitney's U: every choice of places for the first sample is equally likely.

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

/**
 * Of all choices of m of these ranks, how large a share has a sum as far from the middle as this one, in either direction: the exact p with ties, given
 * how values are tied (Lehmann, Nonparametrics, 1975, §1.4).
 *
 * @param ranks midranks of both samples, m of them of the first
 */
export function tiedRankSumP(ranks: ArrayLike<number>, m: number, rankSum: number): number {
  // Doubled, midranks are whole numbers.
  const doubled = Array.from(ranks, (rank) => Math.round(2 * rank));
  const largest = doubled.reduce((sum, rank) => sum + rank, 0);
  // counts[k][s]: choices of k ranks with the sum s.
  const counts = Array.from({ length: m + 1 }, () => new Float64Array(largest + 1));
  (counts[0] as Float64Array)[0] = 1;
  for (const rank of doubled)
    for (let k = m; k >= 1; k--) {
      const [fewer, same] = [counts[k - 1] as Float64Array, counts[k] as Float64Array];
      for (let sum = largest; sum >= rank; sum--) same[sum] = (same[sum] as number) + (fewer[sum - rank] as number);
    }
  const middle = m * (doubled.length + 1);
  const distance = Math.abs(Math.round(2 * rankSum) - middle);
  const asFar = (counts[m] as Float64Array).reduce((sum, count, at) => (Math.abs(at - middle) >= distance ? sum + count : sum), 0);
  return asFar / binomialCoefficient(doubled.length, m);
}

function binomialCoefficient(n: number, k: number): number {
  let coefficient = 1;
  for (let i = 1; i <= k; i++) coefficient = (coefficient * (n - k + i)) / i;
  return coefficient;
}
