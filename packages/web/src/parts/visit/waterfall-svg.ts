// The waterfall as a picture to save: an SVG of all rows, with colours and texts of its own.
import { ticks } from '../../charts/axis/scale.ts';
import { xmlText } from '../../charts/frame/layout.ts';
import { number, quantity } from '../../text/format.ts';
import { barColour, type Colouring, connectionsOf, type Phase, protocolWords, segmentsOf, statusWords } from './resources.ts';
import { barOf, type Label, type Moment, placeLabels, rankOf, shareOf, type TimeWindow } from './timeline.ts';
import type { ShownVisit } from './visit-names.ts';
import { named, type ResourceRow, shortName } from './waterfall-rows.ts';

/** Opacity of a phase's colour and height of its bar, both 0 to 1. */
const phaseLooks: Readonly<Record<Phase, { strength: number; height: number }>> = {
  queueing: { strength: 0.3, height: 0.2 },
  dns: { strength: 0.45, height: 0.5 },
  connect: { strength: 0.7, height: 0.5 },
  tls: { strength: 1, height: 0.5 },
  send: { strength: 0.7, height: 0.75 },
  wait: { strength: 0.4, height: 0.75 },
  receive: { strength: 1, height: 1 },
  whole: { strength: 0.55, height: 1 },
};

const [width, names, barHeight, laneHeight] = [1200, 330, 12, 14];

export interface WaterfallPicture {
  title: string;
  /** Stands below the picture: the measurement, and the time of the picture. */
  source: string;
  rows: readonly ResourceRow[];
  visits: readonly ShownVisit[];
  moments: readonly (Moment & { visit: number })[];
  window: TimeWindow;
  colouring: Colouring;
  /** A colour of the page by the name of its CSS variable. */
  colour: (name: string) => string;
}

export function waterfallSvg({ title, source, rows, visits, moments, window, colouring, colour }: WaterfallPicture): string {
  const axis = width - names - 90;
  const x = (ms: number) => names + (shareOf(window, ms) / 100) * axis;
  const shown = moments.filter(({ ms }) => ms >= window.fromMs && ms <= window.toMs);
  const labels = placeLabels(
    momentLabels(shown, visits, (ms) => x(ms) - names),
    axis,
  );
  const head = 44 + laneHeight * (1 + visits.length);
  const rowHeight = barHeight * visits.length + 8;
  const height = head + rows.length * rowHeight + 34;
  const connections = visits.map(({ resources }) => connectionsOf(resources));
  const parts: string[] = [];
  const text = (at: number, y: number, words: string, more = '') =>
    parts.push(`<text x="${at.toFixed(1)}" y="${y.toFixed(1)}" fill="${colour('ink')}" ${more}>${xmlText(words)}</text>`);
  const box = (at: number, y: number, wide: number, high: number, fill: string, opacity = 1) =>
    parts.push(
      `<rect x="${at.toFixed(1)}" y="${y.toFixed(1)}" width="${wide.toFixed(1)}" height="${high}" fill="${fill}" opacity="${opacity}"/>`,
    );

  text(10, 22, title, 'font-size="15" font-weight="600"');
  for (const ms of ticks([window.fromMs, window.toMs], 8)) {
    box(x(ms), head - 4, 1, height - head - 26, colour('line'));
    text(x(ms) + 2, head - 6, `${number(ms, 'count')} ms`, `font-size="10" fill-opacity="0.7"`);
  }
  rows.forEach((row, index) => {
    const y = head + index * rowHeight;
    const first = named(row);
    text(10, y + 11, `${shortName(first.url).slice(0, 34)} · ${first.host.slice(0, 22)}`);
    row.parts.forEach((resource, visit) => {
      if (resource === null) return;
      const fill = colour(barColour(resource, colouring, connections[visit] ?? new Map()));
      for (const { phase, startMs, endMs } of segmentsOf(resource)) {
        if (barOf(window, startMs, endMs) === null) continue;
        const [left, right] = [Math.max(names, x(startMs)), Math.min(names + axis, x(endMs))];
        const { strength, height: part } = phaseLooks[phase];
        const high = barHeight * part;
        box(left, y + 2 + visit * barHeight + (barHeight - high) / 2, Math.max(1, right - left), high, fill, strength);
      }
      const words = `${resource.failure ? statusWords(resource).replace('net::', '') : protocolWords(resource)}`;
      if (visit === 0) text(names + axis + 6, y + 11, words.slice(0, 16));
    });
  });
  shown.forEach((moment, index) => {
    const label = labels[index];
    const ink = colour(visits.length > 1 ? (visits[moment.visit]?.visit.protocol ?? 'ink') : 'ink');
    // Through no other visit's labels.
    box(x(moment.ms), 34 + moment.visit * laneHeight, 1, laneHeight, ink, 0.6);
    box(x(moment.ms), head - laneHeight, 1, height - head - 30 + laneHeight, ink, 0.6);
    if (label?.text) text(names + label.start + 3, 44 + label.lane * laneHeight, label.text, 'font-size="10"');
  });
  const [upper, lower] = visits.map(({ name }) => name);
  const below = lower === undefined ? source : `Upper bars: the visit over ${upper}, lower bars: over ${lower}. ${source}`;
  text(10, height - 10, below, 'font-size="10" fill-opacity="0.7"');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11"><rect width="100%" height="100%" fill="${colour('page')}"/>${parts.join('')}</svg>`;
}

const marks = { h1: '■', h2: '●', h3: '◆' } as const;

/** Such as `onLoad 412 ms`; of two visits, with the mark of its protocol, or its letter where both have one protocol. @param x pixels of a time */
export function momentLabels(
  moments: readonly (Moment & { visit: number })[],
  visits: readonly Pick<ShownVisit, 'name' | 'visit'>[],
  x: (ms: number) => number,
): Label[] {
  return moments.map((moment) => {
    const of = visits.length > 1 ? visits[moment.visit] : undefined;
    const mark = of === undefined ? '' : `${marks[of.visit.protocol]}${of.name.match(/\((.)\)$/)?.[1] ?? ''} `;
    const words = `${mark}${moment.name}`;
    return { text: `${words} ${quantity(moment.ms, 'ms')}`, short: words, x: x(moment.ms), lane: moment.visit, rank: rankOf(moment) };
  });
}
