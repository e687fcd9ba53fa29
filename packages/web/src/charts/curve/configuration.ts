// A CurvePlot as Chart.js draws it.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { ChartConfiguration, Plugin } from 'chart.js';
import { colour } from '../../state/theme.ts';
import { protocolNames } from '../../text/vocabulary.ts';
import { crossLines, valueAxis } from '../axis/value-axis.ts';
import { shortened, textWidth } from '../frame/layout.ts';
import { type LineLook, markPath } from '../frame/palette.ts';
import { type CurveAxis, type CurveLine, type CurvePoint, namePlaces } from './curve.ts';

export function curveConfiguration({
  lines,
  axis,
  values,
  isStepped,
  isNamed,
}: {
  lines: readonly (Omit<CurveLine, 'look'> & { look: LineLook })[];
  axis: CurveAxis;
  /** The axis y. */
  values: Parameters<typeof valueAxis>[0];
  isStepped: boolean;
  /** True: each curve has its name in the plot. */
  isNamed: boolean;
}): ChartConfiguration {
  const { ticks, marks = [], sides } = axis;
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
    plugins: [...(sides ? [shadedSides(sides)] : []), crossLines(marks), ...(isNamed ? [curveNames(lines)] : [])],
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

/** The grounds left and right of 0 in the colour of who wins there, with its name. */
const shadedSides = (sides: readonly [Protocol, Protocol]): Plugin => ({
  id: 'sides',
  beforeDatasetsDraw({ ctx, scales: { x: axis }, chartArea: { left, right, top, bottom } }) {
    if (!axis) return;
    const zero = Math.min(right, Math.max(left, axis.getPixelForValue(0)));
    ctx.save();
    ctx.font = '12px system-ui, sans-serif';
    ctx.textBaseline = 'top';
    sides.forEach((protocol, side) => {
      const [from, to] = side === 0 ? [left, zero] : [zero, right];
      ctx.fillStyle = `${colour(protocol)}14`;
      ctx.fillRect(from, top, to - from, bottom - top);
      const words = `${protocolNames[protocol]} faster`;
      if (textWidth(words, 'tick') + 26 > to - from) return;
      ctx.fillStyle = colour(protocol);
      // At the outer edges, where no curve has begun or all have ended.
      const x = side === 0 ? from + 10 : to - textWidth(words, 'tick') - 20;
      const y = side === 0 ? top + 6 : bottom - 20;
      ctx.fill(new Path2D(markPath(protocol, x, y + 6, 4)));
      ctx.fillStyle = colour('ink');
      ctx.fillText(words, x + 10, y);
    });
    ctx.restore();
  },
});

/** Each curve's name right of it, or left where there is no room, on the page's ground. */
const curveNames = (lines: readonly { name: string; look: LineLook; points: readonly CurvePoint[] }[]): Plugin => ({
  id: 'names',
  afterDatasetsDraw({ ctx, scales: { x: across, y: up }, chartArea: { left, right } }) {
    if (!across || !up) return;
    const looks = new Map(lines.map(({ name, look }) => [name, look]));
    ctx.save();
    ctx.font = '12px system-ui, sans-serif';
    ctx.textBaseline = 'middle';
    for (const { name, x: value, y: share } of namePlaces(lines)) {
      const [x, y] = [across.getPixelForValue(value), up.getPixelForValue(share)];
      if (x < left || x > right) continue;
      const words = shortened(name, 150, 'tick');
      const width = textWidth(words, 'tick') + 6;
      const start = x + 4 + width <= right ? x + 4 : x - 4 - width;
      ctx.fillStyle = `${colour('page')}d0`;
      ctx.fillRect(start, y - 8, width, 16);
      ctx.fillStyle = looks.get(name)?.colour ?? colour('ink');
      ctx.fillText(words, start + 3, y);
    }
    ctx.restore();
  },
});

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
