// A long page that grows from its top: each part in a task of its own, so that none keeps the reader's finger waiting.
import { onScopeDispose, type Ref, readonly, ref } from 'vue';

/** The browser may be busy with what it measures itself; a reader waits no longer than this for the next part, in milliseconds. */
const latestMs = 100;

/** How many parts stand on the page: 1 at once, then one more whenever the browser is idle; after `all` as many as there ever are. */
export function useOneByOne(all: number): Readonly<Ref<number>> {
  const count = ref(1);
  const later = () => requestIdleCallback(grow, { timeout: latestMs });
  let idle = later();
  function grow(): void {
    count.value = count.value + 1 < all ? count.value + 1 : Number.POSITIVE_INFINITY;
    if (count.value < all) idle = later();
  }
  onScopeDispose(() => cancelIdleCallback(idle));
  return readonly(count);
}
