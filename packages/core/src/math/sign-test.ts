import { binomialCdf } from './probability.ts';

/**
 * The exact two-sided sign test: of rounds that went to one of two sides, so many went to the one and so many to the other. Null where none did.
 */
export function signTestP(one: number, other: number): number | null {
  const rounds = one + other;
  return rounds === 0 ? null : Math.min(1, 2 * binomialCdf(Math.min(one, other), rounds, 0.5));
}
