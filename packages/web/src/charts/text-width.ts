// How wide a text is, and texts that are cut where there is no more room: SVG and canvas do neither.
const fonts = {
  label: '500 13px system-ui, sans-serif',
  group: '650 14px system-ui, sans-serif',
  tick: '12px system-ui, sans-serif',
} as const;
let context: OffscreenCanvasRenderingContext2D | undefined;

/** In pixels. */
export function textWidth(text: string, font: keyof typeof fonts = 'label'): number {
  context ??= new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
  context.font = fonts[font];
  return context.measureText(text).width;
}

/** The text, its end replaced by … where it is wider than `room`. */
export function shortened(text: string, room: number, font: keyof typeof fonts = 'label'): string {
  return cut(text, (part) => textWidth(part, font) <= room);
}

/** The longest beginning, with …, that fits. */
export function cut(text: string, fits: (part: string) => boolean): string {
  if (fits(text)) return text;
  let [below, above] = [0, text.length];
  while (below + 1 < above) {
    const middle = (below + above) >> 1;
    if (fits(`${text.slice(0, middle)}…`)) below = middle;
    else above = middle;
  }
  return `${text.slice(0, below).trimEnd()}…`;
}

/** In lines of at most `room` pixels; what is left after the last is cut. */
export function wrapped(text: string, room: number, font: keyof typeof fonts, lines: number): string[] {
  const words = text.split(' ');
  const found: string[] = [];
  while (words.length > 0 && found.length < lines) {
    let line = words.shift() ?? '';
    const isLast = found.length === lines - 1;
    while (words.length > 0 && (isLast || textWidth(`${line} ${words[0]}`, font) <= room)) line += ` ${words.shift()}`;
    found.push(shortened(line, room, font));
  }
  return found;
}
