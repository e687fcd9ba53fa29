// The names of a SpreadPlot's groups: at the left where there is room, else above the rows.
import type { Chart, Plugin } from 'chart.js';
import { colour } from '../state/theme.ts';
import type { SpreadGroup } from './spread.ts';
import { shortened, textWidth, wrapped } from './text-width.ts';

const mostWidth = 190;
const lineHeight = 15;

/** Pixels to leave free at the left: none on a phone. */
export function labelRoom(groups: readonly SpreadGroup[], width: number): number {
  if (width < 640) return 4;
  const widest = groups.reduce(
    (most, { label, note }) => Math.max(most, textWidth(label, 'group'), Math.min(150, note ? textWidth(note, 'tick') : 0)),
    60,
  );
  return Math.min(mostWidth, Math.ceil(widest) + 16);
}

export function groupLabels(groups: readonly SpreadGroup[]): Plugin {
  return {
    id: 'groups',
    afterDraw({ ctx, chartArea: { left, right, top, bottom } }: Chart) {
      const band = (bottom - top) / groups.length;
      ctx.save();
      ctx.textBaseline = 'alphabetic';
      groups.forEach(({ label, note }, index) => {
        const isAbove = left < 60;
        const room = isAbove ? right - left : left - 12;
        const notes = note === undefined ? [] : isAbove ? [] : wrapped(note, room, 'tick', 3);
        const y = isAbove ? top + band * index + 14 : top + band * (index + 0.5) + 5 - (notes.length * lineHeight) / 2;
        ctx.fillStyle = colour('ink');
        ctx.font = '650 14px system-ui, sans-serif';
        ctx.fillText(shortened(label, room, 'group'), 0, y);
        ctx.fillStyle = colour('soft');
        ctx.font = '12px system-ui, sans-serif';
        notes.forEach((line, at) => {
          ctx.fillText(line, 0, y + lineHeight * (at + 1));
        });
        const named = Math.min(room, textWidth(label, 'group')) + 8;
        if (isAbove && note !== undefined) ctx.fillText(shortened(note, room - named, 'tick'), named, y);
      });
      ctx.restore();
    },
  };
}
