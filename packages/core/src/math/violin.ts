import { kernelDensityEstimation, quantileSorted, sampleStandardDeviation } from 'simple-statistics';
import { assertSample } from './sample.ts';

export type Violin = {
  /** Of the Gaussian kernel (its standard deviation), in the unit of the sample. */
  bandwidth: number;
  /** Equally spaced from the smallest to the largest value of the sample. */
  values: number[];
  /** Density at each value, per unit of the sample. The area by trapezoids between the first and the last value is 1. */
  densities: number[];
};

const fewestPoints = 64;
const mostPoints = 512;

/**
 * A kernel density for drawing: Gaussian kernel, cut at the data's range (no load took less than the fastest one), and
 * scaled so that the area inside the cut is 1, hence violins of different spread are drawn with equal areas.
 *
 * The bandwidth is Silverman's rule of thumb, 0.9 · min(s, IQR ÷ 1.34) · n^(−1/5) ("Density Estimation for Statistics and Data
 * Analysis", 1986, eq. 3.31), which is R's `bw.nrd0`. simple-statistics' own default has 1.06 for 0.9: best for normal samples,
 * but it smooths two modes away more often, and they are what a violin is looked at for.
 *
 * @param sample in any order.
 * @param points of the grid, at least 2. Default: two for each bandwidth, so that no mode falls between points, but 64 at
 *   least and 512 at most.
 * @returns null where there is no density: one value, or all values equal.
 * @throws RangeError on an empty sample, on a value that is not finite, on points that are no integer ≥ 2.
 */
export function violin(sample: readonly number[], points?: number): Violin | null {
  assertSample('violin', sample);
  if (points !== undefined && !(Number.isInteger(points) && points >= 2)) {
    throw new RangeError(`violin: points is ${points}, expected an integer of at least 2`);
  }
  const sorted = sample.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0] as number, sorted.at(-1) as number];
  if (min === max) return null;
  const bandwidth = silvermanBandwidth(sorted);
  const count = points ?? Math.min(mostPoints, Math.max(fewestPoints, Math.ceil((2 * (max - min)) / bandwidth)));
  const step = (max - min) / (count - 1);
  const density = kernelDensityEstimation(sorted, 'gaussian', bandwidth);
  const values = Array.from({ length: count }, (_, i) => (i === count - 1 ? max : min + i * step));
  const raw = values.map(density);
  const area = step * (raw.reduce((sum, each) => sum + each, 0) - ((raw[0] as number) + (raw.at(-1) as number)) / 2);
  return { bandwidth, values, densities: raw.map((each) => each / area) };
}

/**
 * Silverman's rule of thumb as in R's `bw.nrd0`: where the interquartile range is 0 the standard deviation stands alone.
 * @param sorted ascending, with two different values at least.
 */
export function silvermanBandwidth(sorted: readonly number[]): number {
  const values = sorted as number[];
  const stdev = sampleStandardDeviation(values);
  const iqr = quantileSorted(values, 0.75) - quantileSorted(values, 0.25);
  return 0.9 * (Math.min(stdev, iqr / 1.34) || stdev) * sorted.length ** -0.2;
}
