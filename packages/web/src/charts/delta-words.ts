// What a DeltaPlot says in words and as a table.
import type { VerdictOutcome } from '@pronghorn/core/schemas';
import { signed } from '../text/format.ts';
import { classNames, outcomeNames } from '../text/vocabulary.ts';
import type { DeltaRow } from './delta.ts';
import { type ChartTable, quantityColumn } from './table.ts';

/** At the end of its row. */
export function deltaNumbers({ value, low, high }: DeltaRow): string {
  if (value === null) return 'no value';
  if (low === null || high === null) return `${signed(value)} (too few rounds)`;
  return `${signed(value)} (${signed(low)} to ${signed(high)})`;
}

/** For a screen reader, and for whoever points at the row. */
export function deltaSentence({ label, group, value, low, high, outcome }: DeltaRow): string {
  const place = group === undefined ? label : `${group}, ${label}`;
  if (value === null) return `${place}: no H3-Delta.`;
  const interval = low === null || high === null ? 'too few rounds for an interval' : `interval ${signed(low)} to ${signed(high)}`;
  return `${place}: H3-Delta ${signed(value)}, ${interval}${outcome ? `; verdict: ${outcomeNames[outcome]}` : ''}.`;
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

/** How a row's dot looks: its verdict's, hollow without an interval. */
export type DotLook = VerdictOutcome | 'plain' | 'hollow';
export function dotLook({ outcome, low, high }: Pick<DeltaRow, 'outcome' | 'low' | 'high'>): DotLook {
  return low === null || high === null ? 'hollow' : (outcome ?? 'plain');
}
/** What the looks mean, in the order in which they are explained. */
export const lookNames: readonly (readonly [DotLook | 'beyond', string])[] = [
  ['h3-faster', `verdict: ${outcomeNames['h3-faster']}`],
  ['h2-faster', `verdict: ${outcomeNames['h2-faster']}`],
  ['equivalent', `verdict: ${outcomeNames.equivalent}`],
  ['not-shown-yet', `verdict: ${outcomeNames['not-shown-yet']}`],
  ['inconclusive', `verdict: ${outcomeNames.inconclusive}`],
  ['hollow', 'too few rounds for an interval'],
  ['beyond', 'goes on beyond the axis'],
];
