// Seeded randomness and colours: the same pages and pictures on every machine, so that two people measure the same sites.
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** A float in [from, to). */
  float(from: number, to: number): number;
  /** An integer in [from, to]. */
  int(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
}

/** A sequence that depends on nothing but `seed`. */
export function random(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return {
    float: (from, to) => from + uniformFloat64(generator) * (to - from),
    int: (from, to) => uniformInt(generator, from, to),
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('pick: the list is empty');
      return list[uniformInt(generator, 0, list.length - 1)] as T;
    },
  };
}

/** Edge of the square of `noise`, a power of two so that an index wraps by `&`. */
export const noiseEdge = 256;

/**
 * A square of bytes, uniform in −127…127, to be looked up by place. A lookup costs a pixel a few nanoseconds, a
 * generator's call ten times that; millions of pixels are painted at the first start.
 */
export const noise: Int8Array = (() => {
  const generator = xoroshiro128plus(20_211);
  return Int8Array.from({ length: noiseEdge * noiseEdge }, () => uniformInt(generator, -127, 127));
})();

export type Rgb = readonly [red: number, green: number, blue: number];

/** `#rrggbb` as numbers. */
export function rgb(hex: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`${hex} is not a colour of the form #rrggbb`);
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

/** Between two colours: `share` 0 gives the first, 1 the second. */
export function mix(first: Rgb, second: Rgb, share: number): Rgb {
  const t = Math.min(1, Math.max(0, share));
  return [first[0] + (second[0] - first[0]) * t, first[1] + (second[1] - first[1]) * t, first[2] + (second[2] - first[2]) * t];
}
