// Shares of a page's objects and bytes by the protocol that served them. Pure.
import type { CellResults } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { namedSlots } from './cells.ts';

export type MixRow = {
  condition: string;
  slot: number;
  protocol: Protocol;
  name: string;
  /** Means over the visits, 0 to 1: unlike medians they add up. */
  objects: Readonly<Record<Protocol, number>>;
  bytes: Readonly<Record<Protocol, number>>;
};

/** The rows of each slot as one: the mean over conditions. */
export function mixOfSlots(rows: readonly MixRow[]): MixRow[] {
  const mean = (those: readonly MixRow[], kind: 'objects' | 'bytes') => {
    const of = (protocol: Protocol) => those.reduce((sum, row) => sum + row[kind][protocol], 0) / those.length;
    return { h1: of('h1'), h2: of('h2'), h3: of('h3') };
  };
  return [...Map.groupBy(rows, ({ slot }) => slot).values()].flatMap((those) => {
    const [first] = those;
    return first ? [{ ...first, condition: '', objects: mean(those, 'objects'), bytes: mean(those, 'bytes') }] : [];
  });
}

/** Shares of the page that came over HTTP/3 where it was requested: the mean over conditions. Null: no visit knows. */
export function measuredH3(cells: readonly CellResults[]): { objects: number; bytes: number } | null {
  const rows = protocolMix(cells).filter(({ protocol }) => protocol === 'h3');
  if (rows.length === 0) return null;
  const mean = (kind: 'objects' | 'bytes') => rows.reduce((sum, row) => sum + row[kind].h3, 0) / rows.length;
  return { objects: mean('objects'), bytes: mean('bytes') };
}

/** Slots without a counted visit are left out. */
export function protocolMix(cells: readonly CellResults[]): MixRow[] {
  return cells.flatMap((cell) =>
    namedSlots(cell).flatMap(({ slot, protocol, name, metrics }): MixRow[] => {
      if (!metrics.h1Share) return [];
      const of = (metric: string) => metrics[metric]?.mean ?? 0;
      return [
        {
          ...{ condition: cell.condition, slot, protocol, name },
          objects: { h1: of('h1Share'), h2: of('h2Share'), h3: of('h3Share') },
          bytes: { h1: of('h1ByteShare'), h2: of('h2ByteShare'), h3: of('h3ByteShare') },
        },
      ];
    }),
  );
}
