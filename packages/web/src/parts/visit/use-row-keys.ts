// One row of thousands has the focus; keys move it, and scroll to where it goes.
import { computed, nextTick, type Ref, ref, type ShallowRef } from 'vue';
import type { SeenRows } from './use-seen-rows.ts';

export interface RowKeys {
  scroller: Readonly<ShallowRef<HTMLElement | null>>;
  /** In the order in which they are shown; an element has its row's id as `data-row`. */
  ids: () => readonly string[];
  seen: Readonly<Ref<SeenRows>>;
  rowHeight: () => number;
  /** Pixels from the top of the list. */
  topOf: (index: number) => number;
  scrolled: () => void;
}

export function useRowKeys({ scroller, ids, seen, rowHeight, topOf, scrolled }: RowKeys) {
  const current = ref(0);

  /**
   * As little as is needed; the head of the table stays above.
   * @param height of what should be seen: the row, or the row with its details. Its top goes first.
   */
  function bringIntoView(index: number, height = rowHeight()): void {
    const element = scroller.value;
    if (!element) return;
    const head = element.querySelector('thead')?.offsetHeight ?? 0;
    const top = topOf(index);
    const lowest = Math.min(top, top + height + head - element.clientHeight);
    element.scrollTop = top < element.scrollTop ? top : Math.max(element.scrollTop, lowest);
    scrolled();
  }

  async function onKey(event: KeyboardEvent): Promise<void> {
    const index = ids().indexOf((event.target as HTMLElement).dataset.row ?? '');
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.value?.clientHeight ?? 0) / rowHeight()) - 2);
    const last = ids().length - 1;
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -index, End: last - index },
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    current.value = Math.min(last, Math.max(0, index + step));
    bringIntoView(current.value);
    await nextTick();
    scroller.value?.querySelector<HTMLElement>(`[data-row="${ids()[current.value]}"]`)?.focus({ preventScroll: true });
  }

  return {
    current,
    /** The one row that Tab leads to; keys lead on from there. Always one that is drawn. */
    tabStop: computed(() => Math.min(Math.max(current.value, seen.value.first), seen.value.end - 1)),
    bringIntoView,
    onKey,
  };
}
