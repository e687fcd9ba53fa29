import { startCpuGauge } from './cpu-gauge.ts';

const windowMs = 250;

/**
 * Waits until other processes take at most `foreignShare` of the machine's CPU time.
 *
 * @param atMostMs gives up after so long
 * @returns whether it became calm
 */
export async function untilCalm(foreignShare: number, atMostMs: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + atMostMs;
  while (performance.now() < deadline && signal?.aborted !== true) {
    const read = startCpuGauge();
    await new Promise((resolve) => setTimeout(resolve, windowMs));
    if (read().foreignShare <= foreignShare) return true;
  }
  return false;
}
