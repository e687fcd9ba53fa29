// Options of a visit: the visitor of a page, and the workload of a run of REST calls.
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

/** docs/pages.md explains each. */
export const visitedBy = (command: Command) =>
  command
    .optionsGroup('The visitor:')
    .option('--user-agent <text>', 'user agent, instead of Chrome’s followed by Pronghorn/VERSION')
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
    .addOption(new Option('--basic-auth <user:reference>', 'login, such as ann:env:STAGING_PASSWORD').argParser(account))
    .option('--ca <file>', 'PEM file of authorities to trust besides Chrome’s own')
    .option('--client-cert <reference>', 'file:PATH or env:NAME of a certificate and its key (PEM), for the page’s own hosts')
    .option('--proxy <url>', 'proxy for HTTP/1.1 and HTTP/2; HTTP/3 can’t use one')
    .addOption(new Option('--proxy-auth <user:reference>', 'login at the proxy, such as ann:env:PROXY_PASSWORD').argParser(account))
    .addOption(repeatable('--block <host>', 'HOST, *.HOST or a URL pattern that is never requested'))
    .option('--first-party-only', 'send requests to the page’s own hosts only')
    .addOption(repeatable('--own-host <host>', 'HOST or *.HOST that also belongs to the page'))
    .addOption(new Option('--device <kind>', 'emulate its viewport, touch, pixels, user agent and CPU').choices(devices))
    .addOption(new Option('--viewport <size>', 'viewport in CSS pixels, such as 390x844').argParser(size))
    .option('--cpu-slowdown <n>', 'how many times to slow down the CPU', integerBetween(1, 20))
    .option('--language <tag>', 'language of the browser, such as de-CH')
    .option('--steps <file>', 'JSON file with steps before the page: a login, a consent')
    .addOption(
      repeatable('--after <url>', 'page that a warm visit opens first instead of the page itself, such as /list').implies({
        view: ['warm'],
      }),
    )
    .optionsGroup('Options:');

/** For commands that measure. */
export const working = (command: Command) =>
  command
    .optionsGroup('For the engine transaction, whose visit is a run of REST calls (without headers, logins or devices):')
    .addOption(new Option('--method <name>', 'method of each request (default: GET)').choices(['GET', 'POST']))
    .option('--body <size>', 'size of each POST body, which is generated, such as 2MB', byteCount)
    .addOption(new Option('--path <path>', 'path to request in turn, instead of the URL’s own (repeatable)').argParser(repeated))
    .option('--users <n>', 'users working at the same time (default: 1)', integerBetween(1, workloadLimits.users))
    .option('--requests <n>', 'requests of each user (default: 100)', integerBetween(1, workloadLimits.requests))
    .option('--for <seconds>', 'end a run after this time instead of a number of requests', numberTo(workloadLimits.seconds, 'seconds'))
    .option(
      '--rate <n>',
      'requests to start per second, whether or not earlier ones have ended',
      numberTo(workloadLimits.requestsPerSecond, 'requests a second'),
    )
    .option('--poisson', 'at random intervals, like those of many people')
    .addOption(
      new Option(
        '--connections <how>',
        'one for each user, some shared, a pool as the client itself opens it, or one for each request (default: user; for scenarios: pool)',
      ).choices([...connectionsOfUsers]),
    )
    .option('--shared <n>', 'number of shared connections', integerBetween(1, workloadLimits.users))
    .option('--early-data', 'send GET requests over HTTP/3 with the handshake (0-RTT)')
    .option(
      '--request-timeout <seconds>',
      'time limit of a request; one that fails counts as having taken at least this long (default: 30)',
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
