// The rows of a SpreadPlot, one for each slot of each group: where they and their visits stand, which visit is meant, and their numbers.
import type { BoxPlot, Distribution } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Chart } from 'chart.js';
import { protocolNames, type Unit } from '../../text/vocabulary.ts';
import type { ScaleKind } from '../axis/scale.ts';
import { type PickedPoint, type Place, stepInRows } from '../frame/picking.ts';
import { jitterOf } from '../frame/points.ts';
import { type ChartTable, quantityColumn } from '../frame/table.ts';

export type SpreadPoint = {
  value: number;
  visitId: string;
  /** Number of its round. */
  round?: number;
};

export type SpreadSlot = {
  protocol: Protocol;
  /** Where a protocol has two slots (A/A), what sets them apart; default: the protocol's name. */
  name?: string;
  values: readonly SpreadPoint[];
  /**
   * From `GET /campaigns/:id/distributions`: box and violin are drawn from its numbers, so that they are the same as in every table. Without
   * it the visits stand alone.
   */
  distribution?: Distribution | null;
};

export type SpreadGroup = {
  /** Such as the condition's name, or site and condition. */
  label: string;
  /** In smaller letters below it. */
  note?: string;
  slots: readonly SpreadSlot[];
};

/** A row's points, ascending by value. */
export type PointCloud = {
  points: readonly SpreadPoint[];
  values: Float64Array;
  /** How far each stands from the middle of its row: −1 to 1. */
  offsets: Float32Array;
};

export type SpreadRow = {
  /** Index of its group, and of its slot there. */
  group: number;
  slot: number;
  protocol: Protocol;
  cloud: PointCloud;
  box: BoxPlot | null;
};
export type Counts = { groups: number; slots: number };

/** A quantile among failed loads is drawn at the slowest load that succeeded; words and table say that it is beyond. Null where all failed. */
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

/** How wide the violin is at each value of its grid, 1 at its widest; on a logarithmic axis its density is the logarithm's. */
export function violinWidths({ values, densities }: NonNullable<Distribution['violin']>, scale: ScaleKind): number[] {
  const raw = densities.map((density, i) => density * (scale === 'log' ? (values[i] as number) : 1));
  const most = raw.reduce((a, b) => Math.max(a, b), 0);
  return raw.map((each) => (most === 0 ? 0 : each / most));
}

/** @param violin points stay within its shape; null: within a band */
export function pointCloud(unsorted: readonly SpreadPoint[], violin: Distribution['violin'], scale: ScaleKind): PointCloud {
  const points = unsorted
    .filter(({ value }) => Number.isFinite(value) && (scale === 'linear' || value > 0))
    .sort((a, b) => a.value - b.value);
  const widths = violin ? violinWidths(violin, scale) : null;
  const [first = 0, last = 0] = violin ? [violin.values[0], violin.values.at(-1)] : [];
  const widthAt = (value: number): number => {
    if (!widths || last <= first) return 0.6;
    const at = Math.min(widths.length - 1, Math.max(0, ((value - first) / (last - first)) * (widths.length - 1)));
    const [below, above] = [widths[Math.floor(at)] ?? 0, widths[Math.ceil(at)] ?? 0];
    return 0.9 * (below + (above - below) * (at - Math.floor(at)));
  };
  return {
    points,
    values: Float64Array.from(points, ({ value }) => value),
    offsets: Float32Array.from(points, ({ value, visitId }) => jitterOf(visitId) * widthAt(value)),
  };
}

/** Pixels of a row's middle, and from there to the edge of its violin: where Chart.js puts a bar of this group and dataset. */
export function rowPlace(
  { group, slot }: Pick<SpreadRow, 'group' | 'slot'>,
  counts: Counts,
  area: { top: number; bottom: number },
): { middle: number; half: number } {
  const band = (area.bottom - area.top) / counts.groups;
  const thickness = (band * groupShare) / counts.slots;
  return {
    middle: area.top + band * (group + 0.5) + thickness * (slot + 0.5 - counts.slots / 2),
    half: (thickness * bodyShare) / 2,
  };
}

type Places = Pick<Chart, 'chartArea' | 'scales'>;

/** In CSS pixels of the chart; null where it isn't shown. */
export function pointPlace(
  { row: at, index }: PickedPoint,
  rows: readonly SpreadRow[],
  counts: Counts,
  { chartArea, scales }: Places,
): Place | null {
  const row = rows[at];
  const value = row?.cloud.values[index];
  if (!row || value === undefined || !scales.x || value < scales.x.min || value > scales.x.max) return null;
  const { middle, half } = rowPlace(row, counts, chartArea);
  return { x: scales.x.getPixelForValue(value), y: middle + (row.cloud.offsets[index] as number) * half };
}

/** The nearest visit of the row there. @param reach in pixels */
export function pointAt(
  { x, y }: Place,
  rows: readonly SpreadRow[],
  counts: Counts,
  { chartArea, scales }: Places,
  reach: number,
): PickedPoint | null {
  const axis = scales.x;
  if (!axis) return null;
  for (const [at, row] of rows.entries()) {
    const { middle, half } = rowPlace(row, counts, chartArea);
    if (Math.abs(y - middle) > half + 2) continue;
    const from = Math.max(axis.min, axis.getValueForPixel(x - reach) ?? axis.min);
    const index = nearest(row.cloud, (value) => axis.getPixelForValue(value), from, { px: x, dy: y - middle, spread: half, reach });
    if (index !== null) return { row: at, index };
  }
  return null;
}

/** Index of the first value of at least `least`; their number where there is none. */
export function firstFrom(values: Float64Array, least: number): number {
  const index = values.findIndex((value) => value >= least);
  return index < 0 ? values.length : index;
}

/** The nearest point within `reach` pixels, or null. @param from its least value @param dy from the middle of the row */
export function nearest(
  cloud: PointCloud,
  x: (value: number) => number,
  from: number,
  { px, dy, spread, reach }: { px: number; dy: number; spread: number; reach: number },
): number | null {
  let closest: number | null = null;
  let best = reach * reach;
  for (let i = firstFrom(cloud.values, from); i < cloud.values.length; i++) {
    const dx = x(cloud.values[i] as number) - px;
    if (dx > reach) break;
    const distance = dx * dx + ((cloud.offsets[i] as number) * spread - dy) ** 2;
    if (distance <= best) [closest, best] = [i, distance];
  }
  return closest;
}

/** From visit to visit; from the middle of the first row. */
export const stepped = (key: string, from: PickedPoint | null, rows: readonly SpreadRow[]): PickedPoint | null =>
  stepInRows(
    key,
    from,
    rows.map(({ cloud }) => cloud.values),
    (count) => Math.floor(count / 2),
  );

/** Each slot's percentiles, as the API gives them. */
export function spreadTable(groups: readonly SpreadGroup[], unit: Unit): ChartTable {
  return {
    columns: [
      ...[{ name: 'condition' }, { name: 'protocol' }, { name: 'visits', align: 'right' as const }],
      ...['p10', 'p25', 'median', 'p75', 'p90'].map((name) => quantityColumn(name, unit)),
    ],
    rows: groups.flatMap(({ label, slots }) =>
      slots.map(({ protocol, name, values, distribution }) => [
        ...[label, name ?? protocolNames[protocol], distribution?.n ?? values.length],
        ...(['whiskerLow', 'lowerQuartile', 'median', 'upperQuartile', 'whiskerHigh'] as const).map(
          (end) => distribution?.box[end] ?? null,
        ),
      ]),
    ),
  };
}
