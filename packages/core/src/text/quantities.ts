// Quantities of networks as people write them.

/** At most four digits after the point, and none that says nothing. */
export const decimal = (value: number): string => String(Number(value.toFixed(4)));

/** 10 Mbit/s, 768 kbit/s; to so many significant digits. */
export const rateWords = (kbps: number, digits = 9): string =>
  kbps >= 1000 ? `${significant(kbps / 1000, digits)} Mbit/s` : `${significant(kbps, digits)} kbit/s`;

/** 0.5 %, 15 %; to so many significant digits. */
export const percent = (share: number, digits = 6): string => `${significant(share * 100, digits)} %`;

const significant = (value: number, digits: number) => String(Number(value.toPrecision(digits)));
