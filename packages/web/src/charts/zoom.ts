// Zoom and move along a chart's value axis: wheel with Ctrl, pinch, a range drawn with the mouse, keys, buttons.
import { computed, onBeforeUnmount, type Ref, ref, type ShallowRef, shallowRef, watch } from 'vue';
import { type Pointer, pointerOf } from './picking.ts';
import type { Range, ScaleKind } from './scale.ts';
import { moved, valueAt, within, zoomed } from './view-range.ts';

/** Where the axis lies in its element, in CSS pixels from the left. */
export type AxisPlace = { left: number; right: number };
export interface Zoom {
  /** What is shown; null: all. */
  readonly range: Ref<Range | null>;
  readonly isZoomed: Readonly<Ref<boolean>>;
  /** The range that is being drawn, in CSS pixels of the element. */
  readonly drawnRange: Readonly<ShallowRef<{ from: number; to: number } | null>>;
  /** Below 1: in. */
  by(factor: number): void;
  /** As a share of what is shown. */
  move(share: number): void;
  reset(): void;
  /** + − 0 and Shift with an arrow. @returns whether the key was one of them. */
  onKey(event: KeyboardEvent): boolean;
}

const step = 0.7;
/** Nearer than that a press is a click. */
const dragPixels = 6;

/**
 * @param element gets the pointer's and the wheel's events.
 * @param onPick a click or tap, in CSS pixels of the element.
 */
export function useZoom({
  element,
  place,
  whole,
  kind,
  onPick,
}: {
  element: Readonly<ShallowRef<HTMLElement | null>>;
  place: () => AxisPlace | null;
  whole: () => Range | null;
  kind: () => ScaleKind;
  onPick: (x: number, y: number, pointer: Pointer) => void;
}): Zoom {
  const range = ref<Range | null>(null);
  const drawnRange = shallowRef<{ from: number; to: number } | null>(null);
  const pressed = new Map<number, { x: number; y: number; startX: number; startY: number }>();
  let hasMoved = false;

  const set = (make: (shown: Range, all: Range) => Range | null) => {
    const all = whole();
    if (all) range.value = make(range.value ?? all, all);
  };
  const xOf = (event: MouseEvent) => event.clientX - (element.value?.getBoundingClientRect().left ?? 0);
  const shareAtPixel = (x: number) => {
    const { left, right } = place() ?? { left: 0, right: 1 };
    return (x - left) / (right - left);
  };
  const by = (factor: number, about = 0.5) => set((shown, all) => zoomed(shown, factor, about, all, kind()));
  const move = (share: number) => set((shown, all) => moved(shown, share, all, kind()));
  const reset = () => {
    range.value = null;
  };

  function onWheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      by(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) / 100), shareAtPixel(xOf(event)));
    } else if (range.value && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      event.preventDefault();
      move((event.deltaX || event.deltaY) / 600);
    }
  }
  function onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    const x = xOf(event);
    if (pressed.size === 0) hasMoved = false;
    pressed.set(event.pointerId, { x, y: event.clientY, startX: x, startY: event.clientY });
  }
  function onMove(event: PointerEvent): void {
    const finger = pressed.get(event.pointerId);
    if (!finger) return;
    const before = [...pressed.values()].map((each) => each.x);
    [finger.x, finger.y] = [xOf(event), event.clientY];
    if (!hasMoved && Math.abs(finger.x - finger.startX) < dragPixels && pressed.size === 1) return;
    if (!hasMoved) {
      hasMoved = true;
      element.value?.setPointerCapture(event.pointerId);
    }
    const after = [...pressed.values()].map((each) => each.x);
    if (pressed.size === 2) {
      const [gapBefore, gapAfter] = [before, after].map(([a = 0, b = 0]) => Math.max(20, Math.abs(a - b))) as [number, number];
      const [middleBefore, middleAfter] = [before, after].map(([a = 0, b = 0]) => (a + b) / 2) as [number, number];
      by(gapBefore / gapAfter, shareAtPixel(middleAfter));
      move(shareAtPixel(middleBefore) - shareAtPixel(middleAfter));
    } else if (pointerOf(event) === 'mouse') {
      drawnRange.value = { from: Math.min(finger.startX, finger.x), to: Math.max(finger.startX, finger.x) };
    } else if (range.value) move(shareAtPixel(before[0] ?? 0) - shareAtPixel(after[0] ?? 0));
  }
  function onUp(event: PointerEvent): void {
    if (!pressed.delete(event.pointerId)) return;
    const drawn = drawnRange.value;
    drawnRange.value = null;
    if (event.type === 'pointercancel') return;
    if (drawn) {
      set((shown, all) => {
        const ends = [drawn.from, drawn.to].map((x) => valueAt(Math.min(1, Math.max(0, shareAtPixel(x))), shown, kind()));
        return within(ends as unknown as Range, all, kind());
      });
    } else if (!hasMoved && element.value) {
      const frame = element.value.getBoundingClientRect();
      onPick(event.clientX - frame.left, event.clientY - frame.top, pointerOf(event));
    }
  }

  watch(
    element,
    (now, before) => {
      before?.removeEventListener('wheel', onWheel);
      // Not passive: the page must not scroll, or be magnified, as well.
      now?.addEventListener('wheel', onWheel, { passive: false });
      for (const [name, listener] of [
        ['pointerdown', onDown],
        ['pointermove', onMove],
        ['pointerup', onUp],
        ['pointercancel', onUp],
      ] as const) {
        before?.removeEventListener(name, listener);
        now?.addEventListener(name, listener);
      }
    },
    { flush: 'post' },
  );
  onBeforeUnmount(() => element.value?.removeEventListener('wheel', onWheel));

  return {
    range,
    isZoomed: computed(() => range.value !== null),
    drawnRange,
    by: (factor) => by(factor),
    move,
    reset,
    onKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === '+' || event.key === '=') by(step);
      else if (event.key === '-' || event.key === '_') by(1 / step);
      else if (event.key === '0') reset();
      else if (event.shiftKey && event.key === 'ArrowLeft') move(-0.2);
      else if (event.shiftKey && event.key === 'ArrowRight') move(0.2);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
