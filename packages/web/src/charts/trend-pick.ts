// Which campaign of a TrendPlot is meant by a place on it, or by a key.
import type { Chart } from 'chart.js';
import type { TrendPlotSeries } from './trend.ts';

/** Place of its series, and its place there. */
export type PickedCampaign = { series: number; point: number };

/** The nearest within `reach` pixels. */
export function nearestPoint(
  at: { x: number; y: number },
  series: readonly TrendPlotSeries[],
  { scales: { x, y } }: Pick<Chart, 'scales'>,
  reach: number,
): PickedCampaign | null {
  let found: PickedCampaign | null = null;
  let best = reach * reach;
  series.forEach(({ points }, i) => {
    points.forEach((point, j) => {
      const dx = (x?.getPixelForValue(Date.parse(point.at)) ?? 0) - at.x;
      const dy = (y?.getPixelForValue(point.value) ?? 0) - at.y;
      if (dx * dx + dy * dy > best) return;
      best = dx * dx + dy * dy;
      found = { series: i, point: j };
    });
  });
  return found;
}

/** Left and right in time, up and down to the next series at about that time. @returns null where the key does nothing. */
export function steppedPoint(key: string, from: PickedCampaign | null, series: readonly TrendPlotSeries[]): PickedCampaign | null {
  if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key)) return null;
  const lastOf = (index: number) => (series[index]?.points.length ?? 0) - 1;
  if (from === null) {
    const first = series.findIndex(({ points }) => points.length > 0);
    return first < 0 ? null : { series: first, point: lastOf(first) };
  }
  const at = (point: number) => ({ series: from.series, point: Math.min(lastOf(from.series), Math.max(0, point)) });
  switch (key) {
    case 'ArrowLeft':
      return at(from.point - 1);
    case 'ArrowRight':
      return at(from.point + 1);
    case 'Home':
      return at(0);
    case 'End':
      return at(lastOf(from.series));
    default: {
      const step = key === 'ArrowUp' ? -1 : 1;
      let next = from.series + step;
      while (next >= 0 && next < series.length && lastOf(next) < 0) next += step;
      if (lastOf(next) < 0) return from;
      const time = Date.parse(series[from.series]?.points[from.point]?.at ?? '');
      const distances = (series[next]?.points ?? []).map((point) => Math.abs(Date.parse(point.at) - time));
      return { series: next, point: distances.indexOf(Math.min(...distances)) };
    }
  }
}
