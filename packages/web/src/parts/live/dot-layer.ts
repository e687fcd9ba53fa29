// The dots of a live campaign. No elements of Chart.js: ten thousand of those take longer to update than four times a second allows.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Chart, Plugin } from 'chart.js';
import { markPath } from '../../charts/frame/palette.ts';
import { PointRaster, type Stamp, stampOf } from '../../charts/frame/points.ts';
import { colour } from '../../state/theme.ts';
import type { Dot } from './strip.ts';

type Mark = Protocol | 'invalid';

/** Pixels. Of many dots each is smaller. */
const radiusOf = (dots: number) => (dots > 4000 ? 2.2 : dots > 1000 ? 2.8 : 3.8);

/** Where a dot stands on the chart, in CSS pixels. */
export function dotPlace({ scales: { x, y, invalid } }: Chart, dot: Dot): { x: number; y: number } {
  const axis = dot.isInvalid ? invalid : x;
  return { x: axis?.getPixelForValue(dot.x) ?? 0, y: y?.getPixelForValue(dot.y) ?? 0 };
}

/** In the colours of the moment in which it is made. */
export function dotLayer(dots: readonly Dot[]): Plugin {
  const colours: Record<Mark, string> = { h1: colour('h1'), h2: colour('h2'), h3: colour('h3'), invalid: colour('bad') };
  const stamps = new Map<string, Stamp>();
  const stamp = (mark: Mark, radius: number, scale: number): Stamp => {
    const key = `${mark} ${radius} ${scale}`;
    const size = Math.ceil(2 * radius * 1.3 + 1);
    const path = mark === 'invalid' ? crossPath(size / 2, radius * 1.1) : markPath(mark, size / 2, size / 2, radius);
    const made = stamps.get(key) ?? stampOf(new Path2D(path), size, scale, colours[mark]);
    stamps.set(key, made);
    return made;
  };
  let raster: PointRaster | undefined;
  return {
    id: 'dots',
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area, currentDevicePixelRatio: scale } = chart;
      const radius = radiusOf(dots.length);
      // Marks at the edges are whole.
      const [left, top] = [area.left - 2 * radius, area.top - 2 * radius];
      const [width, height] = [area.right - left, area.bottom - top].map((side) => Math.ceil((side + 2 * radius) * scale)) as [
        number,
        number,
      ];
      if (raster?.width !== width || raster.height !== height) raster = new PointRaster(width, height);
      raster.clear();
      for (const dot of dots) {
        const { x, y } = dotPlace(chart, dot);
        raster.put(stamp(dot.isInvalid ? 'invalid' : dot.visit.protocol, radius, scale), (x - left) * scale, (y - top) * scale);
      }
      raster.drawTo(ctx, left, top, scale);
    },
  };
}

/** A cross on its side, as an outline that can be filled. */
function crossPath(middle: number, radius: number): string {
  const arm = radius * 0.3;
  const corners = [
    ...[
      [-radius, -radius + arm],
      [-radius + arm, -radius],
      [0, -arm],
      [radius - arm, -radius],
      [radius, -radius + arm],
      [arm, 0],
    ],
    ...[
      [radius, radius - arm],
      [radius - arm, radius],
      [0, arm],
      [-radius + arm, radius],
      [-radius, radius - arm],
      [-arm, 0],
    ],
  ];
  return `M${corners.map(([x = 0, y = 0]) => `${middle + x} ${middle + y}`).join('L')}z`;
}
