// What all canvas charts have in common: axes, grid and text in the page's colours.
import { colour } from '../state/theme.ts';
import { number, quantity, signed, unitNames } from '../text/format.ts';
import type { Unit } from '../text/vocabulary.ts';
import { logTicks, type Range, type ScaleKind, ticks } from './scale.ts';

/** Of what is drawn; `delta`: numbers with their sign, as H3-Delta. */
export type ChartUnit = Unit | 'delta';

/** A tick's number: whole milliseconds stay whole below 10. */
export function tickText(value: number, unit: ChartUnit): string {
  return unit === 'delta' ? signed(value) : unit === 'ms' ? value.toLocaleString('en') : number(value, unit);
}

/** A value in words, with its unit. */
export const valueText = (value: number, unit: ChartUnit): string => (unit === 'delta' ? signed(value) : quantity(value, unit));

/** `onLoad, ms` */
export const axisTitle = (name: string, unit: ChartUnit) =>
  unit === 'delta' || unitNames[unit] === '' ? name : `${name}, ${unitNames[unit]}`;

/** An axis of numbers with round ticks, which follow the zoom. */
export function valueAxis({
  kind,
  range,
  title,
  text,
  pixelsPerTick = 90,
}: {
  kind: ScaleKind;
  range: Range;
  title: string;
  text: (value: number) => string;
  pixelsPerTick?: number;
}) {
  return {
    type: kind === 'log' ? ('logarithmic' as const) : ('linear' as const),
    min: range[0],
    max: range[1],
    title: { display: title !== '', text: title, color: colour('soft') },
    grid: { color: colour('line'), tickColor: colour('line') },
    border: { color: colour('line') },
    ticks: { color: colour('soft'), maxRotation: 0, autoSkip: false, callback: (value: string | number) => text(Number(value)) },
    afterBuildTicks: (axis: {
      min: number;
      max: number;
      width: number;
      height: number;
      isHorizontal(): boolean;
      ticks: { value: number }[];
    }) => {
      const length = axis.isHorizontal() ? axis.width : axis.height;
      const count = Math.max(2, length / pixelsPerTick);
      const found = (kind === 'log' ? logTicks : ticks)([axis.min, axis.max], count);
      axis.ticks = found.map((value) => ({ value }));
    },
  };
}
