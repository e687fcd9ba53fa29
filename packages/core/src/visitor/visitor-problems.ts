// References of a visitor to its secrets, and problems of one that fits its schema: values that can't be sent, or must not be stored.

import type { SiteRequest } from '../schemas/campaign.ts';
import type { Step, Visitor } from '../schemas/visitor.ts';
import { ownHostProblem } from './own-hosts.ts';

export type ReferenceKind = 'env' | 'file' | 'secret';
export interface Reference {
  kind: ReferenceKind;
  /** Name of the variable, the file or the secret. */
  name: string;
}

/** @returns undefined for a literal text. */
export function referenceOf(text: string): Reference | undefined {
  const match = /^(env|file|secret):(.+)$/.exec(text);
  return match === null ? undefined : { kind: match[1] as ReferenceKind, name: match[2] as string };
}

/** Each text of a visitor that may be a reference, with its pointer. */
export function* referableTexts(visitor: Visitor): Generator<{ pointer: string; text: string; secret: boolean }> {
  for (const [i, { name, value }] of (visitor.headers ?? []).entries())
    yield { pointer: `headers/${i}/value`, text: value, secret: carriesSecret(name) };
  for (const [i, { name, value }] of (visitor.cookies ?? []).entries())
    yield { pointer: `cookies/${i}/value`, text: value, secret: carriesSecret(name) };
  if (visitor.basicAuth !== undefined) yield { pointer: 'basicAuth/password', text: visitor.basicAuth.password, secret: true };
  if (visitor.proxyAuth !== undefined) yield { pointer: 'proxyAuth/password', text: visitor.proxyAuth.password, secret: true };
  if (visitor.clientCertificate !== undefined) yield { pointer: 'clientCertificate', text: visitor.clientCertificate, secret: true };
  for (const [i, one] of (visitor.steps ?? []).entries()) yield* textsOfStep(one, `steps/${i}`);
}

function* textsOfStep(step: Step, pointer: string): Generator<{ pointer: string; text: string; secret: boolean }> {
  if ('type' in step && step.secret !== undefined) yield { pointer: `${pointer}/secret`, text: step.secret, secret: true };
  if ('cookie' in step) yield { pointer: `${pointer}/value`, text: step.value, secret: carriesSecret(step.cookie) };
  if ('storage' in step) yield { pointer: `${pointer}/value`, text: step.value, secret: carriesSecret(step.storage) };
}

/** True if the name suggests a secret: anyone who can see the campaign could see the value too. */
const carriesSecret = (name: string): boolean =>
  /^(cookie|(proxy-)?authorization)$|token|secret|passw|session|credential|jwt|api[-_.]?key|(^|[-_.])(auth|key|sid)([-_.]|$)|sess(ion)?[-_.]?id/i.test(
    name,
  );

const kindWords: Readonly<Record<ReferenceKind, string>> = {
  env: 'an environment variable',
  file: 'a file',
  secret: 'a secret of the service',
};

/**
 * @param kinds of references that can be resolved where the campaign is performed.
 * @returns each problem, with a JSON pointer below the visitor.
 */
export function visitorProblems(visitor: Visitor, kinds: readonly ReferenceKind[]): { pointer: string; detail: string }[] {
  const problems: { pointer: string; detail: string }[] = [];
  for (const { pointer, text, secret } of referableTexts(visitor)) {
    const reference = referenceOf(text);
    if (reference === undefined && secret) {
      problems.push({
        pointer,
        detail: `${pointer} holds a secret by its name, which would be stored and shown as it is; expected a reference: ${kinds.map((kind) => `${kind}:${kind === 'file' ? 'PATH' : 'NAME'}`).join(' or ')}.`,
      });
    } else if (reference !== undefined && !kinds.includes(reference.kind)) {
      problems.push({
        pointer,
        detail:
          reference.kind === 'secret'
            ? `${pointer} names a secret of a service, and this campaign is measured by the command itself; expected env:NAME or file:PATH.`
            : `${pointer} names ${kindWords[reference.kind]} of the machine that measures, which campaigns of a service may not read; expected secret:NAME. Seal it with \`pronghorn secret put NAME --host HOST\`.`,
      });
    }
  }
  problems.push(...unsendable(visitor), ...unreadable(visitor));
  if (visitor.proxyAuth !== undefined && !/^https?:/.test(visitor.proxy ?? ''))
    problems.push({
      pointer: 'proxyAuth',
      detail: `proxyAuth is for ${visitor.proxy === undefined ? 'no proxy' : visitor.proxy}; expected an http:// or https:// proxy. Chrome sends no password to a SOCKS proxy.`,
    });
  for (const [i, step] of (visitor.steps ?? []).entries()) {
    if ('goto' in step && !isPage(step.goto))
      problems.push({
        pointer: `steps/${i}/goto`,
        detail: `Step ${i + 1} goes to "${step.goto}"; expected a path of the page's host or a URL with https or http, without an account in it.`,
      });
    if ('type' in step && (step.text === undefined) === (step.secret === undefined))
      problems.push({ pointer: `steps/${i}`, detail: `Step ${i + 1} types into ${step.type}; expected text or secret, one of them.` });
  }
  return problems;
}

type Problems = { pointer: string; detail: string }[];

/** Headers, accounts and cookies with which Chrome could request nothing. The values of references are checked when they are resolved. */
function unsendable({ headers = [], cookies = [], basicAuth, proxyAuth, steps = [] }: Visitor): Problems {
  const problems: Problems = [];
  const tell = (pointer: string, what: string, why: string | undefined) => {
    if (why !== undefined) problems.push({ pointer, detail: `${what} ${why}.` });
  };
  const names = new Set(basicAuth === undefined ? [] : ['authorization']);
  for (const [i, { name, value }] of headers.entries()) {
    tell(`headers/${i}/name`, `The header ${name}`, headerNameProblem(name));
    tell(`headers/${i}/value`, `The header ${name}`, headerValueProblem(value));
    if (names.has(name.toLowerCase()))
      tell(
        `headers/${i}/name`,
        `The header ${name}`,
        `is given twice${basicAuth === undefined ? '' : ', or also by basicAuth'}; expected once`,
      );
    names.add(name.toLowerCase());
  }
  for (const [pointer, account] of Object.entries({ basicAuth, proxyAuth }))
    if (account !== undefined) tell(`${pointer}/user`, `The user of ${pointer}`, headerValueProblem(account.user));
  const ofCookie = (pointer: string, name: string, { value, domain }: { value: string; domain?: string }) => {
    tell(pointer, `The cookie ${JSON.stringify(name)}`, cookieNameProblem(name));
    tell(`${pointer}/value`, `The cookie ${JSON.stringify(name)}`, cookieValueProblem(value, name));
    if (domain?.startsWith('.') && /^__host-/i.test(name))
      tell(`${pointer}/domain`, `The cookie ${JSON.stringify(name)}`, 'is for one host alone by its name; expected it without a domain');
    if (domain !== undefined && ownHostProblem(domain.replace(/^\./, '')) !== undefined)
      tell(
        `${pointer}/domain`,
        `The cookie ${JSON.stringify(name)}`,
        `is of "${domain}", which is no domain; expected one such as example.com`,
      );
  };
  for (const [i, cookie] of cookies.entries()) ofCookie(`cookies/${i}`, cookie.name, cookie);
  for (const [i, step] of steps.entries()) if ('cookie' in step) ofCookie(`steps/${i}`, step.cookie, step);
  return problems;
}

/** Proxies, hosts, patterns and authorities that can't be parsed. Chrome would ignore them silently. */
function unreadable({ ownHosts = [], block = [], proxy, ca }: Visitor): Problems {
  const problems: Problems = [];
  const tell = (pointer: string, detail: string | undefined) => {
    if (detail !== undefined) problems.push({ pointer, detail });
  };
  for (const [i, pattern] of ownHosts.entries()) tell(`ownHosts/${i}`, ownHostProblem(pattern));
  for (const [i, pattern] of block.entries()) tell(`block/${i}`, blockProblem(pattern));
  if (proxy !== undefined && !isProxy(proxy))
    tell('proxy', `The proxy is "${proxy}"; expected a scheme, a host and a port up to 65535, such as http://proxy.example.com:3128.`);
  if (ca !== undefined && /PRIVATE KEY-----/.test(ca))
    tell('ca', 'The CA has a private key in it, which would be stored and shown. Take it out: its certificate is all that is needed.');
  return problems;
}

function isProxy(text: string): boolean {
  if (!/^(http|https|socks5):\/\/([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?\/?$/i.test(text)) return false;
  // URL does not parse the host of a SOCKS proxy: its address and port are checked as those of an http one.
  const url = URL.parse(text.replace(/^\w+/, 'http'));
  return url !== null && url.port !== '0';
}

/** Whether a step's target leads to a page of either scheme: https:user@host is a path of an https page only. */
function isPage(target: string): boolean {
  return ['https://page.invalid/', 'http://page.invalid/'].every((page) => {
    const url = URL.parse(target, page);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  });
}

/** @param pattern a host, `*.host` for it and its subdomains, or a URL pattern */
export function urlPatternsOf(pattern: string): string[] {
  if (pattern.includes('/')) return [pattern];
  // In a pattern a colon begins the name of a part, also in an IPv6 address.
  return (
    pattern.startsWith('*.') ? [pattern.slice(2), pattern] : [pattern.startsWith('[') ? pattern.replaceAll(':', '\\:') : pattern]
  ).map((host) => `*://${host}:*/*`);
}

/** @returns the problem as a sentence; undefined: none */
function blockProblem(pattern: string): string | undefined {
  const wrong = `"${pattern}" is neither a host nor a URL pattern`;
  try {
    // Chrome accepts none with expressions, and would block nothing at all.
    if (!urlPatternsOf(pattern).some((one) => new URLPattern(one).hasRegExpGroups)) return undefined;
  } catch (error) {
    return `${wrong} (${error instanceof Error ? error.message : error}); expected one such as ads.example.com, *.example.com or *://*:*/ads/*.`;
  }
  return `${wrong} that browsers block by: it has an expression in brackets; expected wildcards, such as *://*:*/ads/*.`;
}

/** @returns the problem with a header's value, to follow its name; undefined: none */
export const headerValueProblem = (value: string): string | undefined =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
  /[\0-\x08\x0a-\x1f\x7f]/.test(value) ? 'has a line break or another control character; expected one line of text' : undefined;

/** The same for a cookie's value: RFC 6265, section 4.1.1, as browsers read it. */
export function cookieValueProblem(value: string, name = ''): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
  if (/[\0-\x1f\x7f;]/.test(value)) return 'has a line break, a semicolon or a control character; expected text without';
  const bytes = new TextEncoder().encode(name + value).length;
  return bytes > maxCookieBytes
    ? `has ${bytes} bytes, name and value together; browsers take ${maxCookieBytes.toLocaleString('en')} at most`
    : undefined;
}

/** RFC 6265bis, section 5.6. */
const maxCookieBytes = 4096;

/** Headers of the connection, or made by Chrome itself, which rejects requests that set them. */
const ofConnection = new Set('connection content-length cookie2 expect host keep-alive te trailer transfer-encoding upgrade'.split(' '));

/** @returns the problem with a header of this name; undefined: none */
const headerNameProblem = (name: string): string | undefined =>
  ofConnection.has(name.toLowerCase()) ? 'belongs to the connection, and the browser sets it; expected another header' : undefined;

/** @returns the problem with a cookie of this name; undefined: none */
const cookieNameProblem = (name: string): string | undefined =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
  /[\0-\x1f\x7f=;]|^\s|\s$/.test(name) ? 'is no name of a cookie: it has =, ; or a control character, or a space around it' : undefined;

/** @returns why this visitor can't visit over HTTP/3, as a sentence; undefined: it can */
export function http3Barrier({ proxy, clientCertificate }: Visitor): string | undefined {
  if (proxy !== undefined) return `HTTP/3 can't pass the proxy ${proxy}: it needs UDP to the site itself.`;
  // Tried with Chromium 156 and nginx 1.30: over QUIC, Chrome answers with an empty certificate, whatever its store has.
  if (clientCertificate !== undefined) return 'Chrome shows no client certificate over HTTP/3.';
  return undefined;
}

/** The visitor of one page: the campaign's, overridden by the site's. */
export function visitorOf(campaign: { visitor?: Visitor }, site: Pick<SiteRequest, 'visitor'> | undefined): Visitor {
  return { ...campaign.visitor, ...site?.visitor };
}
