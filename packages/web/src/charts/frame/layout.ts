// Layout for SVG and canvas: available width, text widths, shortened texts, legends.
import { useEventListener, useResizeObserver } from '@vueuse/core';
import { type Ref, ref, type ShallowRef } from 'vue';

/** The element's width in CSS pixels; 0 until it is shown. Charts are drawn for it, so that their text keeps its size on a phone. */
export function useWidth(element: Readonly<ShallowRef<HTMLElement | null>>): Readonly<Ref<number>> {
  const width = ref(0);
  const take = (px = 0) => {
    if (px > 0) width.value = Math.floor(px);
  };
  useResizeObserver(element, ([entry]) => take(entry?.contentRect.width));
  // Observers report too late for print.
  useEventListener(['beforeprint', 'afterprint'], () => take(element.value?.clientWidth));
  return width;
}

const fonts = {
  label: '500 13px system-ui, sans-serif',
  group: '650 14px system-ui, sans-serif',
  tick: '12px system-ui, sans-serif',
} as const;
type Font = keyof typeof fonts;
let context: OffscreenCanvasRenderingContext2D | undefined;

/** In pixels. */
export function textWidth(text: string, font: Font = 'label'): number {
  context ??= new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.font = fonts[font];
  return context.measureText(text).width;
}

/** The text, or the longest beginning of it that fits `room` with … */
export function shortened(text: string, room: number, font: Font = 'label'): string {
  const fits = (part: string) => textWidth(part, font) <= room;
  if (fits(text)) return text;
  let [below, above] = [0, text.length];
  while (below + 1 < above) {
    const middle = (below + above) >> 1;
    if (fits(`${text.slice(0, middle)}…`)) below = middle;
    else above = middle;
  }
  return `${text.slice(0, below).trimEnd()}…`;
}

/** In lines of at most `room` pixels; the last line is shortened. */
export function wrapped(text: string, room: number, font: Font, lines: number): string[] {
  const words = text.split(' ');
  const result: string[] = [];
  while (words.length > 0 && result.length < lines) {
    let line = words.shift() ?? '';
    const isLast = result.length === lines - 1;
    while (words.length > 0 && (isLast || textWidth(`${line} ${words[0]}`, font) <= room)) line += ` ${words.shift()}`;
    result.push(shortened(line, room, font));
  }
  return result;
}

/** Pixels before an entry's text for its mark, after the entry, and of a line. */
export const [markRoom, entryGap, legendLine] = [22, 16, 20] as const;

/** @returns each entry's left edge in pixels, and its line from 0 on. */
export function layLegend(texts: readonly string[], room: number, widthOf: (text: string) => number): { x: number; line: number }[] {
  let [x, line] = [0, 0];
  return texts.map((text) => {
    const width = markRoom + widthOf(text);
    if (x > 0 && x + width > room) [x, line] = [0, line + 1];
    const place = { x, line };
    x += width + entryGap;
    return place;
  });
}

export const legendHeight = (places: readonly { line: number }[]) =>
  places.length === 0 ? 0 : ((places.at(-1)?.line ?? 0) + 1) * legendLine;

const xmlMarks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** As the text of an SVG. Control characters are no XML, and names come from pages. */
export const xmlText = (words: string) =>
  [...words]
    .filter((letter) => letter >= ' ')
    .join('')
    .replace(/[&<>"]/g, (mark) => xmlMarks[mark] ?? mark);
