// Which dot the reader means: the nearest to the pointer, or the next by a key. Pure.
import { type Dot, rowKey, type StripRow } from './strip.ts';

/** Within so many pixels. @param placeOf a dot on the chart. */
export function nearest(
  dots: readonly Dot[],
  at: { x: number; y: number },
  reach: number,
  placeOf: (dot: Dot) => { x: number; y: number },
): Dot | null {
  let [found, least]: [Dot | null, number] = [null, reach ** 2];
  for (const dot of dots) {
    const { x, y } = placeOf(dot);
    const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
    if (distance > least) continue;
    [found, least] = [dot, distance];
  }
  return found;
}

const steps: Readonly<Record<string, readonly [along: number, across: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** By arrow keys: along its row by value, invalid ones last, and to the nearest of the rows above and below. Null: no such key, no dot. */
export function stepped(key: string, from: Dot | null, dots: readonly Dot[], rows: ReadonlyMap<string, StripRow>): Dot | null {
  const step = steps[key];
  if (step === undefined || dots.length === 0) return null;
  const [along, across] = step;
  const byRow = Map.groupBy(dots, ({ visit }) => rowKey(visit));
  const order = [...rows.keys()].filter((row) => byRow.has(row));
  const inRow = (row: string | undefined) =>
    (byRow.get(row ?? '') ?? []).toSorted((a, b) => Number(a.isInvalid) - Number(b.isInvalid) || a.x - b.x);
  if (from === null || !byRow.has(rowKey(from.visit))) return inRow(order[0])[0] ?? null;
  const row = rowKey(from.visit);
  if (along !== 0) {
    const all = inRow(row);
    const at = all.findIndex(({ visit }) => visit.id === from.visit.id);
    return all[Math.min(all.length - 1, Math.max(0, at + along))] ?? null;
  }
  const next = order[order.indexOf(row) + across];
  if (next === undefined) return from;
  const same = inRow(next).filter(({ isInvalid }) => isInvalid === from.isInvalid);
  return (same.length > 0 ? same : inRow(next)).reduce((a, b) => (Math.abs(b.x - from.x) < Math.abs(a.x - from.x) ? b : a));
}
