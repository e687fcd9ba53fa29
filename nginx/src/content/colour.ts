// Colours as the painters use them.

export type Rgb = readonly [red: number, green: number, blue: number];

/** `#rrggbb` as numbers. */
export function rgb(hex: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`${hex} is no colour of the form #rrggbb`);
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

/** Between two colours: `share` 0 gives the first, 1 the second. */
export function mix(first: Rgb, second: Rgb, share: number): Rgb {
  const t = Math.min(1, Math.max(0, share));
  return [first[0] + (second[0] - first[0]) * t, first[1] + (second[1] - first[1]) * t, first[2] + (second[2] - first[2]) * t];
}
