// H3-Delta as a bar from a line in the middle: to the left where HTTP/3 is lower, to the right where HTTP/2 is.
import { svg } from '../browser/element.js';
import { linear } from './scale.js';

const width = 110;
const height = 14;

/**
 * Its number stands beside it, so that to a screen reader it is nothing.
 * @param {number} delta
 * @param {number} most the longest bar of all that are compared; over 0
 */
export function deltaBar(delta, most) {
  const place = linear([-most, most], [2, width - 2]);
  const [from, to] = [place(Math.min(0, delta)), place(Math.max(0, delta))];
  return svg(
    'svg',
    { class: 'delta-bar', width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    svg('rect', { class: delta < 0 ? 'protocol-h3' : 'protocol-h2', x: from, y: 3, width: Math.max(0.5, to - from), height: height - 6 }),
    svg('line', { class: 'zero', x1: place(0), x2: place(0), y1: 0, y2: height }),
  );
}
