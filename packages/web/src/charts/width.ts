// Charts are drawn for the width they have, so that their text keeps its size on a phone.
import { onBeforeUnmount, onMounted, type Ref, ref, type ShallowRef } from 'vue';

/** The element's width in CSS pixels; 0 until it is shown. */
export function useWidth(element: Readonly<ShallowRef<HTMLElement | null>>): Readonly<Ref<number>> {
  const width = ref(0);
  const take = (found: number) => {
    if (found > 0) width.value = Math.floor(found);
  };
  const observer = new ResizeObserver(([entry]) => take(entry?.contentRect.width ?? 0));
  // What is printed is drawn before an observer is told.
  const measure = () => take(element.value?.clientWidth ?? 0);
  onMounted(() => {
    if (element.value) observer.observe(element.value);
  });
  addEventListener('beforeprint', measure);
  addEventListener('afterprint', measure);
  onBeforeUnmount(() => {
    observer.disconnect();
    removeEventListener('beforeprint', measure);
    removeEventListener('afterprint', measure);
  });
  return width;
}
