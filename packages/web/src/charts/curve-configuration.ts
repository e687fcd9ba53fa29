// A CurvePlot as Chart.js draws it.
import type { ChartConfiguration } from 'chart.js';
import { tick } from '../text/format.ts';
import type { Unit } from '../text/vocabulary.ts';
import type { CurveLine } from './curve.ts';
import type { Range, ScaleKind } from './scale.ts';
import type { LineLook } from './shown-lines.ts';
import { axisTitle } from './table.ts';
import { valueAxis } from './theme-options.ts';

/** The axis x. */
export interface CurveAxis {
  title: string;
  range: Range;
  text: (value: number) => string;
  /** Where its numbers stand, if not at round ones. */
  ticks?: readonly number[];
}

export function curveConfiguration({
  lines,
  axis,
  range,
  name,
  unit,
  scale,
  isStepped,
}: {
  lines: readonly (Omit<CurveLine, 'look'> & { look: LineLook })[];
  axis: CurveAxis;
  range: Range;
  name: string;
  unit: Unit;
  scale: ScaleKind;
  isStepped: boolean;
}): ChartConfiguration {
  const x = valueAxis({ kind: 'linear', range: axis.range, title: axis.title, text: axis.text });
  const { ticks } = axis;
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
    options: {
      parsing: false,
      events: [],
      scales: {
        x: {
          ...x,
          ...(ticks && {
            afterBuildTicks: (built: Built) => {
              built.ticks = apart(ticks, built).map((value) => ({ value }));
            },
          }),
        },
        y: valueAxis({
          kind: scale,
          range,
          title: axisTitle(name, unit),
          text: (value, apart) => tick(value, unit, scale === 'log' ? value : apart),
          pixelsPerTick: 45,
        }),
      },
      plugins: { tooltip: { enabled: false } },
    },
  };
}

type Built = { min: number; max: number; width: number; ticks: { value: number }[] };
const pixelsPerTick = 46;

/** Those that are seen, and that don't touch the one before. */
function apart(ticks: readonly number[], { min, max, width }: Built): number[] {
  const kept: number[] = [];
  for (const value of ticks) {
    const from = kept.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (value >= min && value <= max && ((value - from) / (max - min)) * width >= pixelsPerTick) kept.push(value);
  }
  return kept;
}
