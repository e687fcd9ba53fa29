// Resamples of n rounds, as counts of how often each round was drawn. They don't depend on measurements, so cells share them.
import { randomSource } from './random.ts';

export type Draws = {
  n: number;
  /** Resample by resample, how often each of the n rounds was drawn. */
  counts: Uint16Array;
  /** The probability of each resample; null: equal. */
  weights: Float64Array | null;
  /** Number of resamples that it represents. */
  resamples: number;
  method: 'exact' | 'monte-carlo';
  /** Scratch space for the statistics of each resample, for the current user of the draws: allocating it anew takes as long as filling it. */
  room: { first: Float64Array; second: Float64Array };
};

/** Up to this many rounds all nⁿ resamples are counted: 462 different ones for 6 rounds. */
const exactUpTo = 6;

/**
 * Draws are cached up to this size, which is enough for all sizes in a campaign of some dozens of rounds. Draws of thousands of rounds are
 * made anew: a campaign in progress has another number of rounds at each look, so nobody would use them again.
 */
const maxCachedBytes = 16e6;
const cache = new Map<string, Draws>();
let cachedBytes = 0;
/** Cached at any size: a cell's metrics and pairs use the same draws, one after another. */
let last: { key: string; draws: Draws } | null = null;

/** All resamples of few rounds, otherwise `resamples` random ones, decided by the seed. */
export function drawsOf(n: number, resamples: number, seed: number): Draws {
  const key = n <= exactUpTo ? `${n}` : `${n} ${resamples} ${seed}`;
  const known = last?.key === key ? last.draws : cache.get(key);
  if (known) return known;
  const draws = n <= exactUpTo ? allDraws(n) : randomDraws(n, resamples, seed);
  last = { key, draws };
  const bytes = bytesOf(draws);
  if (bytes > maxCachedBytes / 4) return draws;
  for (const [oldest, old] of cache) {
    if (cachedBytes + bytes <= maxCachedBytes) break;
    cache.delete(oldest);
    cachedBytes -= bytesOf(old);
  }
  cache.set(key, draws);
  cachedBytes += bytes;
  return draws;
}

const bytesOf = ({ counts, weights, room }: Draws): number =>
  counts.byteLength + (weights?.byteLength ?? 0) + room.first.byteLength + room.second.byteLength;

/** The ideal bootstrap (Fisher & Hall, "Bootstrap Algorithms for Small Samples", JSPI 27, 1991): each with its multinomial probability. */
function allDraws(n: number): Draws {
  const all: number[][] = [];
  const complete = (counts: number[], left: number): void => {
    if (counts.length === n - 1) all.push([...counts, left]);
    else for (let count = 0; count <= left; count++) complete([...counts, count], left - count);
  };
  complete([], n);
  const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1));
  const weights = all.map((counts) => counts.reduce((share, count) => share / factorial(count), factorial(n) / n ** n));
  const counts = Uint16Array.from(all.flat());
  return { n, counts, weights: Float64Array.from(weights), resamples: n ** n, method: 'exact', room: roomFor(all.length) };
}

function randomDraws(n: number, resamples: number, seed: number): Draws {
  const random = randomSource(seed);
  const counts = new Uint16Array(resamples * n);
  for (let start = 0; start < counts.length; start += n) {
    for (let drawn = 0; drawn < n; drawn++) {
      const place = start + Math.floor(random() * n);
      counts[place] = (counts[place] as number) + 1;
    }
  }
  return { n, counts, weights: null, resamples, method: 'monte-carlo', room: roomFor(resamples) };
}

const roomFor = (resamples: number): Draws['room'] => ({
  first: new Float64Array(resamples),
  second: new Float64Array(resamples),
});
