// Who visits: options of commands that measure, for pages that need something first.
import { readFileSync } from 'node:fs';
import { devices, type SiteRequest, Step, type Visitor } from '@pronghorn/core/schemas';
import { http3Barrier, referableTexts, referenceOf, visitorProblems } from '@pronghorn/core/visitor';
import { missingVariable } from '@pronghorn/runner';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Value } from 'typebox/value';
import { reasonOf, UsageError } from '../data.ts';
import { between, repeated } from './values.ts';

export interface VisitorOptions {
  userAgent?: string;
  header: { name: string; value: string }[];
  cookie: { name: string; value: string }[];
  basicAuth?: { user: string; password: string };
  ca?: string;
  clientCert?: string;
  proxy?: string;
  proxyAuth?: { user: string; password: string };
  block: string[];
  firstPartyOnly?: boolean;
  ownHost: string[];
  device?: (typeof devices)[number];
  viewport?: { width: number; height: number };
  cpuSlowdown?: number;
  language?: string;
  steps?: string;
  after: string[];
}

/** `NAME: VALUE` and `NAME=VALUE`, where the value may be a reference. */
const pair = (mark: ':' | '=', example: string) => (text: string) => {
  const at = text.indexOf(mark);
  if (at < 1) throw new InvalidArgumentError(`Expected ${example}.`);
  return { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
};

const listed =
  <T>(read: (text: string) => T) =>
  (text: string, before: T[]) => [...before, read(text)];

function account(text: string): { user: string; password: string } {
  const { name, value } = pair(':', 'USER:env:NAME or USER:file:PATH')(text);
  return { user: name, password: value };
}

function size(text: string): { width: number; height: number } {
  const found = /^(\d{3,4})x(\d{3,4})$/.exec(text);
  if (found === null) throw new InvalidArgumentError('Expected WIDTHxHEIGHT in CSS pixels, such as 390x844.');
  return { width: Number(found[1]), height: Number(found[2]) };
}

/** All of them; docs/pages.md explains each. */
export const visitedBy = (command: Command) =>
  command
    .option('--user-agent <text>', 'instead of Chrome’s with Pronghorn/VERSION behind it')
    .addOption(
      new Option('--header <header>', '"Name: value" for the page’s own hosts; a value may be env:NAME or file:PATH (repeatable)')
        .argParser(listed(pair(':', '"Name: value"')))
        .default([], 'none'),
    )
    .addOption(
      new Option('--cookie <cookie>', 'NAME=VALUE of the page’s host; a value may be env:NAME or file:PATH (repeatable)')
        .argParser(listed(pair('=', 'NAME=VALUE')))
        .default([], 'none'),
    )
    .addOption(new Option('--basic-auth <user:reference>', 'such as ann:env:STAGING_PASSWORD').argParser(account))
    .option('--ca <file>', 'PEM file of authorities to trust beside Chrome’s own')
    .option('--client-cert <reference>', 'file:PATH or env:NAME of a certificate and its key (PEM), for the page’s own hosts')
    .option('--proxy <url>', 'for HTTP/1.1 and HTTP/2; HTTP/3 can’t pass one')
    .addOption(new Option('--proxy-auth <user:reference>', 'such as ann:env:PROXY_PASSWORD').argParser(account))
    .addOption(
      new Option('--block <host>', 'HOST, *.HOST or a URL pattern never to be asked for (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .option('--first-party-only', 'ask for nothing but the page’s own hosts')
    .addOption(
      new Option('--own-host <host>', 'HOST or *.HOST that is the page’s own too (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .addOption(new Option('--device <kind>', 'viewport, touch, pixels, user agent and CPU of one').choices(devices))
    .addOption(new Option('--viewport <size>', 'CSS pixels, such as 390x844').argParser(size))
    .option('--cpu-slowdown <n>', 'how many times slower the CPU is made', between(1, 20))
    .option('--language <tag>', 'such as de-CH')
    .option('--steps <file>', 'JSON file with steps before the page: a login, a consent')
    .addOption(
      new Option('--after <url>', 'page that a warm visit opens before in place of the page itself, as /list (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none')
        .implies({ view: ['warm'] }),
    );

/**
 * @returns undefined where nothing special is asked for.
 * @throws UsageError where a file can't be read, or a value can't be meant.
 */
export function visitorOfOptions(options: VisitorOptions): Visitor | undefined {
  const { header, cookie, block, ownHost, ca, steps, after } = options;
  const {
    userAgent,
    basicAuth,
    clientCert: clientCertificate,
    proxy,
    proxyAuth,
    firstPartyOnly,
    device,
    viewport,
    cpuSlowdown,
    language,
  } = options;
  const visitor: Visitor = {
    ...defined({ userAgent, basicAuth, clientCertificate, proxy, proxyAuth, firstPartyOnly, device, viewport, cpuSlowdown, language }),
    ...(header.length > 0 ? { headers: header } : {}),
    ...(cookie.length > 0 ? { cookies: cookie } : {}),
    ...(block.length > 0 ? { block } : {}),
    ...(ownHost.length > 0 ? { ownHosts: ownHost } : {}),
    ...(ca === undefined ? {} : { ca: readText(ca, '--ca') }),
    ...(steps === undefined ? {} : { steps: readSteps(steps) }),
    ...(after.length > 0 ? { after } : {}),
  };
  // Said before anything is started, and in the words of an option.
  const [problem] = visitorProblems(visitor, ['env', 'file']);
  if (problem !== undefined) throw new UsageError(problem.detail);
  return Object.keys(visitor).length === 0 ? undefined : visitor;
}

/** @throws UsageError where a variable that the visitor's secrets are in is not set: a campaign of this command would fail in each visit */
export function checkVariables(visitor: Visitor = {}): void {
  for (const { text } of referableTexts(visitor)) {
    const reference = referenceOf(text);
    const lacks = reference?.kind === 'env' ? missingVariable(reference.name) : undefined;
    if (lacks !== undefined) throw new UsageError(lacks);
  }
}

function readSteps(file: string): Step[] {
  const text = readText(file, '--steps');
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--steps ${file} is not JSON (${error instanceof Error ? error.message : error}). docs/pages.md shows one.`);
  }
  if (!Array.isArray(found))
    throw new UsageError(`--steps ${file} has no list; expected [{ "goto": "/login" }, …]. docs/pages.md shows one.`);
  for (const [i, step] of found.entries()) {
    const fault = stepFault(step);
    if (fault !== undefined) throw new UsageError(`--steps ${file}: step ${i + 1} ${fault}. docs/pages.md shows one.`);
  }
  return found as Step[];
}

/** Behind the number of the step. Of a union every kind is wrong in its own way: only that of the kind that it names is told. */
function stepFault(step: unknown): string | undefined {
  if (Value.Check(Step, step)) return undefined;
  const isObject = step !== null && typeof step === 'object' && !Array.isArray(step);
  const kinds = Object.fromEntries(Step.anyOf.map((kind) => [Object.keys(kind.properties)[0] ?? '', kind]));
  const [name, kind] = Object.entries(kinds).find(([name]) => isObject && name in step) ?? [];
  if (kind === undefined) return `is none; expected an object with one of ${Object.keys(kinds).join(', ')}`;
  const [{ instancePath = '', message = '', keyword = '' } = {}] = Value.Errors(kind, step);
  const place = instancePath.slice(1);
  if (keyword === 'boolean') return `(${name}) has ${place}, which none of its kind has`;
  return `(${name}) is wrong${place === '' ? '' : ` at ${place}`}: it ${message}`;
}

function readText(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option} ${file} can't be read (${reasonOf(error)}).`);
  }
}

/** Each page after those before it; the first after none. */
export const journeyOf = (sites: readonly SiteRequest[]): SiteRequest[] =>
  sites.map((site, place) => ({ ...site, visitor: { ...site.visitor, after: sites.slice(0, place).map(({ url }) => url) } }));

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;

/** What is to be known before a campaign with a visitor starts. */
export function visitorWarnings(visitor: Visitor | undefined, protocols: readonly string[]): string[] {
  const barrier = protocols.includes('h3') ? http3Barrier(visitor ?? {}) : undefined;
  return barrier === undefined ? [] : [`${barrier} Its visits will be invalid as protocol-unavailable. Ask for --protocols h1,h2.`];
}
