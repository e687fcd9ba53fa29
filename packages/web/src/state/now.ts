// The time, as something that a page shows: it goes on while the page stands.
import { onScopeDispose, type ShallowRef, shallowRef } from 'vue';

/** Milliseconds since 1970, anew every `everyMs`. */
export function useNow(everyMs = 1000): Readonly<ShallowRef<number>> {
  const now = shallowRef(Date.now());
  const timer = setInterval(() => {
    now.value = Date.now();
  }, everyMs);
  onScopeDispose(() => clearInterval(timer));
  return now;
}
