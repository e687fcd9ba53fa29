// A long page that grows from its top: each part in a task of its own, so that none keeps the reader's finger waiting.
import { onScopeDispose, type Ref, readonly, ref, watch } from 'vue';

/**
 * The number of parts on the page: 1 at once, one more after each frame; all of them after `all` or for paper.
 * A page that is not seen waits.
 * @param isReady when the second may come.
 */
export function useProgressiveMount(all: number, isReady = () => true): Readonly<Ref<number>> {
  const count = ref(1);
  let [frame, timer] = [0, 0];
  const later = () => {
    frame = requestAnimationFrame(() => {
      timer = window.setTimeout(grow);
    });
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    removeEventListener('beforeprint', finish);
  };
  function finish(): void {
    stop();
    count.value = Number.POSITIVE_INFINITY;
  }
  function grow(): void {
    count.value++;
    if (count.value < all) later();
    else finish();
  }
  addEventListener('beforeprint', finish);
  onScopeDispose(stop);
  watch(isReady, (isNow) => isNow && count.value === 1 && later(), { immediate: true });
  return readonly(count);
}
