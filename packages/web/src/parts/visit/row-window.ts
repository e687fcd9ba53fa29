// Draws only the visible rows of thousands; one of them has the focus.
import { useEventListener, useResizeObserver } from '@vueuse/core';
import { computed, nextTick, type Ref, ref, type ShallowRef } from 'vue';

/** Rows drawn beyond the edges, so that scrolling shows no gap. */
const overscan = 12;
const maxOnPaper = 500;

export interface SeenRows {
  first: number;
  /** Exclusive. */
  end: number;
  /** Pixels of space. */
  above: number;
  below: number;
}

/** @param details the row with details below it, and their height in pixels */
export function seenRows(
  { top, height }: { top: number; height: number },
  count: number,
  rowHeight: number,
  details: { index: number; height: number } | null,
): SeenRows {
  const extra = (index: number) => (details !== null && details.index < index ? details.height : 0);
  const indexAt = (y: number) => {
    const index = Math.floor(y / rowHeight);
    return details === null || index <= details.index ? index : Math.max(details.index, Math.floor((y - details.height) / rowHeight));
  };
  const clamped = (index: number) => Math.min(count, Math.max(0, index));
  const first = clamped(indexAt(top) - overscan);
  const end = clamped(indexAt(top + height) + overscan + 1);
  return { first, end, above: first * rowHeight + extra(first), below: (count - end) * rowHeight + extra(count) - extra(end) };
}

/** Follows a scrolling element. */
export function useSeenRows(
  scroller: Readonly<ShallowRef<HTMLElement | null>>,
  count: () => number,
  rowHeight: () => number,
  details: () => { index: number; height: number } | null,
) {
  const seen = ref({ top: 0, height: 1000 });
  const isPrinting = ref(false);
  const look = () => {
    const element = scroller.value;
    if (element) seen.value = { top: element.scrollTop, height: element.clientHeight };
  };
  useResizeObserver(scroller, look);
  // Paper doesn't scroll.
  useEventListener(['beforeprint', 'afterprint'], ({ type }) => {
    isPrinting.value = type === 'beforeprint';
  });
  const rows = computed(() =>
    isPrinting.value
      ? { first: 0, end: Math.min(count(), maxOnPaper), above: 0, below: 0 }
      : seenRows(seen.value, count(), rowHeight(), details()),
  );
  return { rows, look };
}

export interface RowKeys {
  scroller: Readonly<ShallowRef<HTMLElement | null>>;
  /** In display order. A row's element has its id as `data-row`. */
  ids: () => readonly string[];
  seen: Readonly<Ref<SeenRows>>;
  rowHeight: () => number;
  /** Pixels from the top of the list. */
  topOf: (index: number) => number;
  scrolled: () => void;
}

export function useRowKeys({ scroller, ids, seen, rowHeight, topOf, scrolled }: RowKeys) {
  const current = ref(0);

  /** Scrolls as little as needed, below the table's head. @param height of the row, or of the row with its details; if both don't fit, the top shows */
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
    /** The one row that Tab reaches; it is always drawn. */
    tabStop: computed(() => Math.min(Math.max(current.value, seen.value.first), seen.value.end - 1)),
    bringIntoView,
    onKey,
  };
}
