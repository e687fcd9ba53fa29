// One estimate with its interval on an axis of relative differences: where it lies about zero, and about the margin.
import { svg } from '../browser/element.js';
import { signedPercent } from '../text/format.js';
import { linear, ticks } from './scale.js';

/** @import { Protocol } from '@pronghorn/core' */

/**
 * @typedef {object} Estimate
 * @property {Protocol} protocol whose mark stands at the value
 * @property {number} value
 * @property {Ends | null} interval
 * @property {Ends | null} inner the narrower interval that equivalence is judged by
 */
/** @typedef {{ low: number, high: number }} Ends */

export const intervalHeight = 44;
export const intervalAxisHeight = 38;
const radius = 5;
const sides = 14;

/**
 * The largest relative difference that counts as none, as the bounds of a ratio: symmetric in its logarithm.
 * @param {number} margin
 * @returns {Ends}
 */
export const marginBounds = (margin) => ({ low: 1 / (1 + margin) - 1, high: margin });

/**
 * One range for all estimates that stand below each other: zero and the margin are always in it.
 * @param {readonly Estimate[]} estimates
 * @param {number} margin
 * @returns {[number, number]}
 */
export function intervalRange(estimates, margin) {
  const bounds = marginBounds(margin);
  const ends = estimates.flatMap(({ value, interval, inner }) =>
    [value, interval?.low, interval?.high, inner?.low, inner?.high].filter((end) => end !== undefined),
  );
  const [low, high] = [Math.min(bounds.low, ...ends), Math.max(bounds.high, ...ends)];
  const air = (high - low) * 0.05;
  return [low - air, high + air];
}

/**
 * Its numbers stand beside it, so that to a screen reader it is nothing.
 * @param {{ estimate: Estimate | null, margin: number, range: [number, number], width: number }} plot width in pixels
 */
export function intervalPlot({ estimate, margin, range, width }) {
  const figure = svg('svg', { class: 'interval', width, height: intervalHeight, 'aria-hidden': 'true' });
  const x = linear(range, [sides, width - sides]);
  const bounds = marginBounds(margin);
  const middle = intervalHeight / 2;
  figure.append(
    svg('rect', { class: 'margin', x: x(bounds.low), y: 0, width: x(bounds.high) - x(bounds.low), height: intervalHeight }),
    svg('line', { class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: intervalHeight }),
  );
  if (estimate === null) return figure;
  const { protocol, value, interval, inner } = estimate;
  if (interval) {
    figure.append(line('outer', x(interval.low), x(interval.high), middle));
    for (const end of [interval.low, interval.high])
      figure.append(svg('line', { class: 'outer', x1: x(end), x2: x(end), y1: middle - 5, y2: middle + 5 }));
  }
  if (inner) figure.append(line('inner', x(inner.low), x(inner.high), middle));
  const [left, right] = [x(value) - radius, x(value) + radius];
  figure.append(
    svg('path', {
      class: `estimate protocol-${protocol}`,
      d: `M${left} ${middle}L${x(value)} ${middle - radius}L${right} ${middle}L${x(value)} ${middle + radius}z`,
    }),
  );
  return figure;
}

/**
 * @param {string} name
 * @param {number} from
 * @param {number} to
 * @param {number} y
 */
const line = (name, from, to, y) => svg('line', { class: name, x1: from, x2: to, y1: y, y2: y });

/**
 * The axis below them.
 * @param {{ range: [number, number], width: number, lower: string, higher: string }} axis
 */
export function intervalAxis({ range, width, lower, higher }) {
  const figure = svg('svg', { class: 'interval', width, height: intervalAxisHeight, 'aria-hidden': 'true' });
  const x = linear(range, [sides, width - sides]);
  for (const tick of ticks(...range, Math.max(2, width / 90))) {
    figure.append(
      svg('line', { class: tick === 0 ? 'zero' : 'grid', x1: x(tick), x2: x(tick), y1: 0, y2: 5 }),
      svg('text', { class: 'tick', x: x(tick), y: 17, 'text-anchor': 'middle' }, signedPercent(tick)),
    );
  }
  figure.append(
    svg('text', { class: 'axis', x: 0, y: 32 }, `← ${lower}`),
    svg('text', { class: 'axis', x: width, y: 32, 'text-anchor': 'end' }, `${higher} →`),
  );
  return figure;
}
