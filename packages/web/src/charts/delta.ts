// H3-Delta by condition and site: what a DeltaPlot is given, and where its marks stand. Pure.
import type { SiteClass, VerdictOutcome } from '@pronghorn/core/schemas';
import type { Range } from './scale.ts';

export type DeltaRow = {
  /** Such as the condition's name. */
  label: string;
  /** Rows of one group stand below its name; give them one after the other. Such as a site. */
  group?: string;
  /** A share: H3-Delta or shift. Null: there is none. */
  value: number | null;
  /** Interval's ends; null: too few rounds for one. */
  low: number | null;
  high: number | null;
  /** As the API classed it; told in the table. */
  class?: SiteClass | null;
  /** Its whole interval lies in that class. */
  classIsSure?: boolean;
  /** The API's verdict: its mark and colour. Without one the dot is plain: no test stands behind it. */
  outcome?: VerdictOutcome | null;
  /** Where a click on the row leads, such as `#/campaigns/7?condition=3g`. */
  href?: string;
};

const quantile = (ascending: readonly number[], share: number) =>
  ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? 0;

/**
 * How far the axis reaches to both sides of zero. The margin is always on it. A few rows far away do not squeeze all
 * others: they get an arrow at the edge, as intervals do that are far wider than the values.
 * @param margin as an H3-Delta.
 * @returns in (0, 1]
 */
export function deltaReach(rows: readonly Pick<DeltaRow, 'value' | 'low' | 'high'>[], margin: number): number {
  const values = rows.flatMap(({ value }) => (value === null ? [] : [Math.abs(value)])).sort((a, b) => a - b);
  const largest = values.at(-1) ?? 0;
  const usual = values.length > 10 ? Math.min(largest, 3 * quantile(values, 0.9)) : largest;
  const ends = Math.max(0, ...rows.flatMap(({ low, high }) => [Math.abs(low ?? 0), Math.abs(high ?? 0)]));
  const wanted = Math.max(0.02, 1.9 * margin, 1.12 * usual, Math.min(1.04 * ends, 1.6 * usual + margin));
  return Math.min(1, Math.ceil(wanted * 50) / 50);
}

export type Placed = { at: number; beyond: 'low' | 'high' | null };

/** A value on the axis, or at its edge where it lies beyond. */
export function place(value: number, [low, high]: Range): Placed {
  if (value < low) return { at: low, beyond: 'low' };
  if (value > high) return { at: high, beyond: 'high' };
  return { at: value, beyond: null };
}

export const hasValue = (row: DeltaRow): row is DeltaRow & { value: number } => row.value !== null;

export type LaidRow = { row: DeltaRow; heading: { text: string; y: number } | null; from: number; middle: number };

/** One below the other, in pixels; the first row of a group has its name above. */
export function layRows(
  rows: readonly DeltaRow[],
  { top, rowHeight, groupHeight }: { top: number; rowHeight: number; groupHeight: number },
): LaidRow[] {
  let y = top;
  let group: string | undefined;
  return rows.map((row) => {
    const heading = row.group !== undefined && row.group !== group ? { text: row.group, y: y + groupHeight - 12 } : null;
    group = row.group;
    if (heading) y += groupHeight;
    const from = y;
    y += rowHeight;
    return { row, heading, from, middle: from + rowHeight / 2 };
  });
}
