// The axes of a live campaign's strip, as Chart.js draws them; its dots are a layer of their own.
import type { Chart, ChartConfiguration } from 'chart.js';
import { domain, type Range, type ScaleKind } from '../../charts/axis/scale.ts';
import { valueAxis } from '../../charts/axis/value-axis.ts';
import { axisTitle } from '../../charts/frame/table.ts';
import { colour } from '../../state/theme.ts';
import { tick } from '../../text/format.ts';
import type { Unit } from '../../text/vocabulary.ts';
import { dotLayer } from './dot-layer.ts';
import type { Dot, StripGroup } from './strip.ts';

export type Strip = {
  /** What is added to it later is drawn with the chart's next update. */
  dots: readonly Dot[];
  groups: readonly StripGroup[];
  /** In rows. */
  height: number;
  name: string;
  unit: Unit;
  scale: ScaleKind;
};

/** The range of all dots, with air; something where there is none yet. */
function rangeOf(dots: readonly Dot[], scale: ScaleKind): Range {
  const values = function* () {
    for (const { x, isInvalid } of dots) if (!isInvalid) yield x;
  };
  return domain(values(), scale) ?? (scale === 'log' ? [1, 10] : [0, 1]);
}

export function stripConfiguration({ dots, groups, height, name, unit, scale }: Strip): ChartConfiguration {
  const title = axisTitle(name, unit);
  const values = valueAxis({
    kind: scale,
    range: rangeOf(dots, scale),
    title,
    text: (value, apart) => tick(value, unit, apart),
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
const hasInvalid = (dots: readonly Dot[]) => dots.some(({ isInvalid }) => isInvalid);
/** Beside seven for the values. */
const laneWeight = (isAny: boolean) => (isAny ? 1 : 1e-6);

/** After dots were added: the axes that hold them all. */
export function fitAxes({ options: { scales } }: Chart, dots: readonly Dot[], scale: ScaleKind): void {
  const [low, high] = rangeOf(dots, scale);
  const isAny = hasInvalid(dots);
  if (scales?.x) Object.assign(scales.x, { min: low, max: high });
  if (scales?.invalid) Object.assign(scales.invalid, { display: isAny, stackWeight: laneWeight(isAny) });
}

/** Behind the dots of each group, so that its rows belong together. */
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
