// Zoom and pan along an axis: the wheel with Ctrl, pinch, a range drawn with the mouse, keys, buttons.
import { useEventListener } from '@vueuse/core';
import { computed, type Ref, ref, type ShallowRef, shallowRef } from 'vue';
import { type Place, type Pointer, pointerOf } from '../frame/picking.ts';
import type { Range, ScaleKind } from './scale.ts';

/** More magnification would show digits beyond the precision of the measurement. */
const maxMagnification = 2000;

const along = (kind: ScaleKind, value: number) => (kind === 'log' ? Math.log(value) : value);
const back = (kind: ScaleKind, place: number) => (kind === 'log' ? Math.exp(place) : place);

/** A value's position along the axis: 0 at its low end, 1 at its high end. */
export function shareOf(value: number, [low, high]: Range, kind: ScaleKind): number {
  const [from, to] = [along(kind, low), along(kind, high)];
  return (along(kind, value) - from) / (to - from);
}

/** The value at a share of the axis. */
export function valueAt(share: number, [low, high]: Range, kind: ScaleKind): number {
  const [from, to] = [along(kind, low), along(kind, high)];
  return back(kind, from + share * (to - from));
}

/** The nearest range that the whole and the magnification allow; null for the whole. */
export function within(wanted: Range, whole: Range, kind: ScaleKind): Range | null {
  const [low, high] = [along(kind, whole[0]), along(kind, whole[1])];
  const width = Math.min(high - low, Math.max((high - low) / maxMagnification, along(kind, wanted[1]) - along(kind, wanted[0])));
  if (width >= (high - low) * (1 - 1e-9)) return null;
  const middle = (along(kind, wanted[0]) + along(kind, wanted[1])) / 2;
  const from = Math.min(high - width, Math.max(low, middle - width / 2));
  return [back(kind, from), back(kind, from + width)];
}

/**
 * Zooms in or out; the value at `about` keeps its position.
 * @param factor below 1: in
 * @param about a position along the visible range, 0 to 1
 */
export function zoomed(shown: Range, factor: number, about: number, whole: Range, kind: ScaleKind): Range | null {
  const [low, high] = [along(kind, shown[0]), along(kind, shown[1])];
  const width = Math.max((high - low) * factor, (along(kind, whole[1]) - along(kind, whole[0])) / maxMagnification);
  const fixed = low + about * (high - low);
  return within([back(kind, fixed - about * width), back(kind, fixed + (1 - about) * width)], whole, kind);
}

/** @param share of the visible range; positive: towards higher values */
export const moved = (shown: Range, share: number, whole: Range, kind: ScaleKind): Range | null =>
  within([valueAt(share, shown, kind), valueAt(1 + share, shown, kind)], whole, kind);

/** Moves the visible range so that it contains the value: not at all, or with the value in its middle. */
export function showing(value: number, shown: Range, whole: Range, kind: ScaleKind): Range | null {
  const share = shareOf(value, shown, kind);
  return share >= 0.02 && share <= 0.98 ? within(shown, whole, kind) : moved(shown, share - 0.5, whole, kind);
}

/** The position of the axis in its element, in CSS pixels from the left. */
export type AxisPlace = { left: number; right: number };

const step = 0.7;
/** In CSS pixels: a press that moves less is a click. */
const minDrag = 6;

/**
 * @param element receives the events of pointer and wheel
 * @param onPick a click or tap, in CSS pixels of the element
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
  whole: () => Range;
  kind: () => ScaleKind;
  onPick: (at: Place & { pointer: Pointer }) => void;
}) {
  const range: Ref<Range | null> = ref(null);
  const drawnRange = shallowRef<{ from: number; to: number } | null>(null);
  const pressed = new Map<number, { x: number; startX: number }>();
  let hasMoved = false;

  const set = (make: (shown: Range, all: Range) => Range | null) => {
    range.value = make(range.value ?? whole(), whole());
  };
  const frame = () => element.value?.getBoundingClientRect() ?? new DOMRect();
  const xOf = (event: MouseEvent) => event.clientX - frame().left;
  const shareAtPixel = (x: number) => {
    const { left, right } = place() ?? { left: 0, right: 1 };
    return (x - left) / (right - left);
  };
  const zoomBy = (factor: number, about = 0.5) => set((shown, all) => zoomed(shown, factor, about, all, kind()));
  const move = (share: number) => set((shown, all) => moved(shown, share, all, kind()));
  const reset = () => {
    range.value = null;
  };

  function onWheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoomBy(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) / 100), shareAtPixel(xOf(event)));
    } else if (range.value && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      event.preventDefault();
      move((event.deltaX || event.deltaY) / 600);
    }
  }
  function onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (pressed.size === 0) hasMoved = false;
    pressed.set(event.pointerId, { x: xOf(event), startX: xOf(event) });
  }
  function onMove(event: PointerEvent): void {
    const finger = pressed.get(event.pointerId);
    if (!finger) return;
    const before = [...pressed.values()].map(({ x }) => x);
    finger.x = xOf(event);
    if (!hasMoved && Math.abs(finger.x - finger.startX) < minDrag && pressed.size === 1) return;
    if (!hasMoved) {
      hasMoved = true;
      element.value?.setPointerCapture(event.pointerId);
    }
    const after = [...pressed.values()].map(({ x }) => x);
    if (pressed.size === 2) {
      const [gapBefore = 0, gapAfter = 1] = [before, after].map(([a = 0, b = 0]) => Math.max(20, Math.abs(a - b)));
      const [middleBefore = 0, middleAfter = 0] = [before, after].map(([a = 0, b = 0]) => (a + b) / 2);
      zoomBy(gapBefore / gapAfter, shareAtPixel(middleAfter));
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
        const valueAtPixel = (x: number) => valueAt(Math.min(1, Math.max(0, shareAtPixel(x))), shown, kind());
        return within([valueAtPixel(drawn.from), valueAtPixel(drawn.to)], all, kind());
      });
    } else if (!hasMoved) onPick({ x: xOf(event), y: event.clientY - frame().top, pointer: pointerOf(event) });
  }
  // Not passive, so that the page neither scrolls nor zooms as well.
  useEventListener(element, 'wheel', onWheel, { passive: false });
  useEventListener(element, 'pointerdown', onDown);
  useEventListener(element, 'pointermove', onMove);
  useEventListener(element, ['pointerup', 'pointercancel'], onUp);

  return {
    /** The visible range; null: all. */
    range,
    isZoomed: computed(() => range.value !== null),
    /** The range during drawing, in CSS pixels of the element. */
    drawnRange,
    /** Below 1: in. */
    zoomBy: (factor: number) => zoomBy(factor),
    reset,
    /** + − 0 and Shift with an arrow. @returns whether the key was one of them */
    onKey(event: KeyboardEvent): boolean {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === '+' || event.key === '=') zoomBy(step);
      else if (event.key === '-' || event.key === '_') zoomBy(1 / step);
      else if (event.key === '0') reset();
      else if (event.shiftKey && event.key === 'ArrowLeft') move(-0.2);
      else if (event.shiftKey && event.key === 'ArrowRight') move(0.2);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
