// SVG shapes of a series.
import { scale } from '{{/scale.js}}';

const width = 240;
const height = 96;

function places(values) {
  const x = scale(0, values.length - 1, 0, width);
  const y = scale(Math.min(...values), Math.max(...values), height - 4, 4);
  return Array.from(values, (value, i) => [x(i).toFixed(1), y(value).toFixed(1)]);
}

const svg = (inner) => `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${inner}</svg>`;

export function line(values, colour) {
  return svg(`<polyline fill="none" stroke="${colour}" stroke-width="2" points="${places(values).map(String).join(' ')}"/>`);
}

export function area(values, colour) {
  return svg(
    `<polygon fill="${colour}" fill-opacity=".3" points="0,${height} ${places(values).map(String).join(' ')} ${width},${height}"/>`,
  );
}

export function bars(values, colour) {
  const step = width / values.length;
  const drawn = places(values).map(
    ([, y], i) => `<rect x="${(i * step).toFixed(1)}" y="${y}" width="${(step * 0.7).toFixed(1)}" height="${height - y}"/>`,
  );
  return svg(`<g fill="${colour}">${drawn.join('')}</g>`);
}
