// A RatioPlot as Chart.js draws it.
import type { ChartConfiguration, Plugin } from 'chart.js';
import { colour } from '../../state/theme.ts';
import type { Range } from '../axis/scale.ts';
import type { LineLook } from '../frame/palette.ts';
import { type RatioLine, ratioTicks } from './ratio.ts';

const styles = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star'] as const;
/** Between the lines at one level, so that no interval hides another. CSS pixels. */
const apart = 7;

/** @param lines each with the place that decides its mark */
export function ratioConfiguration({
  lines,
  levels,
  range,
  along,
  name,
}: {
  lines: readonly (RatioLine & { look: LineLook; place: number })[];
  levels: readonly string[];
  range: Range;
  along: string;
  /** Of the axis, such as HTTP/3 ÷ HTTP/2. */
  name: string;
}): ChartConfiguration {
  return {
    type: 'line',
    data: {
      labels: [...levels],
      datasets: lines.map(({ name: label, points, look, place }) => ({
        label,
        data: levels.map((level) => points.find((point) => point.level === level)?.ratio ?? null),
        borderColor: look.colour,
        backgroundColor: look.colour,
        borderDash: [...look.dash],
        borderWidth: 2,
        pointStyle: styles[place % styles.length],
        pointRadius: 4,
      })),
    },
    plugins: [lineAtOne, sideBySide(lines.length), intervals(lines)],
    options: {
      events: [],
      spanGaps: true,
      layout: { padding: { right: 8 } },
      scales: {
        x: {
          type: 'category',
          offset: true,
          title: { display: true, text: along, color: colour('soft') },
          grid: { display: false },
          border: { color: colour('line') },
          ticks: { color: colour('soft'), maxRotation: 0, autoSkip: false },
        },
        y: {
          type: 'logarithmic',
          min: range[0],
          max: range[1],
          title: { display: true, text: name, color: colour('soft') },
          grid: { color: colour('line') },
          border: { color: colour('line') },
          ticks: { color: colour('soft'), autoSkip: false, callback: (value: number | string) => String(value) },
          afterBuildTicks: (axis: { height: number; ticks: { value: number }[] }) => {
            axis.ticks = ratioTicks(range, Math.max(3, Math.floor(axis.height / 26))).map((value) => ({ value }));
          },
        },
      },
      plugins: { tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}

function sideBySide(lines: number): Plugin {
  return {
    id: 'side-by-side',
    afterDatasetUpdate(chart, { index }) {
      for (const point of chart.getDatasetMeta(index).data) point.x += (index - (lines - 1) / 2) * apart;
    },
  };
}

/** Below it the candidate’s values are the smaller ones. */
const lineAtOne: Plugin = {
  id: 'line-at-one',
  beforeDatasetsDraw({ ctx, scales: { y }, chartArea: { left, right } }) {
    if (!y) return;
    const at = Math.round(y.getPixelForValue(1)) + 0.5;
    ctx.save();
    ctx.strokeStyle = colour('ink');
    ctx.lineWidth = 1.25;
    ctx.beginPath();
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
    ctx.stroke();
    ctx.restore();
  },
};

/** As far as the axis goes. */
function intervals(lines: readonly (RatioLine & { look: LineLook })[]): Plugin {
  return {
    id: 'ratio-intervals',
    beforeDatasetsDraw(chart) {
      const { ctx, data } = chart;
      const { y } = chart.scales;
      if (!y) return;
      const within = (value: number) => y.getPixelForValue(Math.min(y.max, Math.max(y.min, value)));
      ctx.save();
      for (const [at, { points, look }] of lines.entries())
        for (const [n, mark] of chart.getDatasetMeta(at).data.entries()) {
          const point = points.find(({ level }) => level === data.labels?.[n]);
          if (point?.low == null || point.high == null) continue;
          const [top, bottom] = [within(point.high), within(point.low)];
          ctx.strokeStyle = look.colour;
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.moveTo(mark.x, top);
          ctx.lineTo(mark.x, bottom);
          for (const [value, end] of [
            [point.high, top],
            [point.low, bottom],
          ] as const)
            if (value >= y.min && value <= y.max) {
              ctx.moveTo(mark.x - 3.5, end);
              ctx.lineTo(mark.x + 3.5, end);
            }
          ctx.stroke();
        }
      ctx.restore();
    },
  };
}
