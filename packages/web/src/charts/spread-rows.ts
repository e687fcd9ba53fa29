// The rows of a SpreadPlot: one for each slot of each group, and where they stand. Pure.
import type { BoxPlot, Distribution } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { type PointCloud, pointCloud } from './point-cloud.ts';
import type { ScaleKind } from './scale.ts';
import type { SpreadGroup } from './spread.ts';

export type SpreadRow = {
  /** Place of its group, and its place there. */
  group: number;
  slot: number;
  protocol: Protocol;
  cloud: PointCloud;
  box: BoxPlot | null;
};

/** What lies among loads that failed is drawn where the slowest load that did not is; the words and the table say that it is beyond. Null where all failed. */
export function drawnBox(distribution: Pick<Distribution, 'box' | 'ecdf'> | null | undefined): BoxPlot | null {
  const slowest = distribution?.ecdf.values.at(-1);
  if (distribution === null || distribution === undefined || slowest === undefined) return null;
  return Object.fromEntries(Object.entries(distribution.box).map(([name, value]) => [name, value ?? slowest])) as BoxPlot;
}

/** Share of a group's height that its rows take; above and below there is room for its name. */
export const groupShare = 0.76;
/** Share of a row's height that its violin takes. */
export const bodyShare = 0.92;

export const slotCount = (groups: readonly SpreadGroup[]) => groups.reduce((most, { slots }) => Math.max(most, slots.length), 1);

export function spreadRows(groups: readonly SpreadGroup[], kind: 'violin' | 'box', scale: ScaleKind): SpreadRow[] {
  return groups.flatMap(({ slots }, group) =>
    slots.map(({ protocol, values, distribution }, slot) => ({
      ...{ group, slot, protocol, box: drawnBox(distribution) },
      cloud: pointCloud(values, kind === 'violin' ? (distribution?.violin ?? null) : null, scale),
    })),
  );
}

/** Pixels of a row's middle, and from there to the edge of its violin: where Chart.js puts a bar of this group and dataset. */
export function rowPlace(
  { group, slot }: Pick<SpreadRow, 'group' | 'slot'>,
  counts: { groups: number; slots: number },
  area: { top: number; bottom: number },
): { middle: number; half: number } {
  const band = (area.bottom - area.top) / counts.groups;
  const thickness = (band * groupShare) / counts.slots;
  return {
    middle: area.top + band * (group + 0.5) + thickness * (slot + 0.5 - counts.slots / 2),
    half: (thickness * bodyShare) / 2,
  };
}
