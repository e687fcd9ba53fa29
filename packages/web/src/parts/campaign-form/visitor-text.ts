// Parts of a visitor as they are typed: lists with one thing on a line, steps as JSON. Pure.
import type { Visitor } from '@pronghorn/core/schemas';
import { changedOrNone, listed, type TextForm } from '../forms/fields.ts';
import type { FieldProblem } from '../forms/problems.ts';

type Header = NonNullable<Visitor['headers']>[number];
type Cookie = NonNullable<Visitor['cookies']>[number];

const lines = <One>(read: (line: string) => One, write: (one: One) => string): TextForm<One[]> => ({
  read: (text) => {
    const parsed = listed(text, /\r?\n/).map(read);
    return parsed.length === 0 ? undefined : parsed;
  },
  write: (list = []) => list.map(write).join('\n'),
});

/** The parts before and after the first mark. */
function parted(line: string, mark: string): { name: string; value: string } {
  const at = line.indexOf(mark);
  return at === -1 ? { name: line, value: '' } : { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
}

export const hostLines = lines<string>(
  (line) => line,
  (host) => host,
);

/** `Name: value` */
export const headerLines = lines<Header>(
  (line) => parted(line, ':'),
  ({ name, value }) => `${name}: ${value}`,
);

const domain = /;\s*domain=([^;]*)$/i;
/** `name=value`, with `; domain=HOST` behind it for another host than the page's. */
export const cookieLines = lines<Cookie>(
  (line) => {
    const [, host = ''] = domain.exec(line) ?? [];
    return { ...parted(line.replace(domain, ''), '='), ...(host.trim() === '' ? {} : { domain: host.trim() }) };
  },
  ({ name, value, domain }) => `${name}=${value}${domain === undefined ? '' : `; domain=${domain}`}`,
);

export const pemText: TextForm<string> = { read: (text) => (text.trim() === '' ? undefined : text), write: (pem = '') => pem };

/** Text that is not a list stays text, which `problemsOf` reports, like NaN for a text that is not a number. */
export const stepsText: TextForm<NonNullable<Visitor['steps']>> = {
  read: (text) => {
    if (text.trim() === '') return undefined;
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed.length === 0 ? undefined : parsed;
    } catch {}
    return text as never;
  },
  write: (steps) => (steps === undefined ? '' : typeof steps === 'string' ? steps : JSON.stringify(steps, null, 2)),
};

/** A pair of fields, of which one may still be empty; undefined where both are. */
export const accountOf = (user: string | undefined, password: string | undefined): Visitor['basicAuth'] =>
  user === undefined && password === undefined ? undefined : { user: user ?? '', password: password ?? '' };

/** Undefined where both sides are empty: a scale alone says nothing. `visitorTextProblems` reports one that is missing. */
export const viewportOf = (viewport: Partial<NonNullable<Visitor['viewport']>> | undefined): Visitor['viewport'] =>
  viewport?.width === undefined && viewport?.height === undefined ? undefined : (viewport as Visitor['viewport']);

/** Problems that need no request to the API. */
export function visitorTextProblems({ steps, viewport }: Visitor): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (typeof steps === 'string')
    problems.push({ pointer: '#/visitor/steps', detail: 'The steps are not a JSON list yet; expected [{ "goto": "/login" }, …].' });
  if (viewport !== undefined && !('width' in viewport && 'height' in viewport))
    problems.push({ pointer: '#/visitor/viewport', detail: 'A viewport takes both a width and a height.' });
  return problems;
}

const reference = /^(env|file|secret):.+/;
/** The same rule as in core: readers of the campaign would see the value. A copy, since core's module would bring all of its statistics. */
const secretName =
  /^(cookie|(proxy-)?authorization)$|token|secret|passw|session|credential|jwt|api[-_.]?key|(^|[-_.])(auth|key|sid)([-_.]|$)|sess(ion)?[-_.]?id/i;

/**
 * Without literal secrets in place of references, and without what may be secret, such as typed texts and steps that can't be read yet:
 * browsers keep addresses, and people share them.
 */
export function visitorForAddress(visitor: Visitor): Visitor | undefined {
  const { headers, cookies, basicAuth, proxyAuth, clientCertificate, steps } = visitor;
  const isReference = (text: string | undefined) => text === undefined || reference.test(text);
  const isOpen = (name: unknown, value: unknown) => reference.test(String(value)) || !secretName.test(String(name));
  const open = <One>(list: One[] | undefined, one: (one: One) => boolean) => {
    const left = list?.filter(one);
    return left?.length === 0 ? undefined : left;
  };
  return changedOrNone(visitor, {
    headers: open(headers, ({ name, value }) => isOpen(name, value)),
    cookies: open(cookies, ({ name, value }) => isOpen(name, value)),
    basicAuth: basicAuth && !isReference(basicAuth.password) ? { ...basicAuth, password: '' } : basicAuth,
    proxyAuth: proxyAuth && !isReference(proxyAuth.password) ? { ...proxyAuth, password: '' } : proxyAuth,
    clientCertificate: isReference(clientCertificate) ? clientCertificate : undefined,
    steps: isListOfObjects(steps)
      ? open(steps, (step) => stepParts(step).every(([name, value]) => isOpen(name, value)))?.map(withoutText)
      : undefined,
  });
}

/** A step that types nothing is reported as wrong; a missing step would not be. */
function withoutText(step: NonNullable<Visitor['steps']>[number]): NonNullable<Visitor['steps']>[number] {
  if (!('type' in step)) return step;
  const { text: _, ...rest } = step;
  return rest;
}

/** The parts of a step that may be secret, by name. */
function stepParts(step: NonNullable<Visitor['steps']>[number]): [name: string, value: string][] {
  if ('type' in step) return step.secret === undefined ? [] : [['secret', step.secret]];
  if ('cookie' in step) return [[step.cookie, step.value]];
  return 'storage' in step ? [[step.storage, step.value]] : [];
}

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'strings' | 'objects';
const kinds: Readonly<Record<keyof Visitor, Kind>> = {
  ...({ userAgent: 'string', ca: 'string', proxy: 'string', device: 'string', language: 'string', cpuSlowdown: 'number' } as const),
  ...({ clientCertificate: 'string', proxyAuth: 'object' } as const),
  ...({ firstPartyOnly: 'boolean', basicAuth: 'object', viewport: 'object', block: 'strings', ownHosts: 'strings' } as const),
  ...({ headers: 'objects', cookies: 'objects', steps: 'objects', after: 'strings' } as const),
};
/** Steps may be as they were typed. */
const isListOfObjects = (steps: unknown): steps is NonNullable<Visitor['steps']> => Array.isArray(steps) && steps.every(isObject);
const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The visitor in an address, as far as fields can show it. */
export function visitorOfAddress(parsed: unknown): Visitor | undefined {
  if (!isObject(parsed)) return undefined;
  const isKind = (kind: Kind | undefined, value: unknown): boolean => {
    if (kind === 'strings') return Array.isArray(value) && value.every((one) => typeof one === 'string');
    if (kind === 'objects') return Array.isArray(value) && value.every(isObject);
    return kind === 'object' ? isObject(value) : typeof value === kind;
  };
  const fit = Object.entries(parsed as Visitor).filter(([key, value]) => isKind(kinds[key as keyof Visitor], value));
  return fit.length === 0 ? undefined : (Object.fromEntries(fit) as Visitor);
}
