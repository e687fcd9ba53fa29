// Rows of the H3-Delta plot, and where two metrics of the same visits contradict each other. Pure.
import type { SiteClass, VerdictOutcome } from '@pronghorn/core/schemas';
import type { DeltaRow } from '../../charts/delta/rows.ts';
import { disagree } from '../../text/sentence.ts';
import { type Cell, cellKey } from './cells.ts';

/** H3-Delta of one metric in one cell. */
export type DeltaSource = Cell & {
  delta: { value: number; low: number | null; high: number | null } | null;
  /** The API's verdict; null where rounds are still to come. */
  outcome: VerdictOutcome | null;
  /** The API's class; null while it is unknown. */
  deltaClass: SiteClass | null;
  deltaClassIsSure: boolean;
  /** p of the signed-rank test, uncorrected. */
  p: number | null;
};

/** @param groupOf null: rows have no groups */
export function deltaRows(
  sources: readonly DeltaSource[],
  {
    labelOf,
    groupOf,
    hrefOf,
  }: {
    labelOf: (source: DeltaSource) => string;
    groupOf: ((source: DeltaSource) => string) | null;
    hrefOf: (source: DeltaSource) => string;
  },
): DeltaRow[] {
  const rows = sources.map(
    (source): DeltaRow => ({
      label: labelOf(source),
      ...(groupOf === null ? {} : { group: groupOf(source) }),
      value: source.delta?.value ?? null,
      low: source.delta?.low ?? null,
      high: source.delta?.high ?? null,
      class: source.deltaClass,
      classIsSure: source.deltaClassIsSure,
      outcome: source.outcome,
      href: hrefOf(source),
    }),
  );
  return [...Map.groupBy(rows, ({ group }) => group).values()].flat();
}

/** Smaller differences than chance produces point anywhere: each of the two must be larger. */
const level = 0.05;

/** The cells in which both metrics differ by more than chance, in opposite directions. */
export function disagreements(onLoad: readonly DeltaSource[], speedIndex: readonly DeltaSource[]): DeltaSource[] {
  const other = new Map(speedIndex.map((source) => [cellKey(source), source]));
  return onLoad.filter((one) => {
    const its = other.get(cellKey(one));
    return (one.p ?? 1) <= level && (its?.p ?? 1) <= level && disagree(one.delta?.value, its?.delta?.value);
  });
}
