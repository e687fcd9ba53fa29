// Any text, however long and hostile, as text of an SVG.

const maxGraphemes = 40;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** What XML 1.0 can't hold, and what turns the direction of the text around it. */
const unprintable = /[^\u0020-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** At most so many characters as people see them, on one line, in nobody's direction but its own. */
export function shortened(text: string, atMost = maxGraphemes): string {
  const all = [...graphemes.segment(text.slice(0, 2_000).replaceAll(unprintable, ' ').trim())];
  const kept = all.slice(0, atMost).map(({ segment }) => segment);
  return all.length > atMost ? `${kept.slice(0, -1).join('')}…` : kept.join('');
}

/** About as wide as Verdana is at 11 px. */
export function widthOf(text: string): number {
  const widths = [...graphemes.segment(text)].map(({ segment }) => widthOfGrapheme(segment));
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0));
}

function widthOfGrapheme(grapheme: string): number {
  if ((grapheme.codePointAt(0) ?? 0) >= 0x1100) return 12;
  if (/^[ijl.,:;'|!·]/.test(grapheme)) return 3.8;
  if (/^[ frtI()[\]/\-"]/.test(grapheme)) return 4.8;
  if (/^[mwMW@%&…]/.test(grapheme)) return 10.8;
  if (/^[A-Z]/.test(grapheme)) return 7.6;
  return 6.8;
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);
