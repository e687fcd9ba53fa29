// Violins and boxes of the API's own numbers: the plugin computes nothing.
import type { ChartConfiguration } from 'chart.js';
import { colour } from '../state/theme.ts';
import { quantity, tick } from '../text/format.ts';
import type { Unit } from '../text/vocabulary.ts';
import { groupLabels, labelRoom } from './group-labels.ts';
import { pointLayer } from './point-layer.ts';
import type { Range, ScaleKind } from './scale.ts';
import type { SpreadGroup, SpreadSlot } from './spread.ts';
import { bodyShare, drawnBox, groupShare, type SpreadRow, slotCount } from './spread-rows.ts';
import { axisTitle } from './table.ts';
import { textWidth } from './text-width.ts';
import { valueAxis } from './theme-options.ts';

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
  const label = ({ box }: SpreadRow) => (box ? quantity(box.median, unit) : '');
  const axis = { kind: scale, range, title: axisTitle(name, unit), text: (value: number, apart: number) => tick(value, unit, apart) };
  const right = rows.reduce((most, row) => Math.max(most, textWidth(label(row), 'tick')), 0) + 10;
  return {
    type: kind === 'violin' ? 'violin' : 'boxplot',
    data: {
      labels: groups.map((_, index) => index),
      datasets: Array.from({ length: slots }, (_, index) => {
        const protocolOf = (group: number) => groups[group]?.slots[index]?.protocol ?? 'h2';
        return {
          data: groups.map((group) => bodyOf(group.slots[index], scale)),
          borderColor: groups.map((_, group) => colour(protocolOf(group))),
          backgroundColor: groups.map((_, group) => `${colour(protocolOf(group))}30`),
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
        // The same above, where the one below is far away.
        ...(groups.length * slots > 8
          ? { xAbove: { ...valueAxis({ ...axis, title: '' }), position: 'top' as const, axis: 'x' as const } }
          : {}),
        y: { type: 'category', offset: true, display: false },
      },
      plugins: { tooltip: { enabled: false } },
    },
  } as unknown as ChartConfiguration;
}

/** In the plugin's words. On a logarithmic axis a density is that of the logarithm: else what is far to the right would look too small. */
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
