// The Chart.js configuration of a live campaign's strip: its axes, with the dots as a layer of their own.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Chart, ChartConfiguration, Plugin } from 'chart.js';
import { domain, type Range, type ScaleKind } from '../../charts/axis/scale.ts';
import { valueAxis } from '../../charts/axis/value-axis.ts';
import { markPath } from '../../charts/frame/palette.ts';
import { PointRaster, type Stamp, stampOf } from '../../charts/frame/points.ts';
import { axisTitle } from '../../charts/frame/table.ts';
import { colour } from '../../state/theme.ts';
import { tick } from '../../text/format.ts';
import type { Unit } from '../../text/vocabulary.ts';
import type { Dot, StripGroup } from './strip.ts';

export type Strip = {
  /** Dots that are added later appear with the chart's next update. */
  dots: readonly Dot[];
  groups: readonly StripGroup[];
  /** In rows. */
  height: number;
  name: string;
  unit: Unit;
  scale: ScaleKind;
};

/** The range of all dots with a margin; a default where there are none yet. */
function rangeOf(dots: readonly Dot[], scale: ScaleKind): Range {
  const values = function* () {
    for (const { x, isInvalid } of dots) if (!isInvalid) yield x;
  };
  return domain(values(), scale) ?? (scale === 'log' ? [1, 10] : [0, 1]);
}

export function stripConfiguration({ dots, groups, height, name, unit, scale }: Strip): ChartConfiguration {
  const values = valueAxis({
    kind: scale,
    range: rangeOf(dots, scale),
    title: axisTitle(name, unit),
    // Without a value the axis has no numbers: its default range means nothing.
    text: (value, apart) => (hasValues(dots) ? tick(value, unit, apart) : ''),
  });
  const isAny = hasInvalid(dots);
  return {
    type: 'scatter',
    // Each axis wants a dataset, even an empty one.
    data: { datasets: [{ data: [] }, { data: [], xAxisID: 'invalid' }] },
    plugins: [groupGrounds(groups), dotLayer(dots)],
    options: {
      events: [],
      scales: {
        x: { ...values, position: 'bottom', stack: 'x', stackWeight: 7 },
        invalid: {
          ...{ type: 'linear', position: 'bottom', stack: 'x', stackWeight: laneWeight(isAny), min: 0, max: 1, display: isAny },
          title: { display: true, text: 'invalid', color: colour('bad') },
          grid: { display: false },
          border: { color: colour('bad') },
          ticks: { display: false },
        },
        y: {
          ...{ type: 'linear', reverse: true, min: -0.1, max: height + 0.1, grid: { display: false }, border: { display: false } },
          ticks: {
            color: colour('ink'),
            autoSkip: false,
            callback: (_value: unknown, index: number) => shortened(groups[index]?.label ?? ''),
          },
          afterBuildTicks: (axis: { ticks: { value: number }[] }) => {
            axis.ticks = groups.map(({ top, bottom }) => ({ value: (top + bottom) / 2 }));
          },
        },
      },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}

const shortened = (label: string) => (label.length > 18 ? `${label.slice(0, 17)}…` : label);
const hasValues = (dots: readonly Dot[]) => dots.some(({ isInvalid }) => !isInvalid);
const hasInvalid = (dots: readonly Dot[]) => dots.some(({ isInvalid }) => isInvalid);
/** Beside seven for the values. */
const laneWeight = (isAny: boolean) => (isAny ? 1 : 1e-6);

/** Fits the axes to dots that were added. */
export function fitAxes({ options: { scales } }: Chart, dots: readonly Dot[], scale: ScaleKind): void {
  const [low, high] = rangeOf(dots, scale);
  const isAny = hasInvalid(dots);
  if (scales?.x) Object.assign(scales.x, { min: low, max: high });
  if (scales?.invalid) Object.assign(scales.invalid, { display: isAny, stackWeight: laneWeight(isAny) });
}

/** A background behind each cell's rows groups them. */
const groupGrounds = (groups: readonly StripGroup[]) => ({
  id: 'groups',
  beforeDatasetsDraw({ ctx, chartArea, scales: { y } }: Chart) {
    if (!y) return;
    ctx.save();
    ctx.fillStyle = colour('line');
    groups.forEach(({ top, bottom }, index) => {
      const [from, to] = [y.getPixelForValue(top - 0.15), y.getPixelForValue(bottom + 0.15)];
      ctx.globalAlpha = index % 2 === 0 ? 0.28 : 0.12;
      ctx.fillRect(chartArea.left, from, chartArea.right - chartArea.left, to - from);
    });
    ctx.restore();
  },
});

type Mark = Protocol | 'invalid';

/** Pixels. The more dots there are, the smaller each is. */
const radiusOf = (dots: number) => (dots > 4000 ? 2.2 : dots > 1000 ? 2.8 : 3.8);

/** A dot's position on the chart, in CSS pixels. */
export function dotPlace({ scales: { x, y, invalid } }: Chart, dot: Dot): { x: number; y: number } {
  const axis = dot.isInvalid ? invalid : x;
  return { x: axis?.getPixelForValue(dot.x) ?? 0, y: y?.getPixelForValue(dot.y) ?? 0 };
}

/** Uses the theme's colours at the time of the call. Chart.js elements would take too long to update ten thousand dots four times per second. */
export function dotLayer(dots: readonly Dot[]): Plugin {
  const colours: Record<Mark, string> = { h1: colour('h1'), h2: colour('h2'), h3: colour('h3'), invalid: colour('bad') };
  const stamps = new Map<string, Stamp>();
  const stamp = (mark: Mark, radius: number, scale: number): Stamp => {
    const key = `${mark} ${radius} ${scale}`;
    const size = Math.ceil(2 * radius * 1.3 + 1);
    const path = mark === 'invalid' ? crossPath(size / 2, radius * 1.1) : markPath(mark, size / 2, size / 2, radius);
    const made = stamps.get(key) ?? stampOf(new Path2D(path), size, scale, colours[mark]);
    stamps.set(key, made);
    return made;
  };
  let raster: PointRaster | undefined;
  return {
    id: 'dots',
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area, currentDevicePixelRatio: scale } = chart;
      const radius = radiusOf(dots.length);
      // Draws marks at the edges in full.
      const [left, top] = [area.left - 2 * radius, area.top - 2 * radius];
      const [width, height] = [area.right - left, area.bottom - top].map((side) => Math.ceil((side + 2 * radius) * scale)) as [
        number,
        number,
      ];
      if (raster?.width !== width || raster.height !== height) raster = new PointRaster(width, height);
      raster.clear();
      for (const dot of dots) {
        const { x, y } = dotPlace(chart, dot);
        raster.put(stamp(dot.isInvalid ? 'invalid' : dot.visit.protocol, radius, scale), (x - left) * scale, (y - top) * scale);
      }
      raster.drawTo(ctx, left, top, scale);
    },
  };
}

/** Two diagonal bars, as an outline that can be filled. */
function crossPath(middle: number, radius: number): string {
  const near = radius * 0.7;
  const bar = [
    [-radius, -near],
    [-near, -radius],
    [radius, near],
    [near, radius],
  ] as const;
  const turned = bar.map(([x, y]) => [-y, x] as const);
  return [bar, turned].map((corners) => `M${corners.map(([x, y]) => `${middle + x} ${middle + y}`).join('L')}z`).join('');
}
