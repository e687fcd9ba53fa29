// What a reader means on a chart: pointed at, tapped, or gone to by keys; one thing at a time.
import type { Chart } from 'chart.js';
import { type ShallowRef, shallowRef, watch } from 'vue';

/** CSS pixels of the chart. */
export type Place = { x: number; y: number };
export type Pointer = 'mouse' | 'touch';
/** A pen is a finger that is thin: not every one can point without a touch. */
export const pointerOf = ({ pointerType }: Pick<PointerEvent, 'pointerType'>): Pointer => (pointerType === 'mouse' ? 'mouse' : 'touch');

export interface Picking<Thing> {
  readonly picked: Readonly<ShallowRef<Thing | null>>;
  /** By what something was picked last. */
  readonly pickedBy: Readonly<ShallowRef<Pointer>>;
  /** What a ZoomPlot tells, for its `v-on`. */
  readonly on: {
    /** The pointer is there; null: it left. */
    hover(place: Place | null, pointer?: Pointer): void;
    /** Clicked or tapped there. */
    pick(at: Place & { pointer: Pointer }): void;
    key(event: KeyboardEvent): void;
  };
  /** Opens what is picked. */
  open(): void;
}

/** Pixels; a finger is wider. */
const usualReach: Readonly<Record<Pointer, number>> = { mouse: 9, touch: 22 };

/** @param asked.of with another of these nothing is picked. */
export function usePicking<Thing>({
  chart,
  of,
  thingAt,
  next,
  show,
  opens,
  reach = usualReach,
}: {
  chart: () => Chart | null | undefined;
  of: () => unknown;
  /** What stands there, within so many pixels. */
  thingAt: (place: Place, chart: Chart, reach: number) => Thing | null;
  /** Where a key leads; null where it does nothing. */
  next: (key: string, from: Thing | null) => Thing | null;
  /** Brings into view where a key led. */
  show?: (thing: Thing) => void;
  /** What a click and Enter do. */
  opens?: (thing: Thing) => void;
  reach?: Readonly<Record<Pointer, number>>;
}): Picking<Thing> {
  const picked: ShallowRef<Thing | null> = shallowRef(null);
  const pickedBy = shallowRef<Pointer>('mouse');
  watch(of, () => {
    picked.value = null;
  });
  function hover(place: Place | null, pointer: Pointer = 'mouse'): void {
    const drawn = chart();
    pickedBy.value = pointer;
    picked.value = place && drawn ? thingAt(place, drawn, reach[pointer]) : null;
  }
  function open(): void {
    if (picked.value !== null) opens?.(picked.value);
  }
  return {
    picked,
    pickedBy,
    open,
    on: {
      hover,
      pick({ pointer, ...place }) {
        hover(place, pointer);
        // A finger hides what it points at: the note asks first.
        if (pointer === 'mouse') open();
      },
      key(event) {
        if (event.key === 'Enter') open();
        if (event.key === 'Escape') picked.value = null;
        const found = next(event.key, picked.value);
        if (found === null) return;
        event.preventDefault();
        picked.value = found;
        show?.(found);
      },
    },
  };
}
