// Single visits as marks above violins and boxes, and their quartiles above these. A layer of its own instead of a scatter dataset: ten
// thousand elements of Chart.js, each with its options, take longer than a frame.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Chart, Plugin } from 'chart.js';
import { colour } from '../state/theme.ts';
import { markPath } from './marks.ts';
import { firstFrom } from './point-cloud.ts';
import { PointRaster, type Stamp, stampOf } from './point-raster.ts';
import { rowPlace, type SpreadRow } from './spread-rows.ts';

export type SpreadLayer = {
  rows: readonly SpreadRow[];
  counts: { groups: number; slots: number };
  kind: 'violin' | 'box';
  /** What stands at the end of a row, such as its median. */
  label: (row: SpreadRow) => string;
};
type Colours = Record<Protocol | 'ink' | 'page' | 'line', string>;

/** Pixels. Of many points each is smaller. */
export const pointRadius = (points: number) => (points > 4000 ? 1.9 : points > 1000 ? 2.4 : 3.2);

/** In the colours of the moment in which it is made. */
export function pointLayer(layer: SpreadLayer): Plugin {
  const radius = pointRadius(layer.rows.reduce((sum, { cloud }) => sum + cloud.values.length, 0));
  const names = ['h1', 'h2', 'h3', 'ink', 'page', 'line'] as const;
  const colours = Object.fromEntries(names.map((name) => [name, colour(name)])) as Colours;
  const stamps = new Map<string, Stamp>();
  const stamp = (protocol: Protocol, scale: number) => {
    const key = `${protocol} ${scale}`;
    const size = Math.ceil(2 * radius * 1.25 + 1);
    const made = stamps.get(key) ?? stampOf(new Path2D(markPath(protocol, size / 2, size / 2, radius)), size, scale, colours[protocol]);
    stamps.set(key, made);
    return made;
  };
  let raster: PointRaster | undefined;
  return {
    id: 'points',
    beforeDatasetsDraw: (chart) => separate(chart, layer.counts.groups, colours.line),
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area, currentDevicePixelRatio: scale } = chart;
      // Marks at the edges are whole.
      const [width, height] = [Math.ceil((area.right - area.left + 2 * radius) * scale), Math.ceil((area.bottom - area.top) * scale)];
      if (raster?.width !== width || raster.height !== height) raster = new PointRaster(width, height);
      raster.clear();
      for (const row of layer.rows) putPoints(chart, row, layer.counts, raster, stamp(row.protocol, scale), radius);
      raster.drawTo(ctx, area.left - radius, area.top, scale);
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      ctx.clip();
      for (const row of layer.rows) drawQuartiles(chart, row, layer, colours);
      ctx.restore();
      drawLabels(chart, layer, colours);
    },
  };
}

function putPoints(chart: Chart, row: SpreadRow, counts: SpreadLayer['counts'], raster: PointRaster, stamp: Stamp, radius: number): void {
  const axis = chart.scales.x;
  if (!axis) return;
  const { chartArea: area, currentDevicePixelRatio: scale } = chart;
  const { middle, half } = rowPlace(row, counts, area);
  const { values, offsets } = row.cloud;
  const [left, right] = [area.left - radius, area.right + radius];
  for (let i = firstFrom(values, axis.getValueForPixel(left) ?? axis.min); i < values.length; i++) {
    const x = axis.getPixelForValue(values[i] as number);
    if (x > right) break;
    raster.put(stamp, (x - left) * scale, (middle + (offsets[i] as number) * half - area.top) * scale);
  }
}

/** The quartiles as a small box, where there is not a large one, and the median across: in ink, edged, so that any number of points shows it. */
function drawQuartiles({ ctx, scales, chartArea }: Chart, row: SpreadRow, { counts, kind }: SpreadLayer, colours: Colours): void {
  const axis = scales.x;
  if (!axis || !row.box) return;
  const { middle, half } = rowPlace(row, counts, chartArea);
  const { lowerQuartile, median, upperQuartile } = row.box;
  const [left, centre, right] = [lowerQuartile, median, upperQuartile].map((value) => axis.getPixelForValue(value)) as [
    number,
    number,
    number,
  ];
  const bar = Math.min(6, half * 0.4);
  const draw = (style: string, width: number) => {
    ctx.strokeStyle = style;
    ctx.lineWidth = width;
    if (kind === 'violin') ctx.strokeRect(left, middle - bar, right - left, 2 * bar);
    ctx.beginPath();
    ctx.moveTo(centre, middle - half * 0.85);
    ctx.lineTo(centre, middle + half * 0.85);
    ctx.lineWidth = width + 1.25;
    ctx.stroke();
  };
  draw(colours.page, 3);
  draw(colours.ink, 1.25);
}

function separate({ ctx, chartArea: { right, top, bottom } }: Chart, groups: number, line: string): void {
  ctx.save();
  ctx.strokeStyle = line;
  for (let group = 1; group < groups; group++) {
    const y = Math.round(top + ((bottom - top) * group) / groups) + 0.5;
    ctx.beginPath();
    ctx.moveTo(0, y);
    ctx.lineTo(right, y);
    ctx.stroke();
  }
  ctx.restore();
}

function drawLabels({ ctx, chartArea, width }: Chart, { rows, counts, label }: SpreadLayer, colours: Colours): void {
  ctx.save();
  ctx.font = '12px system-ui, sans-serif';
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  for (const row of rows) {
    ctx.fillStyle = colours[row.protocol];
    ctx.fillText(label(row), width, rowPlace(row, counts, chartArea).middle);
  }
  ctx.restore();
}
