// The strip's numbers: how many visits each row has, and where they lie.
import { type ChartTable, quantityColumn } from '../../charts/frame/table.ts';
import { medianOf } from '../../text/median.ts';
import { protocolNames, type Unit } from '../../text/vocabulary.ts';
import type { LiveVisit } from './live-visits.ts';
import { addDots, type Dot, rowKey } from './strip.ts';

/** @param choice as of `addDots`. */
export function stripTable(
  visits: readonly LiveVisit[],
  choice: Parameters<typeof addDots>[2],
  { name, unit }: { name: string; unit: Unit },
): ChartTable {
  const dots: Dot[] = [];
  addDots(dots, visits, choice);
  const byRow = Map.groupBy(dots, ({ visit }) => rowKey(visit));
  const right = 'right' as const;
  return {
    columns: [
      ...[{ name: 'condition' }, { name: 'view' }, { name: 'protocol' }],
      ...[
        { name: 'visits', align: right },
        { name: 'invalid', align: right },
      ],
      ...['lowest', 'median', 'highest'].map((which) => quantityColumn(`${which} ${name}`, unit)),
    ],
    rows: [...choice.rows].map(([key, { condition, view, protocol }]) => {
      const [invalid, valid] = [true, false].map((isInvalid) => (byRow.get(key) ?? []).filter((dot) => dot.isInvalid === isInvalid));
      const sorted = (valid ?? []).map(({ x }) => x).sort((a, b) => a - b);
      const counts = [sorted.length, invalid?.length ?? 0];
      return [condition, view, protocolNames[protocol], ...counts, sorted[0] ?? null, medianOf(sorted), sorted.at(-1) ?? null];
    }),
  };
}
