// Times and how they are printed.
import { median, quantile } from '../../packages/core/src/math/index.ts';

/** @returns milliseconds */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs one after the other. @returns milliseconds of each */
export async function repeated(count: number, work: (index: number) => unknown): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index < count; index++) took.push(await timed(() => work(index)));
  return took;
}

export function percentiles(took: readonly number[]): string {
  if (took.length === 0) return 'none';
  return `p50 ${ms(median(took))}, p99 ${ms(quantile(took, 0.99))}, longest ${ms(Math.max(...took))} (${took.length})`;
}

/** Of the medians and of the 99th percentiles. */
export function ratios(took: readonly number[], base: readonly number[]): string {
  if (took.length === 0 || base.length === 0) return 'no ratio: nothing was timed';
  return `ratio ${ratio(median(took), median(base))}, of p99 ${ratio(quantile(took, 0.99), quantile(base, 0.99))}`;
}

export const ratio = (value: number, base: number): string => Number((value / base).toPrecision(3)).toLocaleString('en');
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
