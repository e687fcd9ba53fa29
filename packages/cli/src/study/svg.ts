// Charts as SVG: distribution functions, boxes, violins, bars and points, each with axes. Pure: the same numbers give the same picture.
import type { Violin } from '@pronghorn/core/math';
import { quantityWords } from '@pronghorn/core/text';
import type { Box } from '@pronghorn/core/verdict';
import { html, type Markup } from './html.ts';

export type Tone = 'h1' | 'h2' | 'h3' | 'c0' | 'c1' | 'c2' | 'c3' | 'below' | 'within' | 'above' | 'paper';

export interface Axis {
  label: string;
  from: number;
  to: number;
  /** Formats the numbers of its ticks; default: unchanged. */
  words?: (value: number) => string;
  /** In powers of ten; then `from` is above 0. */
  log?: boolean;
}

/** A published number, drawn as a hollow circle. @param words its tooltip */
export interface PublishedPoint {
  tone: Tone;
  x: number;
  y: number;
  words: string;
}

interface StepLine {
  name: string;
  tone: Tone;
  /** Ascending, with the share of the sample up to each. */
  values: readonly number[];
  shares: readonly number[];
}

const width = 340;
const height = 230;
const margin = { left: 46, right: 12, top: 10, bottom: 38 };
const maxTicks = 5;
const plot = { left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };

/** Steps of 1, 2 or 5 × 10ⁿ, giving about `max` ticks from one end to the other. */
export function niceTicks(from: number, to: number, max = 6): number[] {
  if (!(to > from)) return [from];
  const rough = (to - from) / max;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.ceil(from / step - 1e-9);
  const ticks: number[] = [];
  // Multiples of the step, since sums of 0.1 would be slightly off.
  for (let i = first; i * step <= to + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** An axis from 0 to a round number above all values; from 0 to 1 without any. */
export function axisTo(label: string, values: readonly number[], words?: Axis['words']): Axis {
  const max = values.reduce((one, value) => Math.max(one, value), 0);
  const step = max === 0 ? 1 : (niceTicks(0, max, maxTicks)[1] ?? max);
  return {
    label,
    from: 0,
    to: max === 0 ? 1 : Number((Math.ceil(max / step - 1e-9) * step).toPrecision(12)),
    ...(words === undefined ? {} : { words }),
  };
}

/** An axis between round numbers around all values, or around a single one. */
export function axisAround(label: string, values: readonly number[], words?: Axis['words']): Axis {
  const min = values.reduce((one, value) => Math.min(one, value), Number.POSITIVE_INFINITY);
  const max = values.reduce((one, value) => Math.max(one, value), Number.NEGATIVE_INFINITY);
  const room = max > min ? 0 : Math.abs(max) / 10 || 1;
  const ticks = niceTicks(min - room, max + room, maxTicks);
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0)) || 1;
  const round = (value: number) => Number((value * step).toPrecision(12));
  return {
    label,
    from: round(Math.floor((min - room) / step + 1e-9)),
    to: round(Math.ceil((max + room) / step - 1e-9)),
    ...(words === undefined ? {} : { words }),
  };
}

/** Milliseconds as seconds, which fit beside an axis. */
export const secondsWords = (ms: number): string => String(Number((ms / 1000).toPrecision(3)));
export const percentWords = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;

/** The position of a value; values beyond the axis are drawn at its end. */
function scaleOf({ from, to, log = false }: Axis, start: number, end: number): (value: number) => number {
  const place = log ? Math.log10 : (value: number) => value;
  const [low, high] = [place(from), place(to)];
  return (value) => {
    const share = high === low ? 0 : (place(log ? Math.max(value, from) : value) - low) / (high - low);
    return start + Math.min(1, Math.max(0, share)) * (end - start);
  };
}

const at = (value: number): number => Number(value.toFixed(1));

function ticksOf(axis: Axis, max: number): number[] {
  if (!axis.log) return niceTicks(axis.from, axis.to, max);
  const powers = [];
  for (let power = Math.ceil(Math.log10(axis.from)); 10 ** power <= axis.to * 1.000001; power++) powers.push(10 ** power);
  return powers;
}

const wordsOf = (axis: Axis, value: number) => (axis.words ?? ((one: number) => String(one).replace('-', '−')))(value);

function frame(title: string, content: Markup | readonly Markup[], tall = height): Markup {
  return html`<svg viewBox="0 0 ${width} ${tall}" role="img" aria-label="${title}">${content}</svg>`;
}

function verticalAxis(axis: Axis): Markup[] {
  const y = scaleOf(axis, plot.bottom, plot.top);
  return [
    ...ticksOf(axis, maxTicks).map(
      (tick) =>
        html`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${at(y(tick))}" y2="${at(y(tick))}"/><text x="${plot.left - 5}" y="${at(y(tick) + 4)}" text-anchor="end">${wordsOf(axis, tick)}</text>`,
    ),
    html`<text transform="translate(11 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle">${axis.label}</text>`,
  ];
}

function horizontalAxis(axis: Axis, left: number, bottom: number, top: number): Markup[] {
  const x = scaleOf(axis, left, plot.right);
  const ticks = ticksOf(axis, left > margin.left ? 4 : maxTicks);
  return [
    ...ticks.map((tick) => {
      const place = x(tick);
      const anchor = place > plot.right - 12 ? 'end' : 'middle';
      return html`<line class="grid" x1="${at(place)}" x2="${at(place)}" y1="${top}" y2="${bottom}"/><text x="${at(anchor === 'end' ? plot.right : place)}" y="${bottom + 14}" text-anchor="${anchor}">${wordsOf(axis, tick)}</text>`;
    }),
    html`<text x="${at((left + plot.right) / 2)}" y="${bottom + 31}" text-anchor="middle">${axis.label}</text>`,
  ];
}

const border = html`<path class="axis" fill="none" d="M${plot.left} ${plot.top}V${plot.bottom}H${plot.right}"/>`;

/** Distribution functions over sites. A vertical line marks 0 where the axis includes it. */
export function stepChart({
  title,
  x: across,
  y: up = { label: 'share of sites', from: 0, to: 1, words: percentWords },
  lines,
  published = [],
}: {
  title: string;
  x: Axis;
  y?: Axis;
  lines: readonly StepLine[];
  published?: readonly PublishedPoint[];
}): Markup {
  const [x, y] = [scaleOf(across, plot.left, plot.right), scaleOf(up, plot.bottom, plot.top)];
  const zero = across.from < 0 && across.to > 0 ? html`<path class="zero" d="M${at(x(0))} ${plot.top}V${plot.bottom}"/>` : '';
  return frame(title, [
    ...verticalAxis(up),
    ...horizontalAxis(across, plot.left, plot.bottom, plot.top),
    border,
    html`${zero}`,
    ...lines.map((line) => html`<path class="t-${line.tone} line" d="${stepsPath(line, x, y)}"><title>${line.name}</title></path>`),
    ...published.map((point) => circle(point.tone, x(point.x), y(point.y), point.words)),
  ]);
}

/** From 0 at the left end to the last share at the right end; points closer than a tenth of a unit are merged. */
function stepsPath({ values, shares }: Pick<StepLine, 'values' | 'shares'>, x: (v: number) => number, y: (v: number) => number): string {
  let path = `M${at(x(Number.NEGATIVE_INFINITY))} ${at(y(0))}`;
  let [lastX, lastY] = [at(x(Number.NEGATIVE_INFINITY)), at(y(0))];
  values.forEach((value, i) => {
    const [nextX, nextY] = [at(x(value)), at(y(shares[i] ?? 0))];
    if (nextX === lastX && nextY === lastY) return;
    path += `${nextX === lastX ? '' : `H${nextX}`}V${nextY}`;
    [lastX, lastY] = [nextX, nextY];
  });
  return `${path}H${at(x(Number.POSITIVE_INFINITY))}`;
}

const circle = (tone: Tone, x: number, y: number, words: string) =>
  html`<circle class="t-${tone} published" cx="${at(x)}" cy="${at(y)}" r="4"><title>${words}</title></circle>`;

const square = (tone: Tone, x: number, y: number, words: string) =>
  html`<rect class="t-${tone} published" x="${at(x - 3.5)}" y="${at(y - 3.5)}" width="7" height="7"><title>${words}</title></rect>`;

interface BoxGroup {
  name: string;
  boxes: readonly {
    name: string;
    tone: Tone;
    /** Null: nothing to draw. A quantile among failed loads is null, and drawn at the end of the axis. */
    box: Box<number | null> | null;
    published?: { value: number; words: string } | undefined;
  }[];
}

/** Boxes from quartile to quartile with whiskers at p10 and p90, in groups side by side. */
export function boxChart({ title, y: up, groups }: { title: string; y: Axis; groups: readonly BoxGroup[] }): Markup {
  const y = scaleOf(up, plot.bottom, plot.top);
  const span = (plot.right - plot.left) / Math.max(1, groups.length);
  const shapes = groups.flatMap(({ name, boxes }, place) => {
    const middle = plot.left + span * (place + 0.5);
    const each = Math.min(26, (span * 0.82) / Math.max(1, boxes.length));
    return [
      html`<text x="${at(middle)}" y="${plot.bottom + 14}" text-anchor="middle">${name}</text>`,
      ...boxes.map((one, i) => {
        const x = middle + each * (i - (boxes.length - 1) / 2);
        return html`<g class="t-${one.tone}"><title>${one.name}</title>${one.box && uprightBox(one.box, x, each * 0.72, y)}${
          one.published && circle(one.tone, x, y(one.published.value), one.published.words)
        }</g>`;
      }),
    ];
  });
  return frame(title, [...verticalAxis(up), border, ...shapes]);
}

function uprightBox(box: Box<number | null>, x: number, wide: number, y: (value: number) => number): Markup {
  const place = (value: number | null) => at(y(value ?? Number.POSITIVE_INFINITY));
  const [low, q1, q2, q3, high] = [box.whiskerLow, box.lowerQuartile, box.median, box.upperQuartile, box.whiskerHigh].map(place) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const [left, right] = [at(x - wide / 2), at(x + wide / 2)];
  return html`<path class="whisker" d="M${at(x)} ${low}V${q1}M${at(x)} ${q3}V${high}"/><rect class="box" x="${left}" y="${q3}" width="${at(right - left)}" height="${at(q1 - q3)}"/><path class="median" d="M${left} ${q2}H${right}"/>`;
}

/** The same horizontally, a row for each box: for many groups and long names. */
export function boxRows({ title, x: across, groups }: { title: string; x: Axis; groups: readonly BoxGroup[] }): Markup {
  const [left, top, row, gap] = [112, 6, 13, 7];
  const rows = groups.reduce((count, { boxes }) => count + boxes.length, 0);
  const bottom = top + rows * row + groups.length * gap;
  const x = scaleOf(across, left, plot.right);
  let y = top;
  const shapes = groups.flatMap(({ name, boxes }) => {
    const label = html`<text x="${left - 6}" y="${at(y + gap / 2 + (boxes.length * row) / 2 + 4)}" text-anchor="end">${name}</text>`;
    y += gap / 2;
    const drawn = boxes.map((one) => {
      const middle = at(y + row / 2);
      y += row;
      if (one.box === null) return html``;
      const { whiskerLow, lowerQuartile, median, upperQuartile, whiskerHigh } = one.box;
      const [a, b, c, d, e] = [whiskerLow, lowerQuartile, median, upperQuartile, whiskerHigh].map((value) =>
        at(x(value ?? Number.POSITIVE_INFINITY)),
      ) as [number, number, number, number, number];
      return html`<g class="t-${one.tone}"><title>${one.name}</title><path class="whisker" d="M${a} ${middle}H${b}M${d} ${middle}H${e}"/><rect class="box" x="${b}" y="${at(middle - 4)}" width="${at(d - b)}" height="8"/><path class="median" d="M${c} ${at(middle - 4)}v8"/></g>`;
    });
    y += gap / 2;
    return [label, ...drawn];
  });
  const zero = across.from < 0 && across.to > 0 ? html`<path class="zero" d="M${at(x(0))} ${top}V${bottom}"/>` : html``;
  return frame(title, [...horizontalAxis(across, left, bottom, top), zero, ...shapes], bottom + margin.bottom);
}

export interface ViolinShape {
  name: string;
  tone: Tone;
  /** Null where all values are equal: then only the median is drawn. */
  violin: Violin | null;
  median: number | null;
  mean: number | null;
  /** Medians as circles, means as squares. */
  published?: readonly { value: number; words: string; isMean: boolean }[];
}

/** Densities of equal area, with the median as a line and the mean as a point. */
export function violinChart({ title, y: up, violins }: { title: string; y: Axis; violins: readonly ViolinShape[] }): Markup {
  const y = scaleOf(up, plot.bottom, plot.top);
  const span = (plot.right - plot.left) / Math.max(1, violins.length);
  const densest = Math.max(0, ...violins.flatMap(({ violin }) => violin?.densities ?? []));
  const shapes = violins.map(({ name, tone, violin, median, mean, published = [] }, place) => {
    const middle = plot.left + span * (place + 0.5);
    const reach = (density: number) => (densest === 0 ? 0 : (density / densest) * span * 0.4);
    const side = (sign: number) =>
      (violin?.values ?? []).map((value, i) => `${at(middle + sign * reach(violin?.densities[i] ?? 0))} ${at(y(value))}`);
    const outline = violin === null ? '' : `M${[...side(-1), ...side(1).reverse()].join('L')}Z`;
    return html`<text x="${at(middle)}" y="${plot.bottom + 14}" text-anchor="middle">${name}</text><g class="t-${tone}"><title>${name}</title>${
      violin !== null && html`<path class="box" d="${outline}"/>`
    }${median !== null && html`<path class="median" d="M${at(middle - span * 0.2)} ${at(y(median))}H${at(middle + span * 0.2)}"/>`}${
      mean !== null && html`<circle class="mean" cx="${at(middle)}" cy="${at(y(mean))}" r="3"/>`
    }${published.map(({ value, words, isMean }) => (isMean ? square : circle)(tone, middle + span * 0.45, y(value), words))}</g>`;
  });
  return frame(title, [...verticalAxis(up), border, ...shapes]);
}

interface ScatterPoint {
  tone: Tone;
  x: number;
  y: number;
  words: string;
  /** Ends of a vertical line through the point. */
  reach?: { low: number; high: number } | undefined;
}

export interface ScatterLine {
  tone: Tone;
  y: number;
  words: string;
  dashed?: boolean;
}

/** Points of two numbers, with levels. A horizontal line marks 0 where the axis includes it. */
export function scatterChart({
  title,
  x: across,
  y: up,
  points,
  lines = [],
}: {
  title: string;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  lines?: readonly ScatterLine[];
}): Markup {
  const [x, y] = [scaleOf(across, plot.left, plot.right), scaleOf(up, plot.bottom, plot.top)];
  return frame(title, [
    ...verticalAxis(up),
    ...horizontalAxis(across, plot.left, plot.bottom, plot.top),
    border,
    html`${up.from < 0 && up.to > 0 && html`<path class="zero" d="M${plot.left} ${at(y(0))}H${plot.right}"/>`}`,
    ...lines.map(
      ({ tone, y: level, words, dashed = false }) =>
        html`<path class="t-${tone} level${dashed ? ' dash-1' : ''}" d="M${plot.left} ${at(y(level))}H${plot.right}"><title>${words}</title></path>`,
    ),
    ...points.map(
      ({ tone, words, reach, ...point }) =>
        html`<g class="t-${tone}"><title>${words}</title>${
          reach !== undefined && html`<path class="whisker" d="M${at(x(point.x))} ${at(y(reach.low))}V${at(y(reach.high))}"/>`
        }<circle class="mean" cx="${at(x(point.x))}" cy="${at(y(point.y))}" r="3"/></g>`,
    ),
  ]);
}

interface BarRow {
  name: string;
  bars: readonly { tone: Tone; value: number; words: string; published?: boolean }[];
}

/** Horizontal bars, a group for each row, with their numbers behind them. */
export function barRows({ title, x: across, rows }: { title: string; x: Axis; rows: readonly BarRow[] }): Markup {
  const [left, top, thick, gap] = [112, 6, 13, 6];
  const bottom = top + rows.reduce((sum, { bars }) => sum + bars.length * thick + gap, 0);
  const x = scaleOf(across, left, plot.right - 44);
  let y = top;
  const shapes = rows.flatMap(({ name, bars }) => {
    const label = html`<text x="${left - 6}" y="${at(y + (bars.length * thick) / 2 + 4)}" text-anchor="end">${name}</text>`;
    const drawn = bars.map(({ tone, value, words, published = false }) => {
      const shape = html`<g class="t-${tone}"><rect class="bar${published ? ' published' : ''}" x="${left}" y="${at(y + 1)}" width="${at(Math.max(1, x(value) - left))}" height="${thick - 3}"/><text x="${at(Math.max(1, x(value) - left) + left + 4)}" y="${at(y + 10)}">${words}</text></g>`;
      y += thick;
      return shape;
    });
    y += gap;
    return [label, ...drawn];
  });
  const axis = html`<path class="axis" fill="none" d="M${left} ${top}V${bottom}"/><text x="${at((left + plot.right) / 2)}" y="${bottom + 16}" text-anchor="middle">${across.label}</text>`;
  return frame(title, [axis, ...shapes], bottom + 24);
}

type LegendKind = 'line' | 'box' | 'published' | 'published-bar';

export function legend(entries: readonly { tone: Tone; words: string; kind?: LegendKind }[]): Markup {
  const mark = (tone: Tone, kind: LegendKind) => {
    if (kind === 'published') return html`<circle class="t-${tone} published" cx="12" cy="6" r="4"/>`;
    if (kind === 'published-bar') return html`<rect class="t-${tone} bar published" x="3" y="1" width="18" height="10"/>`;
    if (kind === 'box') return html`<g class="t-${tone}"><rect class="box" x="4" y="1" width="16" height="10"/></g>`;
    return html`<path class="t-${tone} line" d="M0 6H24"/>`;
  };
  return html`<ul class="legend">${entries.map(
    ({ tone, words, kind = 'line' }) => html`<li><svg viewBox="0 0 24 12" aria-hidden="true">${mark(tone, kind)}</svg>${words}</li>`,
  )}</ul>`;
}

/** 1.25 s, 350 ms. */
export const timeWords = (ms: number): string => (ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : quantityWords('onLoad', ms));
