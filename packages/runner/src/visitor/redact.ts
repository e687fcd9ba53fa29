// Keeps secrets out of a visit's results: a page may put typed text into its URLs, and an error may quote it.

/** Shorter ones would match unrelated words of the page. */
const shortest = 6;
/** A text that was cut after this many characters of a secret, or more, is taken for that secret. */
const minBeginning = 8;

export type Redact = <T>(input: T) => T;

const mark = '[secret]';
/** Brackets in a host name would make the URL invalid. */
const markInHost = 'secret';

/** Fields whose texts are Chrome's words and ours, whatever a page does: without them, evidence is none. Pictures are most of it. */
const ownFields: ReadonlySet<string> = new Set([
  ...['method', 'type', 'kind', 'protocol', 'requestId', 'loaderId', 'frameId', 'initialPriority', 'referrerPolicy', 'securityState'],
  ...['alternateProtocolUsage', 'renderBlockingBehavior', 'mixedContentType', 'jpegBase64', 'histogram'],
  ...['id', 'campaignId', 'siteId', 'h3', 'reason'],
]);

/**
 * @returns what replaces each secret, however URLs, forms, JSON, HTML and Basic write it, in all texts of a value, and its beginning where a text was
 *   cut, which ends as …; the value itself where there is none
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets
    .filter(({ length }) => length >= shortest)
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''), Buffer.from(secret).toString('base64url')]);
  if (forms.length === 0) return (input) => input;
  const root = treeOf([...new Set(forms)]);
  /** @param isOfServer whether its keys are names that a server wrote */
  const walk = (input: unknown, budget: Budget, isOfServer = false): unknown => {
    if (typeof input === 'string') return without(input, root, budget);
    if (Array.isArray(input)) return input.map((one) => walk(one, budget));
    if (input === null || typeof input !== 'object') return input;
    return Object.fromEntries(
      Object.entries(input).map(([key, value]) => {
        if (isOfServer) return [without(key, root, budget), walk(value, budget)];
        return [key, ownFields.has(key) ? value : walk(value, budget, key === 'headers')];
      }),
    );
  };
  return (input) => walk(input, { steps: maxSteps }) as typeof input;
}

/** Some seconds. A page that repeats the beginning of a long cookie again and again takes more: then a text is cut where one begins. */
const maxSteps = 300_000_000;
interface Budget {
  steps: number;
}

/** A prefix tree of all secrets: as fast for hundreds of cookies as for one password. */
interface Tree {
  next: Map<number, Tree>;
  /** Secrets that branch off here, or end here. */
  rests: number[][];
}

/** Secrets that begin alike for longer are compared one by one. */
const deepest = 16;

function treeOf(forms: readonly string[]): Tree {
  const root: Tree = { next: new Map(), rests: [] };
  for (const form of forms) {
    const points = [...form].map((character) => character.codePointAt(0) as number);
    let tree = root;
    for (const point of points.slice(0, deepest)) {
      const below = tree.next.get(point) ?? { next: new Map(), rests: [] };
      tree.next.set(point, below);
      tree = below;
    }
    tree.rests.push(points.slice(deepest));
  }
  return root;
}

function without(text: string, root: Tree, budget: Budget): string {
  let [cleaned, copied] = ['', 0];
  let host: { from: number; to: number } | undefined;
  for (let at = 0; at < text.length; at++) {
    const end = endOfSecret(text, at, root, budget);
    if (end < 0) continue;
    host ??= hostIn(text);
    cleaned += text.slice(copied, at) + (at >= host.from && at <= host.to ? markInHost : mark);
    copied = end;
    at = end - 1;
  }
  return copied === 0 ? text : cleaned + text.slice(copied);
}

/** Position of the host in a text that is a URL. */
function hostIn(text: string): { from: number; to: number } {
  const [whole, scheme] = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*/i.exec(text) ?? [];
  return { from: scheme?.length ?? text.length, to: whole?.length ?? -1 };
}

/** @returns where the longest one ends that begins there; −1: none does */
function endOfSecret(text: string, begin: number, root: Tree, budget: Budget): number {
  const first = text.charCodeAt(begin);
  if (!isEscape(first) && first < 0xd800 && !root.next.has(first)) return -1;
  let end = -1;
  // What stands there may be read in several ways: as it is, or as an escape.
  let readings: [tree: Tree, at: number][] = [[root, begin]];
  for (let depth = 0; readings.length > 0; depth++) {
    const further: typeof readings = [];
    for (const [tree, at] of readings) {
      for (const rest of tree.rests) end = Math.max(end, endOfRest(text, at, rest, budget));
      if (depth >= minBeginning) end = Math.max(end, endOfCut(text, at));
      for (const [point, next] of charactersAt(text, at)) {
        const below = tree.next.get(point);
        if (below !== undefined) further.push([below, next]);
      }
    }
    readings = further;
  }
  return end;
}

function endOfRest(text: string, begin: number, rest: readonly number[], budget: Budget): number {
  if (budget.steps < 0) return text.length;
  let ends = [begin];
  budget.steps -= 1;
  for (let i = 0; i < rest.length; i++) {
    // Nearly all of a text can be read in only one way.
    if (ends.length === 1) {
      const from = i;
      let at = ends[0] as number;
      for (let unit = text.charCodeAt(at); unit === rest[i] && !isEscape(unit); unit = text.charCodeAt(++at)) i++;
      budget.steps -= i - from;
      ends = [at];
      if (i === rest.length) break;
    }
    budget.steps -= 100;
    const further = ends.flatMap((at) => charactersAt(text, at).flatMap(([point, next]) => (point === rest[i] ? [next] : [])));
    if (further.length === 0) return Math.max(...ends.map((at) => endOfCut(text, at)));
    ends = further;
  }
  return Math.max(...ends);
}

/** @returns where a text was cut, be it within an escape that begins there; −1: it was not */
function endOfCut(text: string, at: number): number {
  cutEnd.lastIndex = at;
  return cutEnd.test(text) ? cutEnd.lastIndex - 1 : -1;
}

const cutEnd = /(?:[%&\\][\w#%\\]{0,16})?…/y;

const isEscape = (unit: number): boolean => unit === 0x25 || unit === 0x26 || unit === 0x2b || unit === 0x5c; // % & + \

/**
 * Decodes the character at a place in every possible way. Which characters are escaped depends on the place in a URL and on who writes it; in a URL within a URL they are
 * escaped twice.
 *
 * @returns code points, each with the place behind it
 */
function charactersAt(text: string, at: number): [point: number, next: number][] {
  const point = text.codePointAt(at);
  if (point === undefined) return [];
  const readings: [number, number][] = [[point, at + (point > 0xffff ? 2 : 1)]];
  if (!isEscape(point)) return readings;
  const add = (meant: string, length: number) => readings.push([meant.codePointAt(0) as number, at + length]);
  if (point === 0x2b) add(' ', 1);
  for (const [pattern, meaning] of notations) {
    pattern.lastIndex = at;
    const written = pattern.exec(text)?.[0];
    const meant = written === undefined ? undefined : meaning(written);
    if (written !== undefined && meant !== undefined) for (const one of meant) add(one, written.length);
  }
  return readings;
}

/** In a URL, as often as it was escaped: bytes of UTF-8. A + there may be a space that was escaped. */
const inUrl = (depth: number): Notation => {
  const percent = `%${'25'.repeat(depth)}`;
  const [lead, next] = [`${percent}[c-fC-F][0-9a-fA-F]`, `(?:${percent}[89abAB][0-9a-fA-F]){1,3}`];
  return [
    new RegExp(`${lead}${next}|${percent}[0-7][0-9a-fA-F]`, 'y'),
    (written) => {
      const [one = '', ...others] = Buffer.from(written.replaceAll(percent, ''), 'hex').toString('utf8');
      return others.length > 0 ? [] : one === '+' ? ['+', ' '] : [one];
    },
  ];
};

type Notation = [written: RegExp, meaning: (written: string) => string[]];
const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };
const ofPoint = (point: number): string[] => (point <= 0x10ffff ? [String.fromCodePoint(point)] : []);

const notations: readonly Notation[] = [
  ...[0, 1, 2, 3].map(inUrl),
  [/\\["\\/]/y, (written) => [written.slice(1)]],
  [/\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}/y, (written) => [JSON.parse(`"${written}"`)]],
  [/&(?:quot|amp|lt|gt|apos);/y, (written) => [entities[written.slice(1, -1)] as string]],
  [/&#0*\d{1,7};/y, (written) => ofPoint(Number(written.slice(2, -1)))],
  [/&#[xX]0*[0-9a-fA-F]{1,6};/y, (written) => ofPoint(Number.parseInt(written.slice(3, -1), 16))],
];
