// What one run of REST calls does. A visit of the engine transaction is one such run, over one protocol.
import Type, { type Static } from 'typebox';
import { connectionsOfUsers } from '../vocabulary/choices.ts';
import { workloadLimits } from '../vocabulary/workload.ts';
import type { CallLimits } from './calls.ts';

export { workloadLimits, workloadOf } from '../vocabulary/workload.ts';
export { connectionsOfUsers };

/** What ends a run, and when requests are sent. */
export const workloadModes = ['count', 'duration', 'rate'] as const;

export const Workload = Type.Object(
  {
    method: Type.Optional(Type.Enum(['GET', 'POST'], { description: 'Default GET.' })),
    bodyBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: workloadLimits.bodyBytes,
        description: 'Size of each request’s body, which is generated; POST only. Default 0.',
      }),
    ),
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2_048, pattern: '^/' }), {
        minItems: 1,
        maxItems: workloadLimits.paths,
        description: 'Requested in turn, instead of the URL’s own path.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...workloadModes], {
        description:
          'count (default): each user sends `requests`, one after another. duration: each user sends one after another for `seconds`. rate: `requestsPerSecond` are due for `seconds`, whether earlier ones have ended or not; times count from when a request was due.',
      }),
    ),
    users: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: workloadLimits.users,
        description: 'Concurrent users, each with one request in flight; in mode rate, the maximum. Default 1; in mode rate, 1,000.',
      }),
    ),
    requests: Type.Optional(
      Type.Integer({ minimum: 1, maximum: workloadLimits.requests, description: 'For each user, in mode count. Default 100.' }),
    ),
    seconds: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: workloadLimits.seconds, description: 'In modes duration and rate; default 10.' }),
    ),
    requestsPerSecond: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: workloadLimits.requestsPerSecond, description: 'Only in mode rate, which requires it.' }),
    ),
    arrivals: Type.Optional(
      Type.Enum(['even', 'poisson'], {
        description: 'In mode rate. even (default): due at equal intervals; poisson: at random ones, as from many independent users.',
      }),
    ),
    connections: Type.Optional(
      Type.Enum([...connectionsOfUsers], {
        description:
          'user (default): one for each user; shared: `shared` connections, which users’ requests share; pool: as many as the client opens by itself, Go’s HTTP client or Chrome; each: one for every request, which Chrome can’t do.',
      }),
    ),
    shared: Type.Optional(
      Type.Integer({ minimum: 1, maximum: workloadLimits.users, description: 'Number of shared connections; default 1.' }),
    ),
    earlyData: Type.Optional(
      Type.Boolean({
        description:
          'Whether GET requests over HTTP/3 may be sent with the handshake (0-RTT), with tickets of earlier connections. Default false.',
      }),
    ),
    requestTimeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: workloadLimits.requestTimeoutMs,
        description: 'Time limit of a request; a failed one counts as this time. Default 30,000.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'What a run of REST calls does, for the engine transaction. In a warm view each connection was opened, and has answered a request, before the run begins; in a cold view its first request opens it.',
  },
);
export type Workload = Static<typeof Workload>;

/** A workload with every choice made. */
export type WholeWorkload = Required<Workload>;

/**
 * A path on the URL's own host. `//host`, `/\\\\host` and what becomes one of them without its tabs and line breaks (WHATWG URL) lead to
 * another.
 */
const ownPath = /^\/(?![/\\])[!-~\u00a0-\u{10ffff}]*$/u;

/** Why a URL or a path can't be sent unchanged by every client, although WHATWG URL accepts it; undefined: it can. */
export const escapeProblem = (url: string): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(url)
    ? `${JSON.stringify(url)} has a % that is not followed by two hexadecimal digits. Write %25 where a % is meant.`
    : undefined;

/** The URL of each request of a run: the URL's host with another path. No path leads to another host. */
export const urlsOfRun = (url: string, paths: readonly string[]): string[] =>
  paths.map((path) => new URL(`${new URL(url).origin}${path}`).href);

/**
 * Why a workload can't be run, with the pointer to each cause. Fields that are left out count with their defaults.
 *
 * @param limits those of the service, or the general ones
 */
export function workloadProblems(workload: Workload, limits: CallLimits = workloadLimits): { pointer: keyof Workload; detail: string }[] {
  const {
    method = 'GET',
    mode = 'count',
    requests = 100,
    seconds = 10,
    connections = 'user',
    requestsPerSecond = 0,
    bodyBytes = 0,
  } = workload;
  const { users = mode === 'rate' ? workloadLimits.users : 1 } = workload;
  const problem = (pointer: keyof Workload, is: boolean, detail: string) => (is ? [{ pointer, detail }] : []);
  const leadsAway = (workload.paths ?? []).find((path) => !ownPath.test(path));
  const due = Math.ceil(requestsPerSecond * seconds);
  const [unescaped] = (workload.paths ?? []).flatMap((path) => escapeProblem(path) ?? []);
  return [
    ...problem('paths', unescaped !== undefined, unescaped ?? ''),
    ...problem(
      'paths',
      leadsAway !== undefined,
      `${JSON.stringify(leadsAway)} is not a path on the URL's host; expected one that begins with one slash, without spaces, such as /items?page=2.`,
    ),
    ...problem('bodyBytes', method === 'GET' && bodyBytes > 0, 'A GET request has no body. Use method POST, or leave out bodyBytes.'),
    ...problem('bodyBytes', bodyBytes > limits.bodyBytes, `Each body has ${bodyBytes} bytes; expected at most ${limits.bodyBytes}.`),
    ...problem(
      'users',
      users > limits.users,
      `${workload.users === undefined ? `Without users, mode ${mode} has up to ${users}` : `${users} users work`} at the same time; expected at most ${limits.users}.`,
    ),
    ...problem('requests', workload.requests !== undefined && mode !== 'count', `In mode ${mode}, seconds end a run. Leave out requests.`),
    ...problem(
      'requests',
      mode === 'count' && users * requests > limits.requests,
      `${users} users with ${requests} requests each send ${users * requests} in all; expected at most ${limits.requests}.`,
    ),
    ...problem(
      'seconds',
      workload.seconds !== undefined && mode === 'count',
      'In mode count, requests end a run. Leave out seconds, or use mode duration.',
    ),
    ...problem(
      'seconds',
      mode !== 'count' && seconds > limits.seconds,
      `A run takes ${seconds} seconds; expected at most ${limits.seconds}.`,
    ),
    ...problem('requestsPerSecond', mode === 'rate' && workload.requestsPerSecond === undefined, 'Mode rate needs requestsPerSecond.'),
    ...problem(
      'requestsPerSecond',
      mode !== 'rate' && workload.requestsPerSecond !== undefined,
      'Only mode rate has requestsPerSecond. Use it, or leave this out.',
    ),
    ...problem(
      'requestsPerSecond',
      mode === 'rate' && requestsPerSecond > limits.requestsPerSecond,
      `${requestsPerSecond} requests are due per second; expected at most ${limits.requestsPerSecond}.`,
    ),
    ...problem(
      'requestsPerSecond',
      mode === 'rate' && due > limits.requests,
      `${requestsPerSecond} requests per second for ${seconds} seconds are ${due} in all; expected at most ${limits.requests}.`,
    ),
    ...problem('arrivals', mode !== 'rate' && workload.arrivals !== undefined, 'Only mode rate has arrivals.'),
    ...problem(
      'shared',
      connections !== 'shared' && workload.shared !== undefined,
      'Only shared connections have a number. Use connections shared, or leave out shared.',
    ),
    ...problem(
      'shared',
      connections === 'shared' && (workload.shared ?? 1) > users,
      `${workload.shared} connections for ${users === 1 ? '1 user' : `${users} users`}: some would be idle. Use fewer.`,
    ),
  ];
}

/** What fetch() in a page of Chrome can't do besides, with the pointer to each cause. */
export function chromeProblems(workload: Workload): { pointer: keyof Workload; detail: string }[] {
  const { mode = 'count', connections = 'user', shared = 1, earlyData = false } = workload;
  const users = workload.users ?? (mode === 'rate' ? workloadLimits.users : 1);
  const problem = (pointer: keyof Workload, is: boolean, detail: string) => (is ? [{ pointer, detail }] : []);
  const contexts = connections === 'user' ? users : connections === 'shared' ? shared : 1;
  const isRateOfMany = mode === 'rate' && contexts > 1;
  return [
    ...problem(
      'connections',
      connections === 'each',
      'Chrome keeps connections open and cannot open one for each request. Use connections user, shared or pool, or browser none.',
    ),
    ...problem(
      'connections',
      isRateOfMany,
      'At a rate, Chrome sends from one page. Use connections pool, or one that is shared, or browser none.',
    ),
    ...problem(
      connections === 'user' ? 'users' : 'shared',
      contexts > workloadLimits.contexts && !isRateOfMany,
      `${contexts} connections in Chrome need as many browser contexts; expected at most ${workloadLimits.contexts}. Use fewer, connections pool, or browser none.`,
    ),
    ...problem('earlyData', earlyData, 'Chrome decides by itself what is sent with a handshake. Leave out earlyData, or use browser none.'),
  ];
}
