// A CurvePlot as Chart.js draws it.
import type { ChartConfiguration } from 'chart.js';
import { crossLines, valueAxis } from '../axis/value-axis.ts';
import type { LineLook } from '../frame/palette.ts';
import type { CurveAxis, CurveLine } from './curve.ts';

export function curveConfiguration({
  lines,
  axis,
  values,
  isStepped,
}: {
  lines: readonly (Omit<CurveLine, 'look'> & { look: LineLook })[];
  axis: CurveAxis;
  /** The axis y. */
  values: Parameters<typeof valueAxis>[0];
  isStepped: boolean;
}): ChartConfiguration {
  const { ticks, marks = [] } = axis;
  return {
    type: 'line',
    data: {
      datasets: lines.map(({ name: label, look, points }) => ({
        label,
        data: [...points],
        stepped: isStepped ? ('before' as const) : false,
        borderColor: look.colour,
        borderDash: [...look.dash],
        borderWidth: 2,
        pointRadius: 0,
      })),
    },
    plugins: [crossLines(marks)],
    options: {
      parsing: false,
      events: [],
      scales: {
        x: {
          ...valueAxis({ kind: 'linear', range: axis.range, title: axis.title, text: axis.text }),
          ...(ticks && {
            afterBuildTicks: (built: Built) => {
              built.ticks = apart(ticks, built).map((value) => ({ value }));
            },
          }),
        },
        y: valueAxis(values),
      },
      plugins: { tooltip: { enabled: false } },
    },
  };
}

type Built = { min: number; max: number; width: number; ticks: { value: number }[] };
const pixelsPerTick = 46;

/** Those in view that don't touch the one before. */
function apart(ticks: readonly number[], { min, max, width }: Built): number[] {
  const placed: number[] = [];
  for (const value of ticks) {
    const from = placed.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (value >= min && value <= max && ((value - from) / (max - min)) * width >= pixelsPerTick) placed.push(value);
  }
  return placed;
}
