// A TrendPlot as Chart.js draws it.
import type { ChartConfiguration, ScriptableLineSegmentContext } from 'chart.js';
import { colour } from '../state/theme.ts';
import { pointStyles } from './marks.ts';
import type { Range } from './scale.ts';
import { axisTitle, type ChartUnit, tickText, valueAxis } from './theme-options.ts';
import { timeTicks } from './time-ticks.ts';
import { longestPause, type TrendPlotSeries } from './trend.ts';
import { trendLayer } from './trend-layer.ts';

const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/** Lines of one protocol differ by their dashes. */
export const dashOf = (series: readonly TrendPlotSeries[], index: number): number[] =>
  dashes[series.slice(0, index).filter(({ protocol }) => protocol === series[index]?.protocol).length % dashes.length] ?? [];

export function trendConfiguration({
  series,
  dashesOf,
  times: range,
  values,
  name,
  unit,
}: {
  series: readonly TrendPlotSeries[];
  /** Of each series. */
  dashesOf: readonly number[][];
  times: Range;
  values: Range;
  name: string;
  unit: ChartUnit;
}): ChartConfiguration {
  const x = valueAxis({ kind: 'linear', range, title: '', text: String });
  return {
    type: 'line',
    data: {
      datasets: series.map(({ name: label, protocol, points }, index) => {
        const pause = longestPause(points);
        const times = points.map(({ at }) => Date.parse(at));
        return {
          label,
          data: points.map(({ value }, i) => ({ x: times[i] as number, y: value })),
          borderColor: colour(protocol),
          backgroundColor: colour(protocol),
          borderDash: dashesOf[index] ?? [],
          pointStyle: pointStyles[protocol],
          pointRadius: points.length > 150 ? 2.5 : 4,
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
          afterBuildTicks: (axis: { min: number; max: number; width: number; ticks: { value: number; label?: string }[] }) => {
            axis.ticks = timeTicks([axis.min, axis.max], Math.max(2, axis.width / 72)).map(({ at, text }) => ({ value: at, label: text }));
          },
          afterTickToLabelConversion: (axis: { min: number; max: number; width: number; ticks: { value: number; label?: string }[] }) => {
            const texts = new Map(timeTicks([axis.min, axis.max], Math.max(2, axis.width / 72)).map(({ at, text }) => [at, text]));
            for (const tick of axis.ticks) tick.label = texts.get(tick.value) ?? '';
          },
        },
        y: valueAxis({
          kind: 'linear',
          range: values,
          title: axisTitle(name, unit),
          text: (value) => tickText(value, unit),
          pixelsPerTick: 50,
        }),
      },
      plugins: { tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}
