// Options of a visit: who visits a page, and what a run of REST calls does.
import { connectionsOfUsers, devices, workloadLimits } from '@pronghorn/core/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { byteCount, integerBetween, numberTo, repeatable, repeated } from './values.ts';

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

function account(text: string): { user: string; password: string } {
  const { name, value } = pair(':', 'USER:env:NAME or USER:file:PATH')(text);
  return { user: name, password: value };
}

function size(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d{3,4})x(\d{3,4})$/.exec(text) ?? [];
  if (width === undefined) throw new InvalidArgumentError('Expected WIDTHxHEIGHT in CSS pixels, such as 390x844.');
  return { width: Number(width), height: Number(height) };
}

/** All of them; docs/pages.md explains each. */
export const visitedBy = (command: Command) =>
  command
    .option('--user-agent <text>', 'instead of Chrome’s with Pronghorn/VERSION behind it')
    .addOption(
      repeatable(
        '--header <header>',
        '"Name: value" for the page’s own hosts; a value may be env:NAME or file:PATH',
        pair(':', '"Name: value"'),
      ),
    )
    .addOption(
      repeatable('--cookie <cookie>', 'NAME=VALUE of the page’s host; a value may be env:NAME or file:PATH', pair('=', 'NAME=VALUE')),
    )
    .addOption(new Option('--basic-auth <user:reference>', 'such as ann:env:STAGING_PASSWORD').argParser(account))
    .option('--ca <file>', 'PEM file of authorities to trust beside Chrome’s own')
    .option('--client-cert <reference>', 'file:PATH or env:NAME of a certificate and its key (PEM), for the page’s own hosts')
    .option('--proxy <url>', 'for HTTP/1.1 and HTTP/2; HTTP/3 can’t pass one')
    .addOption(new Option('--proxy-auth <user:reference>', 'such as ann:env:PROXY_PASSWORD').argParser(account))
    .addOption(repeatable('--block <host>', 'HOST, *.HOST or a URL pattern that is never requested'))
    .option('--first-party-only', 'request nothing but the page’s own hosts')
    .addOption(repeatable('--own-host <host>', 'HOST or *.HOST that is the page’s own too'))
    .addOption(new Option('--device <kind>', 'viewport, touch, pixels, user agent and CPU of one').choices(devices))
    .addOption(new Option('--viewport <size>', 'CSS pixels, such as 390x844').argParser(size))
    .option('--cpu-slowdown <n>', 'how many times slower the CPU is made', integerBetween(1, 20))
    .option('--language <tag>', 'such as de-CH')
    .option('--steps <file>', 'JSON file with steps before the page: a login, a consent')
    .addOption(
      repeatable('--after <url>', 'page that a warm visit opens first instead of the page itself, such as /list').implies({
        view: ['warm'],
      }),
    );

/** Of commands that measure. */
export const working = (command: Command) =>
  command
    .optionsGroup('Of the engine transaction, whose visit is a run of REST calls (without headers, logins or devices):')
    .addOption(new Option('--method <name>', 'of each request (default: GET)').choices(['GET', 'POST']))
    .option('--body <size>', 'of each POST, made up, such as 2MB', byteCount)
    .addOption(new Option('--path <path>', 'requested in turn, instead of the URL’s own (repeatable)').argParser(repeated))
    .option('--users <n>', 'who work at the same time (default: 1)', integerBetween(1, workloadLimits.users))
    .option('--requests <n>', 'of each user (default: 100)', integerBetween(1, workloadLimits.requests))
    .option('--for <seconds>', 'end a run after this time instead of a number of requests', numberTo(workloadLimits.seconds, 'seconds'))
    .option(
      '--rate <n>',
      'requests that are due a second, whether earlier ones have ended or not',
      numberTo(workloadLimits.requestsPerSecond, 'requests a second'),
    )
    .option('--poisson', 'at random distances, as of many people')
    .addOption(
      new Option(
        '--connections <how>',
        'one for each user, some shared, a pool as the client itself opens it, or one for each request (default: user; of scenarios: pool)',
      ).choices([...connectionsOfUsers]),
    )
    .option('--shared <n>', 'connections that are shared', integerBetween(1, workloadLimits.users))
    .option('--early-data', 'let GET requests over HTTP/3 go with the handshake (0-RTT)')
    .option(
      '--request-timeout <seconds>',
      'what a request may take; one that fails counts as one that took at least so long (default: 30)',
      numberTo(600, 'seconds'),
    )
    .optionsGroup('Options:');

export interface WorkloadOptions {
  method?: 'GET' | 'POST';
  body?: number;
  path?: string[];
  users?: number;
  requests?: number;
  for?: number;
  rate?: number;
  poisson?: true;
  connections?: (typeof connectionsOfUsers)[number];
  shared?: number;
  earlyData?: true;
  requestTimeout?: number;
}
