// What stands around a trend's lines: intervals as bands, commits as lines across, regressions as rings.
import type { Chart, Plugin } from 'chart.js';
import { colour } from '../state/theme.ts';
import { textWidth } from './text-width.ts';
import { bands, commitMarks, shortCommit, type TrendPlotSeries } from './trend.ts';

const ringRadius = 9;

/** In the colours of the moment in which it is made. */
export function trendLayer(series: readonly TrendPlotSeries[]): Plugin {
  const [soft, bad, line] = [colour('soft'), colour('bad'), colour('line')];
  const fills = series.map(({ protocol }) => colour(protocol));
  const runs = series.map(({ points }) => bands(points));
  const commits = commitMarks(series);
  const rings = series.flatMap(({ points }) =>
    points.filter(({ regression }) => regression).map(({ at, value }) => ({ at: Date.parse(at), value })),
  );
  return {
    id: 'trend',
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area } = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      ctx.clip();
      drawCommits(chart, commits, line);
      runs.forEach((each, i) => {
        ctx.globalAlpha = 0.16;
        ctx.fillStyle = fills[i] as string;
        for (const run of each) drawBand(chart, run);
      });
      ctx.restore();
    },
    afterDatasetsDraw(chart) {
      const { ctx, scales, chartArea: area } = chart;
      ctx.save();
      ctx.strokeStyle = bad;
      ctx.lineWidth = 2.5;
      for (const { at, value } of rings) {
        const [x, y] = [scales.x?.getPixelForValue(at) ?? 0, scales.y?.getPixelForValue(value) ?? 0];
        if (x < area.left || x > area.right) continue;
        ctx.beginPath();
        ctx.arc(x, y, ringRadius, 0, 2 * Math.PI);
        ctx.stroke();
      }
      ctx.restore();
      nameCommits(chart, commits, soft);
    },
  };
}

function drawBand({ ctx, scales: { x, y } }: Chart, run: readonly { at: number; low: number; high: number }[]): void {
  if (!x || !y || run.length === 0) return;
  // One alone has no width: it gets that of its mark.
  const ends =
    run.length > 1
      ? run.map((point) => ({ ...point, px: x.getPixelForValue(point.at) }))
      : run.flatMap((point) => [-4, 4].map((d) => ({ ...point, px: x.getPixelForValue(point.at) + d })));
  ctx.beginPath();
  for (const { px, high } of ends) ctx.lineTo(px, y.getPixelForValue(high));
  for (const { px, low } of ends.toReversed()) ctx.lineTo(px, y.getPixelForValue(low));
  ctx.closePath();
  ctx.fill();
}

function drawCommits({ ctx, scales: { x }, chartArea }: Chart, commits: readonly { at: number }[], line: string): void {
  if (!x) return;
  ctx.strokeStyle = line;
  ctx.setLineDash([3, 3]);
  for (const { at } of commits) {
    const px = Math.round(x.getPixelForValue(at)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(px, chartArea.top);
    ctx.lineTo(px, chartArea.bottom);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

/** Their names above, as far as there is room: a zoom shows more. */
function nameCommits(
  { ctx, scales: { x }, chartArea: { left, right, top } }: Chart,
  commits: readonly { at: number; commit: string }[],
  soft: string,
): void {
  if (!x) return;
  ctx.save();
  ctx.font = '12px system-ui, sans-serif';
  ctx.fillStyle = soft;
  let free = left;
  for (const { at, commit } of commits) {
    const px = x.getPixelForValue(at);
    const text = shortCommit(commit).slice(0, 16);
    const width = textWidth(text, 'tick');
    if (px < left || px > right) continue;
    const from = Math.min(right - width, Math.max(left, px - width / 2));
    if (from < free) continue;
    ctx.fillText(text, from, top - 6);
    free = from + width + 10;
  }
  ctx.restore();
}
