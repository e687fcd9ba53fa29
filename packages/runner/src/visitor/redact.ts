// Keeps secrets out of what a visit leaves: a page may put what was typed into its URLs, and an error may quote it.

/** Shorter ones would hit words of the page that have nothing to do with them. */
const shortest = 6;

export type Redact = <T>(found: T) => T;

const mark = '[secret]';
/** A host name with brackets in it would leave no URL. */
const markInHost = 'secret';

/** @returns what replaces each secret, however URLs, forms, JSON, HTML and Basic write it, in all texts of a value; the value itself where there is none */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets
    .filter(({ length }) => length >= shortest)
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''), Buffer.from(secret).toString('base64url')]);
  const all = [...new Set(forms)];
  const heads = new RegExp([...new Set(all.map((form) => expressionOf([...form].slice(0, headLength))))].join('|'), 'gu');
  const written = all.map((form) => pieces(form).map((piece) => new RegExp(expressionOf(piece), 'yu')));
  const clean = (text: string) => without(text, heads, written);
  const walk = (found: unknown): unknown => {
    if (typeof found === 'string') return clean(found);
    if (Array.isArray(found)) return found.map(walk);
    if (found === null || typeof found !== 'object') return found;
    // Pictures hold no text, and are most of the evidence.
    return Object.fromEntries(
      Object.entries(found).map(([key, value]) => (key === 'jpegBase64' ? [key, value] : [clean(key), walk(value)])),
    );
  };
  return (found) => (all.length === 0 ? found : (walk(found) as typeof found));
}

/** V8 takes no expression for some thousand characters, and its error would quote the secret. */
const [pieceLength, longestPiece] = [200, 400];
/** Of all secrets together. */
const headLength = 8;

/** Of a secret, each for an expression of its own. Behind a letter or digit, which can be read in one way alone, so that none has to look back. */
const pieces = (secret: string): string[] =>
  secret.match(
    new RegExp(`[^]{1,${longestPiece}}$|[^]{${pieceLength - 1},${longestPiece - 1}}?[A-Za-z0-9]|[^]{1,${longestPiece}}`, 'gu'),
  ) ?? [];

const expressionOf = (characters: Iterable<string>): string => [...characters].map(waysToWrite).join('');

/**
 * @param heads finds where one may begin: one expression for all of them, since each looks at the whole text
 * @param written the pieces of each, which stand one behind the other
 */
function without(text: string, heads: RegExp, written: readonly (readonly RegExp[])[]): string {
  let [cleaned, kept] = ['', 0];
  heads.lastIndex = 0;
  for (let found = heads.exec(text); found !== null; found = heads.exec(text)) {
    const { index } = found;
    const end = Math.max(...written.map((parts) => parts.reduce((at, piece) => (at < 0 ? at : endOf(piece, text, at)), index)));
    heads.lastIndex = end < 0 ? index + 1 : end;
    if (end < 0) continue;
    cleaned += text.slice(kept, index);
    cleaned += /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*$/i.test(cleaned) ? markInHost : mark;
    kept = end;
  }
  return kept === 0 ? text : cleaned + text.slice(kept);
}

/** @returns where a piece ends that begins there; −1: it doesn't */
function endOf(piece: RegExp, text: string, at: number): number {
  piece.lastIndex = at;
  return piece.test(text) ? piece.lastIndex : -1;
}

/** Which characters are escaped depends on the place in a URL and on who writes it; in a URL within a URL they are escaped twice. */
function waysToWrite(character: string): string {
  const point = character.codePointAt(0) as number;
  const plain = `\\u{${point.toString(16)}}`;
  const inUrl = [...Buffer.from(character)].map((byte) => `%(?:25)*${inAnyCase(byte.toString(16).padStart(2, '0'))}`).join('');
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  const inJson = units.map((unit) => `\\\\u${inAnyCase(unit.toString(16).padStart(4, '0'))}`).join('');
  const inHtml = `&#(?:0*${point}|[xX]0*${inAnyCase(point.toString(16))});`;
  return `(?:${[plain, inUrl, inJson, inHtml, ...(others[character] ?? [])].join('|')})`;
}

const inAnyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const others: Readonly<Record<string, readonly string[]>> = {
  ' ': ['\\+', '%(?:25)*2[bB]'],
  '"': ['\\\\"', '&quot;'],
  '\\': ['\\\\\\\\'],
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  "'": ['&apos;'],
};
