// An EcdfPlot as Chart.js draws it.
import type { ChartConfiguration } from 'chart.js';
import { percent, tick } from '../text/format.ts';
import type { EcdfLine } from './ecdf.ts';
import { crossLines } from './lines-plugin.ts';
import type { Range } from './scale.ts';
import type { LineLook } from './shown-lines.ts';
import { axisTitle, type ChartUnit } from './table.ts';
import { valueAxis } from './theme-options.ts';

export function ecdfConfiguration({
  lines,
  range,
  name,
  unit,
  of,
  marks,
}: {
  lines: readonly (EcdfLine & { look: LineLook })[];
  range: Range;
  name: string;
  unit: ChartUnit;
  /** What the shares are of. */
  of: string;
  marks: readonly number[];
}): ChartConfiguration {
  const [low, high] = range;
  return {
    type: 'line',
    data: {
      datasets: lines.map(({ name: label, look, steps: { values, shares } }) => ({
        label,
        data: [{ x: low, y: 0 }, ...values.map((x, i) => ({ x, y: shares[i] as number })), { x: high, y: 1 }],
        stepped: 'before' as const,
        borderColor: look.colour,
        borderDash: [...look.dash],
        borderWidth: 2,
        pointRadius: 0,
      })),
    },
    plugins: [crossLines(marks.map((at) => ({ at, isZero: at === 0 })))],
    options: {
      parsing: false,
      events: [],
      scales: {
        x: valueAxis({ kind: 'linear', range, title: axisTitle(name, unit), text: (value, apart) => tick(value, unit, apart) }),
        y: valueAxis({ kind: 'linear', range: [0, 1], title: `share of ${of}`, text: (value) => percent(value), pixelsPerTick: 50 }),
      },
      plugins: { tooltip: { enabled: false } },
    },
  };
}
