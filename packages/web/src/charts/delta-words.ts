// What a DeltaPlot says in words and as a table.
import type { VerdictOutcome } from '@pronghorn/core';
import { classNames, outcomeNames } from '../text/vocabulary.ts';
import type { DeltaRow } from './delta.ts';
import type { Cell, ChartTable } from './table.ts';

/** At the end of its row. @param written how a number is. */
export function deltaNumbers({ value, low, high }: DeltaRow, written: (value: number) => string): string {
  if (value === null) return 'no value';
  if (low === null || high === null) return `${written(value)} (too few rounds)`;
  return `${written(value)} (${written(low)} to ${written(high)})`;
}

/** For a screen reader, and for whoever points at the row. @param name of what is drawn. */
export function deltaSentence(
  { label, group, value, low, high, outcome }: DeltaRow,
  name: string,
  written: (value: number) => string,
): string {
  const place = group === undefined ? label : `${group}, ${label}`;
  if (value === null) return `${place}: no ${name}.`;
  const interval = low === null || high === null ? 'too few rounds for an interval' : `interval ${written(low)} to ${written(high)}`;
  return `${place}: ${name} ${written(value)}, ${interval}${outcome ? `; verdict: ${outcomeNames[outcome]}` : ''}.`;
}

export function deltaTable(rows: readonly DeltaRow[], name: string, written: (value: number) => string): ChartTable {
  const format = (cell: Cell) => (typeof cell === 'number' ? written(cell) : '–');
  const hasGroups = rows.some(({ group }) => group !== undefined);
  const hasOutcomes = rows.some(({ outcome }) => outcome != null);
  const hasClasses = rows.some((row) => row.class != null);
  return {
    columns: [
      ...(hasGroups ? [{ name: 'group' }] : []),
      { name: 'row' },
      ...[name, 'low', 'high'].map((column) => ({ name: column, align: 'right' as const, format })),
      ...(hasClasses ? [{ name: 'class' }] : []),
      ...(hasOutcomes ? [{ name: 'verdict' }] : []),
    ],
    rows: rows.map((row) => [
      ...(hasGroups ? [row.group ?? ''] : []),
      ...[row.label, row.value, row.low, row.high],
      ...(hasClasses ? [row.class ? classNames[row.class] : null] : []),
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
  ['inconclusive', `verdict: ${outcomeNames.inconclusive}`],
  ['hollow', 'too few rounds for an interval'],
  ['beyond', 'goes on beyond the axis'],
];
