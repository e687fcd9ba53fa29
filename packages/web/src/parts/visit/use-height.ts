// How high something is that comes and goes, such as the details below a row.
import { onBeforeUnmount, type Ref, ref, type ShallowRef, watchPostEffect } from 'vue';

/**
 * @param elements of which the first is measured; while there is none, its last height stays.
 * @param guessPx before any was seen.
 * @returns CSS pixels.
 */
export function useHeight(elements: Readonly<ShallowRef<readonly HTMLElement[] | null>>, guessPx: number): Ref<number> {
  const heightPx = ref(guessPx);
  const sizes = new ResizeObserver(([entry]) => {
    const now = entry?.borderBoxSize[0]?.blockSize ?? heightPx.value;
    if (Math.abs(now - heightPx.value) >= 1) heightPx.value = now;
  });
  watchPostEffect(() => {
    sizes.disconnect();
    const [element] = elements.value ?? [];
    if (element) sizes.observe(element);
  });
  onBeforeUnmount(() => sizes.disconnect());
  return heightPx;
}
