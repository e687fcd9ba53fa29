// The service's clock: times that it writes are minutes off a browser's whose clock is wrong, and every age on a page is of such a time.
import { onScopeDispose, type ShallowRef, shallowRef } from 'vue';

/** How far the service's clock is ahead of the browser's; 0 until an answer shows it. */
let aheadMs = 0;

/** Milliseconds since 1970, by the service's clock. */
export const now = (): number => Date.now() + aheadMs;

/** The same as a value that a page shows, updated every `everyMs`. */
export function useNow(everyMs = 1000): Readonly<ShallowRef<number>> {
  const shown = shallowRef(now());
  const timer = setInterval(() => {
    shown.value = now();
  }, everyMs);
  onScopeDispose(() => clearInterval(timer));
  return shown;
}

/**
 * Learns from an answer: the service wrote its time somewhen between `askedAt` and `answeredAt`, cut to whole seconds (RFC 9110, 6.6.1). What is
 * known already is moved no further than that says, so that ages don't jump.
 * @param date the answer's header; null, or no date: nothing is learned.
 * @param askedAt by the browser's clock, as `answeredAt`.
 */
export function hearTime(date: string | null, askedAt: number, answeredAt: number): void {
  const writtenAt = Date.parse(date ?? '');
  if (Number.isNaN(writtenAt)) return;
  aheadMs = Math.min(Math.max(aheadMs, writtenAt - answeredAt), writtenAt + 1000 - askedAt);
}
