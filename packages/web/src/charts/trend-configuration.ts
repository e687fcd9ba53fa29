// A TrendPlot as Chart.js draws it.
import type { ChartConfiguration, ScriptableLineSegmentContext } from 'chart.js';
import { colour } from '../state/theme.ts';
import { tick } from '../text/format.ts';
import { pointStyles } from './marks.ts';
import { domain, type Range } from './scale.ts';
import type { LineLook } from './shown-lines.ts';
import { axisTitle, type ChartUnit } from './table.ts';
import { valueAxis } from './theme-options.ts';
import { timeTicks } from './time-ticks.ts';
import { longestPause, type TrendPlotPoint, type TrendPlotSeries } from './trend.ts';
import { trendLayer } from './trend-layer.ts';

const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/** Lines of one protocol differ by their dashes. */
export const dashOf = (series: readonly TrendPlotSeries[], index: number): number[] =>
  dashes[series.slice(0, index).filter(({ protocol }) => protocol === series[index]?.protocol).length % dashes.length] ?? [];

/** Of values and their intervals. H3-Delta is read against zero, so that is always in it. */
function valueRange(points: readonly TrendPlotPoint[], unit: ChartUnit): Range {
  const values = points.flatMap(({ value, interval }) => [value, interval?.low ?? value, interval?.high ?? value]);
  return domain(unit === 'delta' ? [0, ...values] : values) ?? [0, 1];
}

/** Marks stand side by side, as far as that leaves something of them. */
const radiusOf = (points: number, width: number) => Math.max(1.8, Math.min(4, (0.35 * width) / Math.max(1, points)));

type Axis = { min: number; max: number; width: number; ticks: { value: number; label?: string }[] };
const ticksOf = ({ min, max, width }: Axis) => timeTicks([min, max], Math.max(2, width / 72));

export function trendConfiguration({
  series,
  times: range,
  name,
  unit,
  width,
}: {
  series: readonly (TrendPlotSeries & { look: LineLook })[];
  times: Range;
  name: string;
  unit: ChartUnit;
  /** CSS pixels. */
  width: number;
}): ChartConfiguration {
  const x = valueAxis({ kind: 'linear', range, title: '', text: String });
  const valuesOf = {
    kind: 'linear' as const,
    range: valueRange(
      series.flatMap(({ points }) => points),
      unit,
    ),
  };
  return {
    type: 'line',
    data: {
      datasets: series.map(({ name: label, protocol, look, points }) => {
        const pause = longestPause(points);
        const times = points.map(({ at }) => Date.parse(at));
        return {
          label,
          data: points.map(({ value }, i) => ({ x: times[i] as number, y: value })),
          borderColor: look.colour,
          backgroundColor: look.colour,
          borderDash: [...look.dash],
          pointStyle: pointStyles[protocol],
          pointRadius: radiusOf(points.length, width),
          borderWidth: 2,
          segment: {
            // Across a gap nothing is known.
            borderColor: ({ p0DataIndex, p1DataIndex }: ScriptableLineSegmentContext) =>
              (times[p1DataIndex] ?? 0) - (times[p0DataIndex] ?? 0) > pause ? 'transparent' : undefined,
          },
        };
      }),
    },
    plugins: [trendLayer(series)],
    options: {
      parsing: false,
      events: [],
      layout: { padding: { top: 18 } },
      scales: {
        x: {
          ...x,
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
          ...valueAxis({ ...valuesOf, title: axisTitle(name, unit), text: (value, apart) => tick(value, unit, apart), pixelsPerTick: 50 }),
          grid: { color: (at: { tick: { value: number } }) => colour(unit === 'delta' && at.tick.value === 0 ? 'ink' : 'line') },
        },
      },
      plugins: { tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}
