// Lines across a chart where something begins or is divided.
import type { Plugin } from 'chart.js';
import { colour } from '../state/theme.ts';

export type CrossLine = { at: number /** Dashed unless it is the zero. */; isZero?: boolean };

/** Upright lines at values of the axis x, below what is drawn. */
export function crossLines(lines: readonly CrossLine[]): Plugin {
  return {
    id: 'cross-lines',
    beforeDatasetsDraw({ ctx, scales: { x: axis }, chartArea: { left, right, top, bottom } }) {
      if (!axis) return;
      ctx.save();
      for (const { at, isZero } of lines) {
        const x = Math.round(axis.getPixelForValue(at)) + 0.5;
        if (x < left || x > right) continue;
        ctx.strokeStyle = colour(isZero ? 'ink' : 'soft');
        ctx.setLineDash(isZero ? [] : [4, 4]);
        ctx.beginPath();
        ctx.moveTo(x, top);
        ctx.lineTo(x, bottom);
        ctx.stroke();
      }
      ctx.restore();
    },
  };
}
