// A TrendPlot as Chart.js draws it.
import type { Chart, ChartConfiguration, Plugin, ScriptableLineSegmentContext } from 'chart.js';
import { colour } from '../../state/theme.ts';
import { shortCommit, tick } from '../../text/format.ts';
import { domain, type Range } from '../axis/scale.ts';
import { timeTicks } from '../axis/time-ticks.ts';
import { crossLines, valueAxis } from '../axis/value-axis.ts';
import { textWidth } from '../frame/layout.ts';
import { type LineLook, pointStyles } from '../frame/palette.ts';
import { axisTitle, type ChartUnit } from '../frame/table.ts';
import { type BandPoint, bands, type CommitMark, commitMarks, longestPause, type TrendPlotPoint, type TrendPlotSeries } from './series.ts';

/** The range of values and intervals, with zero for H3-Delta. */
function valueRange(points: readonly TrendPlotPoint[], unit: ChartUnit): Range {
  const values = points.flatMap(({ value, interval }) => (value === null ? [] : [value, interval?.low ?? value, interval?.high ?? value]));
  return domain(unit === 'delta' ? [0, ...values] : values) ?? [0, 1];
}

/** Small enough for marks to stand side by side, if they can still be seen then. */
const radiusOf = (points: number, width: number) => Math.max(1.8, Math.min(4, (0.35 * width) / Math.max(1, points)));

type Axis = { min: number; max: number; width: number; ticks: { value: number; label?: string }[] };
const ticksOf = ({ min, max, width }: Axis) => timeTicks([min, max], Math.max(2, width / 72));

export function trendConfiguration({
  series,
  times: range,
  name,
  unit,
  width,
  began = null,
}: {
  series: readonly (TrendPlotSeries & { look: LineLook })[];
  times: Range;
  name: string;
  unit: ChartUnit;
  /** CSS pixels. */
  width: number;
  began?: { at: string; commit: string | null } | null;
}): ChartConfiguration {
  const points = series.flatMap((one) => one.points);
  const commits = commitMarks(series);
  const values = valueRange(points, unit);
  const [lowest] = values;
  return {
    type: 'line',
    data: {
      datasets: series.map(({ name: label, protocol, look, points: its }) => {
        const pause = longestPause(its);
        const times = its.map(({ at }) => Date.parse(at));
        return {
          label,
          data: its.map(({ value }, i) => ({ x: times[i] as number, y: value ?? Number.NaN })),
          borderColor: look.colour,
          backgroundColor: look.colour,
          borderDash: [...look.dash],
          pointStyle: pointStyles[protocol],
          pointRadius: radiusOf(its.length, width),
          borderWidth: 2,
          segment: {
            // A gap has no data.
            borderColor: ({ p0DataIndex, p1DataIndex }: ScriptableLineSegmentContext) =>
              (times[p1DataIndex] ?? 0) - (times[p0DataIndex] ?? 0) > pause ? 'transparent' : undefined,
          },
        };
      }),
    },
    plugins: [
      crossLines(
        commits.map(({ at }) => at),
        'line',
      ),
      trendLayer(series, commits, began),
    ],
    options: {
      parsing: false,
      events: [],
      layout: { padding: { top: began === null ? 18 : 34, right: endRoom(series, width) } },
      scales: {
        x: {
          ...valueAxis({ kind: 'linear', range, title: '', text: String }),
          ticks: { color: colour('soft'), maxRotation: 0, autoSkip: false },
          afterBuildTicks: (axis: Axis) => {
            axis.ticks = ticksOf(axis).map(({ at, text }) => ({ value: at, label: text }));
          },
          afterTickToLabelConversion: (axis: Axis) => {
            const texts = new Map(ticksOf(axis).map(({ at, text }) => [at, text]));
            for (const tick of axis.ticks) tick.label = texts.get(tick.value) ?? '';
          },
        },
        y: {
          ...valueAxis({
            ...{ kind: 'linear', range: values, title: `${axisTitle(name, unit)}${lowest > 0 ? '; not from 0' : ''}`, pixelsPerTick: 50 },
            text: (value, apart) => tick(value, unit, apart),
          }),
          grid: { color: (at: { tick: { value: number } }) => colour(unit === 'delta' && at.tick.value === 0 ? 'ink' : 'line') },
        },
      },
      plugins: { tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}

const ringRadius = 9;

/** Lines are named at their ends where there are few enough to tell names apart, and the chart is wide enough. */
const [maxNamed, minNamedWidth] = [4, 420];
const isNamed = (series: readonly TrendPlotSeries[], width: number) => series.length <= maxNamed && width >= minNamedWidth;
const maxEndWidth = 150;
const endRoom = (series: readonly TrendPlotSeries[], width: number): number =>
  isNamed(series, width) ? Math.min(maxEndWidth, Math.max(0, ...series.map(({ name }) => textWidth(name, 'tick')))) + 20 : 0;

/** Around the lines: intervals as bands, regressions as rings, where one began, and the names of commits and lines. In the colours of the moment. */
function trendLayer(
  series: readonly (TrendPlotSeries & { look: LineLook })[],
  commits: readonly CommitMark[],
  began: { at: string; commit: string | null } | null,
): Plugin {
  const [soft, bad] = [colour('soft'), colour('bad')];
  const fills = series.map(({ protocol }) => colour(protocol));
  const runs = series.map(({ points }) => bands(points));
  const rings = series.flatMap(({ points }) =>
    points.flatMap(({ at, value, regression }) => (regression && value !== null ? [{ at: Date.parse(at), value }] : [])),
  );
  return {
    id: 'trend',
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area } = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      ctx.clip();
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
      if (began !== null) markBeginning(chart, began, bad);
      if (isNamed(series, chart.width)) nameEnds(chart, series);
    },
  };
}

function drawBand({ ctx, scales: { x, y } }: Chart, run: readonly BandPoint[]): void {
  if (!x || !y || run.length === 0) return;
  // A single point gets the width of its mark.
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

/** The names of commits above, as many as fit: a zoom shows more. */
function nameCommits({ ctx, scales: { x }, chartArea: { left, right, top } }: Chart, commits: readonly CommitMark[], soft: string): void {
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

const labelFont = '12px system-ui, sans-serif';
const labelHeight = 15;

/** An upright line where it became worse, with its commit above the others. */
function markBeginning(
  { ctx, scales: { x }, chartArea: { left, right, top, bottom } }: Chart,
  began: { at: string; commit: string | null },
  bad: string,
): void {
  const at = Math.round(x?.getPixelForValue(Date.parse(began.at)) ?? Number.NaN) + 0.5;
  if (!(at >= left && at <= right)) return;
  ctx.save();
  ctx.strokeStyle = bad;
  ctx.fillStyle = bad;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(at, top - 18);
  ctx.lineTo(at, bottom);
  ctx.stroke();
  ctx.font = `600 ${labelFont}`;
  const text = `worse since ${began.commit === null ? 'here' : shortCommit(began.commit)}`;
  const width = ctx.measureText(text).width;
  ctx.fillText(text, Math.min(right - width, Math.max(left, at - width / 2)), top - 22);
  ctx.restore();
}

/** The name of each line beside its last point that is seen, moved apart where they would cover each other. */
function nameEnds(
  { ctx, scales: { x, y }, chartArea: { left, right, top, bottom } }: Chart,
  series: readonly (TrendPlotSeries & { look: LineLook })[],
): void {
  if (!x || !y) return;
  const ends = series.flatMap(({ name, look, points }) => {
    const last = points.findLast(({ at, value }) => value !== null && x.getPixelForValue(Date.parse(at)) <= right + 1);
    const px = last && x.getPixelForValue(Date.parse(last.at));
    return last && last.value !== null && px !== undefined && px >= left ? [{ name, look, y: y.getPixelForValue(last.value) }] : [];
  });
  ctx.save();
  ctx.font = `600 ${labelFont}`;
  let free = top;
  for (const end of ends.sort((a, b) => a.y - b.y)) {
    const middle = Math.min(bottom, Math.max(end.y, free));
    free = middle + labelHeight;
    ctx.fillStyle = end.look.colour;
    ctx.fillText(end.name, right + 9, middle + 4, maxEndWidth);
  }
  ctx.restore();
}
