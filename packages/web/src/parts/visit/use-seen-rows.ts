// Of a list of thousands of rows, those that can be seen: the others are empty space above and below.
import { computed, onBeforeUnmount, onMounted, ref, type ShallowRef } from 'vue';

/** Rows drawn beyond the edges, so that scrolling shows no hole. */
const beyond = 12;
/** On paper nobody scrolls; more than this is no print. */
const mostOnPaper = 500;

export interface SeenRows {
  first: number;
  /** Not itself among them. */
  end: number;
  /** Pixels of space. */
  above: number;
  below: number;
}

/**
 * @param rowHeight pixels, of every row but the details.
 * @param details the row that has its details below it, and their height; null: none has.
 */
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
  const first = clamped(indexAt(top) - beyond);
  const end = clamped(indexAt(top + height) + beyond + 1);
  return { first, end, above: first * rowHeight + extra(first), below: (count - end) * rowHeight + extra(count) - extra(end) };
}

/** The same, following a scrolling element. */
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
  const beforePrint = () => {
    isPrinting.value = true;
  };
  const afterPrint = () => {
    isPrinting.value = false;
  };
  const sizes = new ResizeObserver(look);
  onMounted(() => {
    look();
    if (scroller.value) sizes.observe(scroller.value);
    addEventListener('beforeprint', beforePrint);
    addEventListener('afterprint', afterPrint);
  });
  onBeforeUnmount(() => {
    sizes.disconnect();
    removeEventListener('beforeprint', beforePrint);
    removeEventListener('afterprint', afterPrint);
  });
  const rows = computed(() =>
    isPrinting.value
      ? { first: 0, end: Math.min(count(), mostOnPaper), above: 0, below: 0 }
      : seenRows(seen.value, count(), rowHeight(), details()),
  );
  return { rows, look };
}
