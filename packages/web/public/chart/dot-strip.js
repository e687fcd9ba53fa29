// Every visit a dot, every protocol a row, one axis for all: the spread is seen before the median is believed.
import { svg } from '../browser/element.js';
import { number } from '../text/format.js';
import { domain, linear, stack, ticks } from './scale.js';

/** @import { Protocol } from '@pronghorn/core' */
/** @import { Unit } from '../text/vocabulary.js' */

/**
 * @typedef {object} Dot
 * @property {number} value
 * @property {string} title
 * @property {string} href of the visit
 */
/**
 * @typedef {object} Row
 * @property {string} name
 * @property {Protocol} protocol
 * @property {readonly Dot[]} dots
 * @property {number | null} median
 */

const rowHeight = 56;
const radius = 3.5;
const labelWidth = 84;
const axisHeight = 36;

/**
 * In pixels.
 * @param {number} rows
 */
export function dotStripHeight(rows) {
  return rows * rowHeight + 14 + axisHeight;
}

/**
 * The chart. Its numbers stand in the table beside it, so that to a screen reader it is one picture with a name.
 * @param {{ name: string, unit: Unit, rows: readonly Row[], width: number }} chart width in pixels
 */
export function dotStrip({ name, unit, rows, width }) {
  const values = rows.flatMap((row) => [...row.dots.map((dot) => dot.value), ...(row.median === null ? [] : [row.median])]);
  const height = dotStripHeight(rows.length);
  const bottom = height - axisHeight;
  const right = width - 12;
  const figure = svg('svg', {
    class: 'dot-strip',
    width,
    height,
    role: 'img',
    'aria-label': `${name} of each visit by protocol`,
  });
  if (values.length === 0) {
    figure.append(svg('text', { x: width / 2, y: bottom / 2, 'text-anchor': 'middle', class: 'empty' }, 'no valid visit yet'));
    return figure;
  }
  const range = domain(values);
  const x = linear(range, [labelWidth, right]);
  for (const tick of ticks(...range, Math.max(2, (right - labelWidth) / 90))) {
    figure.append(
      svg('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: 4, y2: bottom }),
      svg(
        'text',
        { class: 'tick', x: x(tick), y: bottom + 16, 'text-anchor': 'middle' },
        unit === 'ms' ? tick.toLocaleString('en') : number(tick, unit),
      ),
    );
  }
  figure.append(
    svg(
      'text',
      { class: 'axis', x: (labelWidth + right) / 2, y: bottom + 32, 'text-anchor': 'middle' },
      unit === 'ms' ? `${name}, milliseconds` : name,
    ),
  );
  rows.forEach((row, index) => {
    figure.append(rowOf(row, 14 + rowHeight * (index + 0.5), x, unit));
  });
  return figure;
}

/**
 * @param {Row} row
 * @param {number} middle y of the row
 * @param {(value: number) => number} x
 * @param {Unit} unit
 */
function rowOf({ name, protocol, dots, median }, middle, x, unit) {
  const group = svg('g', { class: `protocol-${protocol}` });
  const [first = '', ...rest] = name.split(' (');
  group.append(svg('text', { class: 'row', x: 0, y: middle + 4 }, first));
  if (rest.length > 0) group.append(svg('text', { class: 'tick', x: 0, y: middle + 18 }, rest.join(' (').replace(/\)$/, '')));
  const places = dots.map((dot) => x(dot.value));
  const steps = stack(places, 2 * radius);
  const highest = steps.reduce((most, step) => Math.max(most, Math.abs(step)), 1);
  const stepHeight = Math.min(2 * radius, (rowHeight / 2 - 10) / highest);
  dots.forEach((dot, i) => {
    const link = svg('a', { href: dot.href, tabindex: -1 }, svg('title', {}, dot.title));
    link.append(svg('path', { class: 'dot', d: markOf(protocol, places[i] ?? 0, middle + (steps[i] ?? 0) * stepHeight) }));
    group.append(link);
  });
  if (median !== null) {
    group.append(
      svg('line', { class: 'median-line', x1: x(median), x2: x(median), y1: middle - rowHeight / 2 + 8, y2: middle + rowHeight / 2 - 4 }),
      svg('text', { class: 'median-text', x: x(median), y: middle - rowHeight / 2 + 5, 'text-anchor': 'middle' }, number(median, unit)),
    );
  }
  return group;
}

/**
 * A square, a circle, a diamond: colour is not the only difference.
 * @param {Protocol} protocol
 * @param {number} x
 * @param {number} y
 */
function markOf(protocol, x, y) {
  const r = radius;
  switch (protocol) {
    case 'h1':
      return `M${x - r * 0.85} ${y - r * 0.85}h${1.7 * r}v${1.7 * r}h${-1.7 * r}z`;
    case 'h2':
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 'h3':
      return `M${x} ${y - r * 1.25}L${x + r * 1.25} ${y}L${x} ${y + r * 1.25}L${x - r * 1.25} ${y}z`;
  }
}
