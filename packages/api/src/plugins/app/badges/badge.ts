// A badge: two words side by side as a small SVG that needs nothing else, for READMEs and other pages.

/** With white text each has a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3). */
export const badgeColors = { good: '#1a7f37', bad: '#b3261e', unclear: '#8a5a00', neutral: '#1f5fa8', nothing: '#5a6068' } as const;
export const labelColor = '#32383f';
export type BadgeColor = keyof typeof badgeColors;

const height = 20;
const padding = 7;
const mostGraphemes = 40;

/** @param message what the badge says of its label. Both may be any text, however long. */
export function badgeSvg({ label, message, color }: { label: string; message: string; color: BadgeColor }): string {
  const [left, right] = [shortened(label), shortened(message)];
  const [leftWidth, rightWidth] = [widthOf(left) + 2 * padding, widthOf(right) + 2 * padding];
  const width = leftWidth + rightWidth;
  const said = escaped(`${left}: ${right}`);
  // The length is said, so that the text fits whichever of the fonts is there.
  const text = (words: string, x: number, boxWidth: number) =>
    `<text x="${x + boxWidth / 2}" y="14" textLength="${boxWidth - 2 * padding}" lengthAdjust="spacingAndGlyphs">${escaped(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${said}">`,
    `<title>${said}</title>`,
    `<clipPath id="corners"><rect width="${width}" height="${height}" rx="3"/></clipPath>`,
    '<g clip-path="url(#corners)">',
    `<rect width="${leftWidth}" height="${height}" fill="${labelColor}"/>`,
    `<rect x="${leftWidth}" width="${rightWidth}" height="${height}" fill="${badgeColors[color]}"/>`,
    '</g>',
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle">',
    text(left, 0, leftWidth),
    text(right, leftWidth, rightWidth),
    '</g>',
    '</svg>\n',
  ].join('');
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** What XML 1.0 can't hold, and what turns the direction of the text around it. */
const unprintable = /[^\u0020-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

function shortened(text: string): string {
  const all = [...graphemes.segment(text.slice(0, 2_000).replaceAll(unprintable, ' ').trim())];
  const kept = all.slice(0, mostGraphemes).map(({ segment }) => segment);
  return all.length > mostGraphemes ? `${kept.slice(0, -1).join('')}…` : kept.join('');
}

/** About as wide as Verdana is at 11 px. */
function widthOf(text: string): number {
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
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);
