// The one point of a chart that the reader points at, taps, or reaches by keys.
import type { Chart } from 'chart.js';
import { type ShallowRef, shallowRef, watch } from 'vue';

/** CSS pixels of the chart. */
export type Place = { x: number; y: number };
export type Pointer = 'mouse' | 'touch';
/** A pen counts as a finger: not every pen can point without a touch. */
export const pointerOf = ({ pointerType }: Pick<PointerEvent, 'pointerType'>): Pointer => (pointerType === 'mouse' ? 'mouse' : 'touch');

export interface Picking<Thing> {
  readonly picked: Readonly<ShallowRef<Thing | null>>;
  /** The pointer that picked last. */
  readonly pickedBy: Readonly<ShallowRef<Pointer>>;
  /** For a ZoomChart's events. */
  readonly on: {
    /** Null: the pointer left. */
    hover(place: Place | null, pointer?: Pointer): void;
    /** A click or a tap. */
    pick(at: Place & { pointer: Pointer }): void;
    key(event: KeyboardEvent): void;
  };
  /** Opens the picked point. */
  open(): void;
}

/** Pixels; a finger is wider. */
const usualReach: Readonly<Record<Pointer, number>> = { mouse: 9, touch: 22 };

/** @param options.of a change of it clears the choice */
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
  /** @param reach in pixels */
  thingAt: (place: Place, chart: Chart, reach: number) => Thing | null;
  /** Null: the key does nothing. */
  next: (key: string, from: Thing | null) => Thing | null;
  /** Scrolls to the point that a key picked. */
  show?: (thing: Thing) => void;
  /** The action of a click and of Enter. */
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
        // A finger hides its target: the note's button opens it.
        if (pointer === 'mouse') open();
      },
      key(event) {
        if (event.key === 'Enter') open();
        if (event.key === 'Escape') picked.value = null;
        const thing = next(event.key, picked.value);
        if (thing === null) return;
        event.preventDefault();
        picked.value = thing;
        show?.(thing);
      },
    },
  };
}

/** A point by its row and its index there. */
export type PickedPoint = { row: number; index: number };

/**
 * Left and right to the next value of the row, Home and End to its ends, up and down to the nearest value of the next row that has any.
 *
 * @param rows their values, ascending
 * @param start the index to start from, by the number of values
 * @returns null where the key does nothing
 */
export function stepInRows(
  key: string,
  from: PickedPoint | null,
  rows: readonly ArrayLike<number>[],
  start: (count: number) => number,
): PickedPoint | null {
  const countOf = (row: number) => rows[row]?.length ?? 0;
  if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key)) return null;
  if (from === null) {
    const row = rows.findIndex(({ length }) => length > 0);
    return row < 0 ? null : { row, index: start(countOf(row)) };
  }
  const { row, index } = from;
  const last = countOf(row) - 1;
  switch (key) {
    case 'ArrowLeft':
      return { row, index: Math.max(0, index - 1) };
    case 'ArrowRight':
      return { row, index: Math.min(last, index + 1) };
    case 'Home':
      return { row, index: 0 };
    case 'End':
      return { row, index: last };
    default: {
      const step = key === 'ArrowUp' ? -1 : 1;
      let next = row + step;
      while (next >= 0 && next < rows.length && countOf(next) === 0) next += step;
      if (countOf(next) === 0) return from;
      const value = rows[row]?.[index] ?? 0;
      const distances = Array.from(rows[next] ?? [], (each) => Math.abs(each - value));
      return { row: next, index: distances.indexOf(distances.reduce((a, b) => Math.min(a, b))) };
    }
  }
}
