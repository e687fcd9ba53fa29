// A SpreadPlot as Chart.js draws it: violins and boxes of the API's own numbers (the plugin computes nothing), single visits, and names.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Chart, ChartConfiguration, Plugin } from 'chart.js';
import { colour } from '../../state/theme.ts';
import { quantity, tick } from '../../text/format.ts';
import { protocolNames, type Unit } from '../../text/vocabulary.ts';
import type { Range, ScaleKind } from '../axis/scale.ts';
import { valueAxis } from '../axis/value-axis.ts';
import { shortened, textWidth, wrapped } from '../frame/layout.ts';
import { markPath } from '../frame/palette.ts';
import { PointRaster, type Stamp, stampOf } from '../frame/points.ts';
import { axisTitle } from '../frame/table.ts';
import {
  bodyShare,
  type Counts,
  drawnBox,
  firstFrom,
  groupShare,
  rowPlace,
  type SpreadGroup,
  type SpreadRow,
  type SpreadSlot,
  slotCount,
} from './rows.ts';

export function spreadConfiguration({
  groups,
  rows,
  kind,
  scale,
  unit,
  name,
  range,
  width,
}: {
  groups: readonly SpreadGroup[];
  rows: readonly SpreadRow[];
  kind: 'violin' | 'box';
  scale: ScaleKind;
  unit: Unit;
  name: string;
  range: Range;
  /** CSS pixels. */
  width: number;
}): ChartConfiguration {
  const slots = slotCount(groups);
  const label = ({ box, group, slot, protocol }: SpreadRow): RowLabel => ({
    name: groups[group]?.slots[slot]?.name ?? protocolNames[protocol],
    median: box ? quantity(box.median, unit) : '',
  });
  const axis = { kind: scale, range, title: axisTitle(name, unit), text: (value: number, apart: number) => tick(value, unit, apart) };
  const right =
    rows.reduce((most, row) => {
      const { name: slotName, median } = label(row);
      return Math.max(most, textWidth(slotName, 'tick') + labelMark, textWidth(median, 'tick'));
    }, 0) + 10;
  return {
    type: kind === 'violin' ? 'violin' : 'boxplot',
    data: {
      labels: groups.map((_, index) => index),
      datasets: Array.from({ length: slots }, (_, index) => {
        const colourIn = (group: number) => colour(groups[group]?.slots[index]?.protocol ?? 'h2');
        return {
          data: groups.map((group) => bodyOf(group.slots[index], scale)),
          borderColor: groups.map((_, group) => colourIn(group)),
          backgroundColor: groups.map((_, group) => `${colourIn(group)}30`),
          borderWidth: 1,
          outlierRadius: 0,
          meanRadius: 0,
          categoryPercentage: groupShare,
          barPercentage: bodyShare,
        };
      }),
    },
    plugins: [pointLayer({ rows, counts: { groups: groups.length, slots }, kind, label }), groupLabels(groups)],
    options: {
      indexAxis: 'y',
      events: [],
      layout: { padding: { left: labelRoom(groups, width), right } },
      scales: {
        x: valueAxis(axis),
        // Again above, where the one below is far away.
        ...(groups.length * slots > 8
          ? { xAbove: { ...valueAxis({ ...axis, title: '' }), position: 'top' as const, axis: 'x' as const } }
          : {}),
        y: { type: 'category', offset: true, display: false },
      },
      plugins: { tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}

/** As the plugin takes it. On a logarithmic axis the density is the logarithm's: else what is far to the right would look too small. */
function bodyOf(slot: SpreadSlot | undefined, scale: ScaleKind): object | null {
  const distribution = slot?.distribution;
  const box = drawnBox(distribution);
  if (!distribution || !box) return null;
  const { violin, ecdf } = distribution;
  const coords = (violin?.values ?? []).map((v, i) => ({ v, estimate: (violin?.densities[i] ?? 0) * (scale === 'log' ? v : 1) }));
  return {
    ...{ min: ecdf.values[0] ?? box.whiskerLow, max: ecdf.values.at(-1) ?? box.whiskerHigh },
    ...{ q1: box.lowerQuartile, median: box.median, q3: box.upperQuartile },
    ...{ whiskerMin: box.whiskerLow, whiskerMax: box.whiskerHigh, items: [], outliers: [], coords },
    maxEstimate: coords.reduce((most, { estimate }) => Math.max(most, estimate), 0),
  };
}

type SpreadLayer = {
  rows: readonly SpreadRow[];
  counts: Counts;
  kind: 'violin' | 'box';
  /** At the end of a row. */
  label: (row: SpreadRow) => RowLabel;
};
/** Its protocol, with `(A)` or `(B)` where it has two slots; its median, empty where it has none. */
type RowLabel = { name: string; median: string };
/** Pixels before a name for its protocol's mark. */
const labelMark = 14;
type Colours = Record<Protocol | 'ink' | 'page' | 'line', string>;

/** Pixels. Of many points each is smaller. */
const pointRadius = (points: number) => (points > 4000 ? 1.9 : points > 1000 ? 2.4 : 3.2);

/**
 * Single visits as marks above violins and boxes, and their quartiles above these, in the colours of the moment. No scatter dataset: ten
 * thousand elements of Chart.js, each with its options, take longer than a frame.
 */
function pointLayer(layer: SpreadLayer): Plugin {
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

function putPoints(chart: Chart, row: SpreadRow, counts: Counts, raster: PointRaster, stamp: Stamp, radius: number): void {
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

/** The quartiles as a small box, where there is no large one, and the median across: in ink, edged, so that it shows above any number of points. */
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
    const { name, median } = label(row);
    const { middle } = rowPlace(row, counts, chartArea);
    ctx.fill(new Path2D(markPath(row.protocol, width - textWidth(name, 'tick') - 8, middle - 8, 4)));
    ctx.fillText(name, width, middle - 7);
    ctx.fillText(median, width, middle + 8);
  }
  ctx.restore();
}

const maxLabelWidth = 190;
const lineHeight = 15;

/** Pixels to leave free at the left: none on a phone, where the names stand above the rows. */
function labelRoom(groups: readonly SpreadGroup[], width: number): number {
  if (width < 640) return 4;
  const widest = groups.reduce(
    (most, { label, note }) => Math.max(most, textWidth(label, 'group'), Math.min(150, note ? textWidth(note, 'tick') : 0)),
    60,
  );
  return Math.min(maxLabelWidth, Math.ceil(widest) + 16);
}

function groupLabels(groups: readonly SpreadGroup[]): Plugin {
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
