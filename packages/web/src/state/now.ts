// The time, as something that a page shows: it goes on while the page stands.
import { onScopeDispose, type ShallowRef, shallowRef } from 'vue';
import { now as serviceNow } from '../service/clock.ts';

/** Milliseconds since 1970 by the service's clock, anew every `everyMs`. */
export function useNow(everyMs = 1000): Readonly<ShallowRef<number>> {
  const now = shallowRef(serviceNow());
  const timer = setInterval(() => {
    now.value = serviceNow();
  }, everyMs);
  onScopeDispose(() => clearInterval(timer));
  return now;
}
