// Charts are drawn for the width they have, so that their text keeps its size on a phone.
import { onBeforeUnmount, onMounted, type Ref, ref, type ShallowRef } from 'vue';

/** The element's width in CSS pixels; 0 until it is shown. */
export function useWidth(element: Readonly<ShallowRef<HTMLElement | null>>): Readonly<Ref<number>> {
  const width = ref(0);
  const observer = new ResizeObserver(([entry]) => {
    const found = Math.floor(entry?.contentRect.width ?? 0);
    if (found > 0) width.value = found;
  });
  onMounted(() => {
    if (element.value) observer.observe(element.value);
  });
  onBeforeUnmount(() => observer.disconnect());
  return width;
}
