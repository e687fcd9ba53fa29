// The null distribution of Wilcoxon's signed-rank statistic: each rank is in W+ with probability ½, independently.

/**
 * How many of the 2ⁿ sign patterns give each value of W+ from 0 to `last`, for ranks that are whole numbers, in any order:
 * dynamic programming over the ranks, at most n × last additions. Counts beyond 2⁵³ are rounded, to a relative 1e-14 at n = 100.
 */
export function signPatternCounts(ranks: Float64Array, last: number): Float64Array {
  const counts = new Float64Array(last + 1);
  counts[0] = 1;
  let reached = 0;
  // From the smallest rank on, so that sums stay small for long.
  for (const rank of ranks.toSorted()) {
    reached = Math.min(reached + rank, last);
    for (let w = reached; w >= rank; w--) counts[w] = (counts[w] as number) + (counts[w - rank] as number);
  }
  return counts;
}

const lowerTails = new Map<number, Float64Array>();

/** P(W+ ≤ w) for w from 0 to the middle of the distribution, n differences without ties and zeros. Kept for the next caller. */
export function untiedLowerTail(n: number): Float64Array {
  const kept = lowerTails.get(n);
  if (kept) return kept;
  const ranks = Float64Array.from({ length: n }, (_, i) => i + 1);
  const tail = signPatternCounts(ranks, Math.floor((n * (n + 1)) / 4));
  for (let w = 1; w < tail.length; w++) tail[w] = (tail[w] as number) + (tail[w - 1] as number);
  const scaled = tail.map((count) => count / 2 ** n);
  lowerTails.set(n, scaled);
  return scaled;
}
