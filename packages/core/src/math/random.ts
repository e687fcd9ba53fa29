// Seeded randomness, so that a campaign's orders and tests can be repeated.
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Each call gives the next number in [0, 1). */
export type RandomSource = () => number;

/**
 * A source of uniform random numbers in [0, 1), 53 bits each; the same seed gives the same numbers.
 *
 * Mersenne Twister, because it spreads its seed: the first shuffle by pure-rand's xoroshiro128plus
 * of three slots gave only two of the six orders over the seeds 0…5999, since its first output is the seed's complement.
 *
 * @param seed an integer of 32 bits.
 * @throws RangeError when the seed is no such integer.
 */
export function randomSource(seed: number): RandomSource {
  if (!Number.isInteger(seed) || seed < -(2 ** 31) || seed >= 2 ** 32) {
    throw new RangeError(`seed is ${seed}, expected an integer of 32 bits`);
  }
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

/** The items in a random order, every order equally likely (Fisher–Yates, as in Durstenfeld 1964); does not change the given array. */
export function shuffle<T>(items: readonly T[], random: RandomSource): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const pick = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[pick]] = [shuffled[pick] as T, shuffled[last] as T];
  }
  return shuffled;
}
