// The rows of a DeltaPlot, H3-Delta by condition and site: where their marks stand, how they look, and what they say.
import type { SiteClass, VerdictOutcome } from '@pronghorn/core/schemas';
import { signedPercent } from '../../text/format.ts';
import { classNames, outcomeNames } from '../../text/vocabulary.ts';
import type { Range } from '../axis/scale.ts';
import { type ChartTable, quantityColumn } from '../frame/table.ts';

export type DeltaRow = {
  /** Such as the condition's name. */
  label: string;
  /** Such as a site. Rows of one group are adjacent, below its name. */
  group?: string;
  /** A share: H3-Delta or shift. */
  value: number | null;
  /** Interval's ends; null: too few rounds for one. */
  low: number | null;
  high: number | null;
  /** For the table alone. */
  class?: SiteClass | null;
  /** Its whole interval lies in that class. */
  classIsSure?: boolean;
  /** The API's verdict decides the dot's mark and colour; without a test the dot is plain. */
  outcome?: VerdictOutcome | null;
  /** Where a click on the row leads, such as `#/campaigns/7?condition=3g`. */
  href?: string;
};

const quantile = (ascending: readonly number[], share: number) =>
  ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? 0;

/**
 * How far the axis reaches to both sides of zero, in (0, 1]: the margin is always on it. A few rows far away don't squeeze all others: they
 * get an arrow at the edge, as intervals do that are far wider than the values.
 * @param margin as an H3-Delta
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

/** At the end of its row. */
export function deltaNumbers({ value, low, high }: DeltaRow): string {
  if (value === null) return 'no value';
  if (low === null || high === null) return `${signedPercent(value)} (too few rounds)`;
  return `${signedPercent(value)} (${signedPercent(low, '')} to ${signedPercent(high)})`;
}

/** For screen readers and tooltips. */
export function deltaSentence({ label, group, value, low, high, outcome }: DeltaRow): string {
  const name = group === undefined ? label : `${group}, ${label}`;
  if (value === null) return `${name}: no H3-Delta.`;
  const interval =
    low === null || high === null ? 'too few rounds for an interval' : `interval ${signedPercent(low, '')} to ${signedPercent(high)}`;
  return `${name}: H3-Delta ${signedPercent(value)}, ${interval}${outcome ? `; verdict: ${outcomeNames[outcome]}` : ''}.`;
}

export function deltaTable(rows: readonly DeltaRow[]): ChartTable {
  const hasGroups = rows.some(({ group }) => group !== undefined);
  const hasOutcomes = rows.some(({ outcome }) => outcome != null);
  const hasClasses = rows.some((row) => row.class != null);
  return {
    columns: [
      ...(hasGroups ? [{ name: 'group' }] : []),
      { name: 'row' },
      ...['H3-Delta', 'low', 'high'].map((column) => quantityColumn(column, 'delta')),
      ...(hasClasses ? [{ name: 'class' }] : []),
      ...(hasOutcomes ? [{ name: 'verdict' }] : []),
    ],
    rows: rows.map((row) => [
      ...(hasGroups ? [row.group ?? ''] : []),
      ...[row.label, row.value, row.low, row.high],
      ...(hasClasses ? [row.class ? `${classNames[row.class]}${row.classIsSure ? '' : ', not sure'}` : null] : []),
      ...(hasOutcomes ? [row.outcome ? outcomeNames[row.outcome] : null] : []),
    ]),
  };
}

/** The look of a row's dot: its verdict's; where no verdict names a winner or says that both are equivalent, open. */
export type DotLook = Exclude<VerdictOutcome, 'not-shown-yet' | 'inconclusive'> | 'open';
export const dotLook = ({ outcome }: Pick<DeltaRow, 'outcome'>): DotLook =>
  outcome == null || outcome === 'not-shown-yet' || outcome === 'inconclusive' ? 'open' : outcome;
/** The meaning of the looks, in the legend's order. */
export const lookNames: readonly (readonly [DotLook | 'beyond', string])[] = [
  ['h3-faster', outcomeNames['h3-faster']],
  ['h2-faster', outcomeNames['h2-faster']],
  ['h1-faster', outcomeNames['h1-faster']],
  ['equivalent', outcomeNames.equivalent],
  ['open', 'nothing proven'],
  ['beyond', 'goes on beyond the axis'],
];
