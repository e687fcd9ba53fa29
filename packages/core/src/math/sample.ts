/**
 * Refuses what no statistic can be made of.
 * @throws RangeError when the sample is empty or holds a number that is not finite; the message names it and its place.
 */
export function assertSample(what: string, values: readonly number[]): void {
  if (values.length === 0) throw new RangeError(`${what} of an empty sample, expected at least one value`);
  if (values.every(Number.isFinite)) return;
  const bad = values.findIndex((value) => !Number.isFinite(value));
  throw new RangeError(`${what}: value ${bad} of ${values.length} is ${values[bad]}, expected a finite number`);
}

/**
 * The same where a load that failed may stand for +∞, and what lies below it for −∞: all that goes by order alone.
 * @throws RangeError when the sample is empty or holds what is no number.
 */
export function assertOrdered(what: string, values: readonly number[]): void {
  if (values.length === 0) throw new RangeError(`${what} of an empty sample, expected at least one value`);
  const bad = values.findIndex(Number.isNaN);
  if (bad !== -1) throw new RangeError(`${what}: value ${bad} of ${values.length} is NaN, expected a number`);
}
