// How long to wait before trying again.
import { setTimeout as delay } from 'node:timers/promises';

const longestWaitMs = 30_000;

/**
 * Doubles from 200 ms to half a minute; spread over half of that, so that runners that lost their api together don't come back together.
 * @param retryAfterMs what the api asked for.
 */
export function waitBefore(attempt: number, retryAfterMs: number | null, random: () => number = Math.random): number {
  const doubled = Math.min(longestWaitMs, 100 * 2 ** Math.min(attempt, 20));
  return Math.max(retryAfterMs ?? 0, doubled * (0.5 + random() / 2));
}

/** Waits, or until the signal comes. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(Math.max(0, ms), undefined, signal === undefined ? {} : { signal });
  } catch {
    // Told to stop waiting.
  }
}

/** Retry-After in seconds or as a date (RFC 9110, 10.2.3), as milliseconds from now; null: there is none that can be read. */
export function retryAfterOf({ headers }: Pick<Response, 'headers'>): number | null {
  const said = headers.get('retry-after')?.trim();
  if (said === undefined || said === '') return null;
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 3_600_000) : null;
}
