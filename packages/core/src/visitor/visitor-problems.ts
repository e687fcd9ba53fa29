// What of a visitor can't be meant, or must not be stored.
import type { Step, Visitor } from '../schemas/visitor.ts';
import { blockProblem } from './blocked.ts';
import { ownHostProblem } from './own-hosts.ts';
import { type ReferenceKind, referableTexts, referenceOf } from './references.ts';
import { cookieNameProblem, cookieValueProblem, headerNameProblem, headerValueProblem } from './sendable.ts';

const said: Readonly<Record<ReferenceKind, string>> = {
  env: 'an environment variable',
  file: 'a file',
  secret: 'a secret of the service',
};

/**
 * @param kinds of references that can be followed where the campaign is performed.
 * @returns each wrong place, as a JSON pointer below the visitor, with words.
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
            : `${pointer} names ${said[reference.kind]} of the machine that measures, which campaigns of a service may not read; expected secret:NAME. Seal it with \`pronghorn secret put NAME --host HOST\`.`,
      });
    }
  }
  problems.push(...unsendable(visitor), ...unreadable(visitor));
  if (visitor.proxyAuth !== undefined && !/^https?:/.test(visitor.proxy ?? ''))
    problems.push({
      pointer: 'proxyAuth',
      detail: `proxyAuth is of ${visitor.proxy === undefined ? 'no proxy' : visitor.proxy}; expected one of http:// or https:// in proxy. Chrome tells a SOCKS proxy no password.`,
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

/** Headers, accounts and cookies with which Chrome would ask for nothing. What references lead to is looked at where they are followed. */
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
        `is there twice${basicAuth === undefined ? '' : ', or by basicAuth already'}; expected once`,
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

/** What can't be read as what it is: a proxy, hosts, patterns, authorities. Chrome would leave it out and say nothing. */
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
  // Of a SOCKS proxy URL reads no host: addresses and ports that are none are told of those of the web.
  const url = URL.parse(text.replace(/^\w+/, 'http'));
  return url !== null && url.port !== '0';
}

/** Of a page of either scheme: https:user@host is a path of an https page alone. */
function isPage(target: string): boolean {
  return ['https://page.invalid/', 'http://page.invalid/'].every((page) => {
    const url = URL.parse(target, page);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  });
}

/** What a step does, for people; without what is secret. */
export function stepWords(step: Step): string {
  if ('goto' in step) return `goto ${step.goto}`;
  if ('click' in step) return `click ${step.click}`;
  if ('type' in step) return `type ${step.secret ?? 'text'} into ${step.type}`;
  if ('waitFor' in step) return `wait for ${step.waitFor}`;
  if ('waitForUrl' in step) return `wait for a URL with ${step.waitForUrl}`;
  if ('waitMs' in step) return `wait ${step.waitMs} ms`;
  if ('cookie' in step) return `set the cookie ${step.cookie}`;
  return `set ${step.storage} in local storage`;
}
