// What part of an axis is shown, and what is shown after a zoom or a move. Pure.
import type { Range, ScaleKind } from './scale.ts';

/** Nothing is magnified more than that: beyond, ticks would differ in digits that nobody measured. */
const mostMagnified = 2000;

const along = (kind: ScaleKind, value: number) => (kind === 'log' ? Math.log(value) : value);
const back = (kind: ScaleKind, place: number) => (kind === 'log' ? Math.exp(place) : place);

/** Where along the axis a value stands: 0 at its low end, 1 at its high one. */
export function shareOf(value: number, [low, high]: Range, kind: ScaleKind): number {
  const [from, to] = [along(kind, low), along(kind, high)];
  return (along(kind, value) - from) / (to - from);
}

/** The value there. */
export function valueAt(share: number, [low, high]: Range, kind: ScaleKind): number {
  const [from, to] = [along(kind, low), along(kind, high)];
  return back(kind, from + share * (to - from));
}

/**
 * As near to what is wanted as the whole allows: never outside of it, never narrower than can be read.
 * @returns null where that is the whole.
 */
export function within(wanted: Range, whole: Range, kind: ScaleKind): Range | null {
  const [low, high] = [along(kind, whole[0]), along(kind, whole[1])];
  const width = Math.min(high - low, Math.max((high - low) / mostMagnified, along(kind, wanted[1]) - along(kind, wanted[0])));
  if (width >= (high - low) * (1 - 1e-9)) return null;
  const middle = (along(kind, wanted[0]) + along(kind, wanted[1])) / 2;
  const from = Math.min(high - width, Math.max(low, middle - width / 2));
  return [back(kind, from), back(kind, from + width)];
}

/**
 * Zooms in or out; the value at `about` stays where it is.
 * @param factor below 1: in.
 * @param about where along what is shown, 0 to 1.
 */
export function zoomed(shown: Range, factor: number, about: number, whole: Range, kind: ScaleKind): Range | null {
  const [low, high] = [along(kind, shown[0]), along(kind, shown[1])];
  const width = Math.max((high - low) * factor, (along(kind, whole[1]) - along(kind, whole[0])) / mostMagnified);
  const fixed = low + about * (high - low);
  return within([back(kind, fixed - about * width), back(kind, fixed + (1 - about) * width)], whole, kind);
}

/** @param share of what is shown; positive: towards higher values. */
export function moved(shown: Range, share: number, whole: Range, kind: ScaleKind): Range | null {
  return within([valueAt(share, shown, kind), valueAt(1 + share, shown, kind)], whole, kind);
}

/** The same magnification, moved as little as needed so that the value is seen. */
export function showing(value: number, shown: Range, whole: Range, kind: ScaleKind): Range | null {
  const share = shareOf(value, shown, kind);
  if (share >= 0.02 && share <= 0.98) return within(shown, whole, kind);
  return moved(shown, share - 0.5, whole, kind);
}
