// What all canvas charts have in common: axes, grid and text in the page's colours.
import { colour } from '../state/theme.ts';
import { quantity, signed } from '../text/format.ts';
import { logTicks, type Range, type ScaleKind, ticks } from './scale.ts';
import type { ChartUnit } from './table.ts';

/** A value in words, with its unit. */
export const valueText = (value: number, unit: ChartUnit): string => (unit === 'delta' ? signed(value) : quantity(value, unit));

/** An axis of numbers with round ticks, which follow the zoom. */
export function valueAxis({
  kind,
  range,
  title,
  text,
  pixelsPerTick = 70,
}: {
  kind: ScaleKind;
  range: Range;
  title: string;
  /** @param apart how far the next tick is. */
  text: (value: number, apart: number) => string;
  pixelsPerTick?: number;
}) {
  const callback = (value: string | number, index: number, all: readonly { value: number }[]) => {
    const [next, before] = [all[index + 1] ?? all[index], all[index + 1] ? all[index] : all[index - 1]];
    return text(Number(value), next && before ? next.value - before.value : Math.abs(Number(value)) || 1);
  };
  return {
    type: kind === 'log' ? ('logarithmic' as const) : ('linear' as const),
    min: range[0],
    max: range[1],
    title: { display: title !== '', text: title, color: colour('soft') },
    grid: { color: colour('line'), tickColor: colour('line') },
    border: { color: colour('line') },
    ticks: { color: colour('soft'), maxRotation: 0, autoSkip: false, callback },
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
      const those = (most: number) => (kind === 'log' ? logTicks : ticks)([axis.min, axis.max], most);
      // One number alone does not tell how long the axis is.
      const found = [count, 2 * count].map(those).find(({ length: numbers }) => numbers > 1) ?? those(count);
      axis.ticks = found.map((value) => ({ value }));
    },
  };
}
