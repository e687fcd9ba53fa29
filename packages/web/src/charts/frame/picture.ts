// Charts as pictures: on the page's background, with their title, legend and source.
import type { Protocol } from '@pronghorn/core/vocabulary';
import { colour } from '../../state/theme.ts';
import { layLegend, legendHeight, legendLine, markRoom, textWidth, xmlText } from './layout.ts';
import { markPath } from './palette.ts';

export type PictureKind = 'png' | 'svg';
/** What is written above and below the chart. */
export type PictureText = { title: string; source: string };
export type PictureLegend = readonly { name: string; colour: string; protocol?: Protocol | undefined; dash?: readonly number[] }[];

const titleHeight = 34;
const sourceHeight = 26;
const side = 12;
/** Device pixels per CSS pixel at least: sharp in slides and reports. */
const minScale = 2;

/** Not transparent: that is unreadable where it is pasted. @param size in CSS pixels */
export async function pngOf(
  draw: (context: OffscreenCanvasRenderingContext2D) => void,
  size: { width: number; height: number },
  { title, source }: PictureText,
  legend: PictureLegend = [],
): Promise<Blob> {
  const scale = Math.max(minScale, devicePixelRatio);
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
  return canvas.convertToBlob({ type: 'image/png' });
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

/** A picture of what an SVG shows, without need of the page's style sheet. */
export async function pictureOfSvg(shown: SVGSVGElement | null, text: PictureText, kind: PictureKind): Promise<Blob> {
  if (!shown) throw new Error('The chart is not on the page.');
  if (kind === 'svg') return new Blob([svgText(shown, text)], { type: 'image/svg+xml' });
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(shown, null))}`;
  await image.decode();
  return pngOf((context) => context.drawImage(image, 0, 0), shown.getBoundingClientRect(), text);
}

/** @param text null: the chart alone */
function svgText(shown: SVGSVGElement, text: PictureText | null): string {
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
  const { width, height } = shown.getBoundingClientRect();
  const place = { xmlns: 'http://www.w3.org/2000/svg', width, height, ...(text && { x: side, y: titleHeight }) };
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(value));
  const chart = new XMLSerializer().serializeToString(copy);
  if (text === null) return chart;
  const [fullWidth, fullHeight] = [width + 2 * side, height + titleHeight + sourceHeight];
  return [
    `<svg xmlns="${place.xmlns}" viewBox="0 0 ${fullWidth} ${fullHeight}" width="${fullWidth}" height="${fullHeight}" font-family="system-ui, sans-serif">`,
    `<rect width="${fullWidth}" height="${fullHeight}" fill="${colour('page')}"/>`,
    `<text x="${side}" y="23" fill="${colour('ink')}" font-size="16" font-weight="600">${xmlText(text.title)}</text>`,
    `<text x="${side}" y="${fullHeight - 9}" fill="${colour('soft')}" font-size="12">${xmlText(text.source)}</text>`,
    `${chart}</svg>`,
  ].join('');
}
