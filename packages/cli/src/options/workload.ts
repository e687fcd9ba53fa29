// What a run of REST calls does, as options.
import { connectionsOfUsers, type Workload, workloadLimits } from '@pronghorn/core/schemas';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { between, repeated } from './values.ts';

/** A number of bytes, such as 2MB or 512KiB. */
export function bytes(value: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|KiB|MB|MiB|GB|GiB)?$/.exec(value.trim()) ?? [];
  const factor = { '': 1, B: 1, kB: 1e3, KB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 }[unit] ?? 1;
  const count = Math.round(Number(number) * factor);
  if (number === '' || count > workloadLimits.bodyBytes || (count === 0 && Number(number) > 0))
    throw new InvalidArgumentError('Bytes up to 1 GiB are expected, such as 500000, 2MB or 512KiB.');
  return count;
}

const number = (most: number, what: string) => (value: string) => {
  if (value.trim() === '' || !(Number(value) > 0 && Number(value) <= most))
    throw new InvalidArgumentError(`${what} above 0 and up to ${most} are expected.`);
  return Number(value);
};

/** What quic-go has over QUIC, so that TCP has the same. */
export const quicCongestionControl = 'reno';

/** Of commands that measure. */
export const working = (command: Command) =>
  command
    .optionsGroup('Of the engine transaction, whose visit is a run of REST calls (without headers, logins or devices):')
    .addOption(new Option('--method <name>', 'of each request (default: GET)').choices(['GET', 'POST']))
    .option('--body <size>', 'of each POST, made up, such as 2MB', bytes)
    .addOption(new Option('--path <path>', 'asked for in turn, in place of the URL’s own (repeatable)').argParser(repeated<string>))
    .option('--users <n>', 'who work at the same time (default: 1)', between(1, workloadLimits.users))
    .option('--requests <n>', 'of each user (default: 100)', between(1, workloadLimits.requests))
    .option('--for <seconds>', 'end a run by time in place of a number of requests', number(workloadLimits.seconds, 'Seconds'))
    .option(
      '--rate <n>',
      'requests that are due a second, whether earlier ones have ended or not',
      number(workloadLimits.requestsPerSecond, 'Requests a second'),
    )
    .option('--poisson', 'at random distances, as of many people')
    .addOption(
      new Option(
        '--connections <how>',
        'one for each user, some shared, a pool as the client itself opens it, or one for each request (default: user; of scenarios: pool)',
      ).choices([...connectionsOfUsers]),
    )
    .option('--shared <n>', 'connections that are shared', between(1, workloadLimits.users))
    .option('--early-data', 'let GET requests over HTTP/3 go with the handshake (0-RTT)')
    .option(
      '--request-timeout <seconds>',
      'what a request may take; one that fails counts as one that took at least so long (default: 30)',
      number(600, 'Seconds'),
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

/** What was asked for; undefined: nothing. */
export function workloadOfOptions(options: WorkloadOptions): Workload | undefined {
  const { method, body, path, users, requests, rate, poisson, connections, shared, earlyData, requestTimeout } = options;
  const asked: Workload = {
    ...(method && { method }),
    ...(body !== undefined && { bodyBytes: body }),
    ...(path && { paths: path }),
    ...(rate !== undefined
      ? { mode: 'rate' as const, requestsPerSecond: rate }
      : options.for !== undefined
        ? { mode: 'duration' as const }
        : {}),
    ...(users !== undefined && { users }),
    ...(requests !== undefined && { requests }),
    ...(options.for !== undefined && { seconds: options.for }),
    ...(poisson && { arrivals: 'poisson' as const }),
    ...(connections && { connections }),
    ...(shared !== undefined && { shared }),
    ...(earlyData && { earlyData }),
    ...(requestTimeout !== undefined && { requestTimeoutMs: Math.round(requestTimeout * 1_000) }),
  };
  return Object.keys(asked).length === 0 ? undefined : asked;
}
