// Charts as pictures: on the page's own ground, with their title and where they come from.
import type { Protocol } from '@pronghorn/core/vocabulary';
import { colour } from '../state/theme.ts';
import { layLegend, legendHeight, legendLine, markRoom } from './legend-layout.ts';
import { markPath } from './marks.ts';
import { textWidth } from './text-width.ts';

export type Picture = { blob: Blob; ending: 'png' | 'svg' };
/** What is written above and below the chart. */
export type PictureText = { title: string; source: string };
/** Which mark or line is what. */
export type PictureLegend = readonly { name: string; colour: string; protocol?: Protocol | undefined; dash?: readonly number[] }[];

const titleHeight = 34;
const sourceHeight = 26;
const side = 12;
/** Of the device's pixels per CSS pixel at least: sharp in slides and reports. */
const leastScale = 2;

/** As PNG. A transparent picture is unreadable where it is pasted. @param size in CSS pixels. */
export async function pngOf(
  draw: (context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D) => void,
  size: { width: number; height: number },
  { title, source }: PictureText,
  legend: PictureLegend = [],
): Promise<Picture> {
  const scale = Math.max(leastScale, devicePixelRatio);
  const places = layLegend(
    legend.map(({ name }) => name),
    size.width,
    (text) => textWidth(text, 'label'),
  );
  const top = titleHeight + legendHeight(places);
  const [width, height] = [size.width + 2 * side, size.height + top + sourceHeight];
  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.scale(scale, scale);
  context.fillStyle = colour('page');
  context.fillRect(0, 0, width, height);
  context.fillStyle = colour('ink');
  context.font = '600 16px system-ui, sans-serif';
  context.fillText(title, side, 23, width - 2 * side);
  context.fillStyle = colour('soft');
  context.font = '12px system-ui, sans-serif';
  context.fillText(source, side, height - 9, width - 2 * side);
  legend.forEach((entry, i) => {
    const { x = 0, line = 0 } = places[i] ?? {};
    drawEntry(context, entry, side + x, titleHeight + (line + 0.5) * legendLine);
  });
  context.setLineDash([]);
  context.translate(side, top);
  draw(context);
  return { blob: await canvas.convertToBlob({ type: 'image/png' }), ending: 'png' };
}

function drawEntry(
  context: OffscreenCanvasRenderingContext2D,
  { name, colour: ink, protocol, dash }: PictureLegend[number],
  x: number,
  y: number,
): void {
  context.fillStyle = ink;
  context.strokeStyle = ink;
  if (dash) {
    context.lineWidth = 2;
    context.setLineDash([...dash]);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + markRoom - 5, y);
    context.stroke();
  }
  if (protocol) context.fill(new Path2D(markPath(protocol, x + markRoom / 2 - 2.5, y, 4.5)));
  context.fillStyle = colour('ink');
  context.font = '500 13px system-ui, sans-serif';
  context.fillText(name, x + markRoom, y + 4.5);
}

const painted = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'paint-order',
] as const;

/** As SVG that looks the same without the page's style sheet. */
export async function svgOf(shown: SVGSVGElement, { title, source }: PictureText): Promise<Picture> {
  return { blob: new Blob([svgText(shown, { title, source })], { type: 'image/svg+xml' }), ending: 'svg' };
}

/** The SVG as PNG. */
export async function pngOfSvg(
  shown: SVGSVGElement,
): Promise<(context: OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D) => void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(shown, null))}`;
  await image.decode();
  return (context) => context.drawImage(image, 0, 0);
}

function svgText(shown: SVGSVGElement, words: PictureText | null): string {
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const originals = [shown, ...shown.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    const target = copies[i] as SVGElement;
    target.removeAttribute('class');
    target.removeAttribute('style');
    for (const name of painted) target.setAttribute(name, style.getPropertyValue(name));
  });
  for (const link of copy.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const { width, height } = shown.getBoundingClientRect();
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  if (words === null) return new XMLSerializer().serializeToString(copy);
  const frame = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const [fullWidth, fullHeight] = [width + 2 * side, height + titleHeight + sourceHeight];
  frame.setAttribute('viewBox', `0 0 ${fullWidth} ${fullHeight}`);
  frame.setAttribute('width', String(fullWidth));
  frame.setAttribute('height', String(fullHeight));
  const add = (name: string, attributes: Record<string, string | number>, text = '') => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.textContent = text;
    frame.append(element);
  };
  const font = 'system-ui, sans-serif';
  add('rect', { width: fullWidth, height: fullHeight, fill: colour('page') });
  add('text', { x: side, y: 23, fill: colour('ink'), 'font-family': font, 'font-size': 16, 'font-weight': 600 }, words.title);
  add('text', { x: side, y: fullHeight - 9, fill: colour('soft'), 'font-family': font, 'font-size': 12 }, words.source);
  copy.setAttribute('x', String(side));
  copy.setAttribute('y', String(titleHeight));
  frame.append(copy);
  return new XMLSerializer().serializeToString(frame);
}
