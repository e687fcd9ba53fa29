// The mark of each protocol, the same on every chart: square, circle, diamond. Colour is never the only difference.
import type { Protocol } from '@pronghorn/core/vocabulary';

/** As the `d` of an SVG path, and of a Path2D. @param r its half width in pixels. */
export function markPath(protocol: Protocol | 'other', x: number, y: number, r: number): string {
  switch (protocol) {
    case 'h1':
      return `M${x - r * 0.88} ${y - r * 0.88}h${1.76 * r}v${1.76 * r}h${-1.76 * r}z`;
    case 'h3':
      return `M${x} ${y - r * 1.25}L${x + r * 1.25} ${y}L${x} ${y + r * 1.25}L${x - r * 1.25} ${y}z`;
    default:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
}

/** The same by Chart.js' names. */
export const pointStyles: Readonly<Record<Protocol, 'rect' | 'circle' | 'rectRot'>> = { h1: 'rect', h2: 'circle', h3: 'rectRot' };
