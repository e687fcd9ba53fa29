// How a client continues while the API is unavailable.
import { ApiUnavailable } from './errors.ts';

export interface RetryPolicy {
  /** The wait before another try. @param attempt the one that failed, from 1 on @returns null: no other try */
  waitMs(error: ApiUnavailable, attempt: number): number | null;
  /** Default: `pause`. */
  pause?: typeof pause | undefined;
  /** Ends the waiting: the last error is thrown. */
  signal?: AbortSignal | undefined;
  /** Called before each wait. */
  onFailure?(error: ApiUnavailable, attempt: number): void;
}

/** @throws any error of `work` that is not ApiUnavailable, and ApiUnavailable when the policy gives up */
export async function retrying<T>(policy: RetryPolicy, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiUnavailable) || policy.signal?.aborted === true) throw error;
      const waitMs = policy.waitMs(error, attempt);
      if (waitMs === null) throw error;
      policy.onFailure?.(error, attempt);
      await (policy.pause ?? pause)(waitMs, policy.signal);
    }
  }
}

const maxWaitMs = 30_000;

/**
 * Doubles from 200 ms to half a minute; spread over half of that, so that clients that lost the API together don't return together.
 * @param retryAfterMs the wait that the API asks for
 */
export function backoffMs(attempt: number, retryAfterMs: number | null, random: () => number = Math.random): number {
  const doubled = Math.min(maxWaitMs, 100 * 2 ** Math.min(attempt, 20));
  return Math.max(retryAfterMs ?? 0, doubled * (0.5 + random() / 2));
}

/** Waits until the time is over or the signal comes. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    signal?.addEventListener('abort', end);
  });
}
