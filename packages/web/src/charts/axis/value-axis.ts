// A value axis of Chart.js: grid and text in the page's colours, and lines across the chart.
import type { Plugin } from 'chart.js';
import { colour } from '../../state/theme.ts';
import { logTicks, type Range, type ScaleKind, ticks } from './scale.ts';

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
  /** @param apart the distance to the next tick */
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
      // A single number would not show the axis' scale.
      const values = [count, 2 * count].map(those).find(({ length: numbers }) => numbers > 1) ?? those(count);
      axis.ticks = values.map((value) => ({ value }));
    },
  };
}

/** Upright dashed lines at values of the axis x, below the data; the line at zero is solid. */
export const crossLines = (values: readonly number[], ink: 'soft' | 'line' = 'soft'): Plugin => ({
  id: 'cross-lines',
  beforeDatasetsDraw({ ctx, scales: { x: axis }, chartArea: { left, right, top, bottom } }) {
    if (!axis) return;
    ctx.save();
    for (const value of values) {
      const x = Math.round(axis.getPixelForValue(value)) + 0.5;
      if (x < left || x > right) continue;
      ctx.strokeStyle = colour(value === 0 ? 'ink' : ink);
      ctx.setLineDash(value === 0 ? [] : [4, 4]);
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
});
