// What the command line prints: wrapped prose, aligned tables, a progress line.
import { stripVTControlCharacters, styleText } from 'node:util';

export type TableCell = string | { text: string; style: Parameters<typeof styleText>[0] };

/** Replaces control characters, since text comes from pages, files and services. Call it before adding a style. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/** Prints an error on standard error, with its stack if PRONGHORN_DEBUG is set. */
export function printError(error: unknown, { before = '', after = '' } = {}): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`${before}pronghorn: ${plainLines(message)}${after}`);
  if (process.env.PRONGHORN_DEBUG !== undefined) console.error(error);
}

const textOf = (cell: TableCell) => plain(typeof cell === 'string' ? cell : cell.text);
const drawn = (cell: TableCell) => (typeof cell === 'string' ? textOf(cell) : styleText(cell.style, textOf(cell)));

const segments = new Intl.Segmenter();

/** The terminal cells that a text takes: none for combining marks, two for East Asian letters and emoji. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segments.segment(stripVTControlCharacters(text))) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Scripts and blocks that Unicode's East Asian Width (UAX #11) calls wide or fullwidth, as far as names have them. */
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u;

/** The start of a text that fits into `width` cells. */
export function cut(text: string, width: number): string {
  let start = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    start += segment;
  }
  return start;
}

/** The same, with an ellipsis where something is cut off: half of a number would be another number. */
export const shortened = (text: string, width: number): string => (widthOf(text) <= width ? text : `${cut(text, width - 1)}…`);

/**
 * Breaks prose between words, at the terminal's width and at most 100 cells. Longer words (URLs) stay whole, and so do 5 %, 20 ms and p = 0.5.
 */
export function wrap(text: string, width = Math.min(process.stdout.columns || 100, 100)): string {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of plain(paragraph).split(betweenWords)) {
      if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.join('\n');
}

/** Secondary text. */
export const dim = (text: string): string => styleText('dim', wrap(text));

/** What the reader should not miss. */
export const yellow = (text: string): string => styleText('yellow', wrap(text));

/** Spaces except around comparison signs and between a number and its unit; not no-break spaces. */
const betweenWords = /(?<![<=≤≥]) +(?![%<=≤≥]|(?<=\d +)(?:ms|min|s|h|[kK]B|[kM]bit\/s)(?![\w/]))/;

/** Rows under a header; the columns of `left` are aligned left, all others right. */
export function table(header: readonly string[], rows: readonly (readonly TableCell[])[], left: readonly number[] = [0]): string {
  const widths = header.map((title, column) => Math.max(widthOf(title), ...rows.map((row) => widthOf(textOf(row[column] ?? '')))));
  const line = (cells: readonly TableCell[]) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(textOf(cell))));
        return left.includes(column) ? drawn(cell) + space : space + drawn(cell);
      })
      .join('  ')
      .trimEnd();
  return [line(header.map((text) => ({ text, style: 'dim' as const }))), ...rows.map(line)].join('\n');
}

/** Seconds as people say them: 45 s, 3 min 20 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** 2026-11-27 22:30, of an ISO 8601 time (UTC). */
export const minute = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** Draws over the last line of standard error, on a terminal alone; without a text it clears that line. */
export function redraw(text = ''): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

const barCells = 12;

/** In logs, a sign of life comes at least this often: a CI may end a job that prints nothing. */
const silentMs = 60_000;

/**
 * One line that is redrawn on a terminal. Elsewhere (a pipe, CI) a plain line at each tenth and after a silent minute, so that logs stay short.
 */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  #total: number;
  readonly #unit: string;
  readonly #now: () => number;
  /** When the first unit of this run was done: the time before it, such as opening a link, does not recur. */
  #first: { at: number; done: number } | null = null;
  readonly #startDone: number;
  #lastTenth = -1;
  #printedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds since any moment */
  constructor(unit: string, total: number, done: number, stream: NodeJS.WriteStream = process.stderr, now = () => performance.now()) {
    this.#stream = stream;
    this.#now = now;
    this.#total = total;
    this.#unit = unit;
    this.#startDone = done;
  }

  update(done: number, note: string): void {
    const share = this.#total === 0 ? 1 : done / this.#total;
    const eta = this.#eta(done);
    const counts = `${done}/${this.#total} ${this.#unit}`;
    if (this.#stream.isTTY) {
      const filled = Math.min(barCells, Math.round(share * barCells));
      const line = `${'━'.repeat(filled)}${'┄'.repeat(barCells - filled)} ${counts}${eta === null ? '' : `, ${eta} left`}  ${plain(note)}`;
      // A line as wide as the terminal would wrap, and could not be redrawn.
      this.#stream.write(`\r\x1b[K${shortened(line, (this.#stream.columns || 100) - 1)}`);
    } else {
      const [tenth, silent] = [Math.floor(share * 10), this.#now() - this.#printedAt >= silentMs && this.#lastTenth >= 0];
      if (tenth <= this.#lastTenth && !silent) return;
      this.#lastTenth = Math.max(tenth, this.#lastTenth);
      this.#printedAt = this.#now();
      this.#stream.write(
        `${counts}${eta === null || share >= 1 ? '' : `, ${eta} left`}${silent && note !== '' ? `: ${plain(note)}` : ''}\n`,
      );
    }
  }

  extend(total: number): void {
    this.#lastTenth = Math.floor((this.#lastTenth * this.#total) / Math.max(1, total));
    this.#total = total;
  }

  say(text: string): void {
    this.#stream.write(`${this.#stream.isTTY ? '\r\x1b[K' : ''}${text}\n`);
  }

  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K');
  }

  #eta(done: number): string | null {
    if (done <= this.#startDone) return null;
    this.#first ??= { at: this.#now(), done };
    const since = done - this.#first.done;
    const seconds = (this.#now() - this.#first.at) / 1_000;
    return since < 1 || seconds === 0 ? null : duration((seconds / since) * (this.#total - done));
  }
}
