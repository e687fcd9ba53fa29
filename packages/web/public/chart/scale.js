// Where a value stands on an axis. Pure.

/**
 * Round numbers (1, 2 or 5 times a power of ten apart) that lie within [low, high].
 * @param {number} low
 * @param {number} high not below low
 * @param {number} count about so many
 */
export function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiplied, not added up, and rid of the digits of floating point: 0.30000000000000004 is no tick.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * The range of the values with a little air, so that no dot stands on the edge.
 * @param {readonly number[]} values at least one
 * @returns {[low: number, high: number]}
 */
export function domain(values) {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const air = high > low ? (high - low) * 0.04 : Math.max(Math.abs(high) * 0.1, 1);
  return [low >= 0 ? Math.max(0, low - air) : low - air, high + air];
}

/**
 * From a value to pixels.
 * @param {[number, number]} domain low below high
 * @param {[number, number]} range in pixels
 */
export function linear([low, high], [start, end]) {
  return (/** @type {number} */ value) => start + ((value - low) / (high - low)) * (end - start);
}

/**
 * How far each dot must leave the middle of its row, in steps of one dot, so that dots of nearly the same place stand beside
 * each other: 0, 1, −1, 2, −2, …
 * @param {readonly number[]} places in pixels
 * @param {number} diameter of a dot, in pixels
 */
export function stack(places, diameter) {
  /** @type {Map<number, number>} */
  const taken = new Map();
  return places.map((place) => {
    const bin = Math.floor(place / diameter);
    const before = taken.get(bin) ?? 0;
    taken.set(bin, before + 1);
    return before % 2 === 0 ? -before / 2 || 0 : (before + 1) / 2;
  });
}
