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
