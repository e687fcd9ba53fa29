/**
 * Rejects samples that no statistic can use.
 * @throws RangeError if the sample is empty or has a number that is not finite; the message names it and its index.
 */
export function assertSample(what: string, values: readonly number[]): void {
  if (values.length === 0) throw new RangeError(`${what} of an empty sample, expected at least one value`);
  if (values.every(Number.isFinite)) return;
  const bad = values.findIndex((value) => !Number.isFinite(value));
  throw new RangeError(`${what}: value ${bad} of ${values.length} is ${values[bad]}, expected a finite number`);
}

/**
 * The same for statistics of order alone, where a failed load is +∞ and a value below all others −∞.
 * @throws RangeError if the sample is empty or has NaN.
 */
export function assertOrdered(what: string, values: readonly number[]): void {
  if (values.length === 0) throw new RangeError(`${what} of an empty sample, expected at least one value`);
  const bad = values.findIndex(Number.isNaN);
  if (bad !== -1) throw new RangeError(`${what}: value ${bad} of ${values.length} is NaN, expected a number`);
}
