// What one run of REST calls does: a visit of the engine transaction is such a run, by one protocol.
import Type, { type Static } from 'typebox';
import { connectionsOfUsers } from '../vocabulary/choices.ts';
import { workloadLimits } from '../vocabulary/workload.ts';
import type { CallLimits } from './calls.ts';

export { workloadLimits, workloadOf } from '../vocabulary/workload.ts';
export { connectionsOfUsers };

export const workloadModes = ['count', 'duration', 'rate'] as const;
/** What ends a run, and when requests are sent. */
export type WorkloadMode = (typeof workloadModes)[number];

/** How requests come to their connections. */
export type ConnectionsOfUsers = (typeof connectionsOfUsers)[number];

export const Workload = Type.Object(
  {
    method: Type.Optional(Type.Enum(['GET', 'POST'], { description: 'Default GET.' })),
    bodyBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: workloadLimits.bodyBytes,
        description: 'Of each request’s body, which is made up; of POST alone. Default 0.',
      }),
    ),
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2_048, pattern: '^/' }), {
        minItems: 1,
        maxItems: workloadLimits.paths,
        description: 'Asked for in turn, in place of the URL’s own path.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...workloadModes], {
        description:
          'count, the default: each user sends `requests`, one after another. duration: each sends one after another for `seconds`. rate: `requestsPerSecond` are due for `seconds`, whether earlier ones have ended or not; times count from when a request was due.',
      }),
    ),
    users: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: workloadLimits.users,
        description:
          'Who work at the same time, each with one request under way; of the mode rate the most that may be. Default 1, of rate 1,000.',
      }),
    ),
    requests: Type.Optional(
      Type.Integer({ minimum: 1, maximum: workloadLimits.requests, description: 'Of each user; of the mode count. Default 100.' }),
    ),
    seconds: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: workloadLimits.seconds, description: 'Of the modes duration and rate; default 10.' }),
    ),
    requestsPerSecond: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: workloadLimits.requestsPerSecond, description: 'Of the mode rate, which needs it.' }),
    ),
    arrivals: Type.Optional(
      Type.Enum(['even', 'poisson'], {
        description:
          'Of the mode rate. even, the default: due at equal distances; poisson: at random ones, as of many people who know nothing of each other.',
      }),
    ),
    connections: Type.Optional(
      Type.Enum([...connectionsOfUsers], {
        description:
          'user, the default: one for each user; shared: `shared` of them, over which users’ requests go side by side; pool: as many as the client opens by itself, Go’s HTTP client or Chrome; each: every request opens one, which Chrome cannot.',
      }),
    ),
    shared: Type.Optional(Type.Integer({ minimum: 1, maximum: workloadLimits.users, description: 'Connections, of shared; default 1.' })),
    earlyData: Type.Optional(
      Type.Boolean({
        description: 'Whether GET requests over HTTP/3 may go with the handshake (0-RTT), by tickets of connections before. Default false.',
      }),
    ),
    requestTimeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: workloadLimits.requestTimeoutMs,
        description: 'The most that a request may take; one that fails counts as one that took so long. Default 30,000.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'What a run of REST calls does: of the engine transaction. In a warm view each connection was opened, and has answered a request, before the run begins; in a cold one its first request opens it.',
  },
);
export type Workload = Static<typeof Workload>;

/** A workload with every choice made. */
export type WholeWorkload = Required<Workload>;

/**
 * A path of the URL's own host. `//host`, `/\\host` and what becomes one of them without its tabs and line breaks (WHATWG URL) would lead to another.
 */
const ownPath = /^\/(?![/\\])[!-~\u00a0-\u{10ffff}]*$/u;

/** Why a URL or a path can't be sent by every client as it stands, though WHATWG URL takes it; undefined: it can. */
export const escapeProblem = (url: string): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(url)
    ? `${JSON.stringify(url)} has a % that is not followed by two hexadecimal digits. Write %25 where a % is meant.`
    : undefined;

/** Of each request of a run: the URL's host with another path. No path leads to another host, whatever it is. */
export const urlsOfRun = (url: string, paths: readonly string[]): string[] =>
  paths.map((path) => new URL(`${new URL(url).origin}${path}`).href);

/**
 * What of a workload cannot be run, with where it stands in it. What is left out counts with its default.
 *
 * @param limits the most that is taken: of the service, or of all
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
      `${JSON.stringify(leadsAway)} is no path of the URL's host; expected one that begins with one slash, without spaces, such as /items?page=2.`,
    ),
    ...problem('bodyBytes', method === 'GET' && bodyBytes > 0, 'A GET request has no body. Ask for method POST, or leave out bodyBytes.'),
    ...problem('bodyBytes', bodyBytes > limits.bodyBytes, `Each body has ${bodyBytes} bytes; expected at most ${limits.bodyBytes}.`),
    ...problem(
      'users',
      users > limits.users,
      `${workload.users === undefined ? `Without users the mode ${mode} has up to ${users}` : `${users} users work`} at the same time; expected at most ${limits.users}.`,
    ),
    ...problem(
      'requests',
      workload.requests !== undefined && mode !== 'count',
      `Runs of the mode ${mode} are ended by their seconds. Leave out requests.`,
    ),
    ...problem(
      'requests',
      mode === 'count' && users * requests > limits.requests,
      `${users} users with ${requests} requests each are ${users * requests} in all; expected at most ${limits.requests}.`,
    ),
    ...problem(
      'seconds',
      workload.seconds !== undefined && mode === 'count',
      'Runs of the mode count are ended by their requests. Leave out seconds, or ask for mode duration.',
    ),
    ...problem(
      'seconds',
      mode !== 'count' && seconds > limits.seconds,
      `A run takes ${seconds} seconds; expected at most ${limits.seconds}.`,
    ),
    ...problem('requestsPerSecond', mode === 'rate' && workload.requestsPerSecond === undefined, 'The mode rate needs requestsPerSecond.'),
    ...problem(
      'requestsPerSecond',
      mode !== 'rate' && workload.requestsPerSecond !== undefined,
      'Only the mode rate has requestsPerSecond. Ask for it, or leave this out.',
    ),
    ...problem(
      'requestsPerSecond',
      mode === 'rate' && requestsPerSecond > limits.requestsPerSecond,
      `${requestsPerSecond} requests are due a second; expected at most ${limits.requestsPerSecond}.`,
    ),
    ...problem(
      'requestsPerSecond',
      mode === 'rate' && due > limits.requests,
      `${requestsPerSecond} requests a second for ${seconds} seconds are ${due} in all; expected at most ${limits.requests}.`,
    ),
    ...problem('arrivals', mode !== 'rate' && workload.arrivals !== undefined, 'Only the mode rate has arrivals.'),
    ...problem(
      'shared',
      connections !== 'shared' && workload.shared !== undefined,
      'Only connections shared have a number. Ask for them, or leave out shared.',
    ),
    ...problem(
      'shared',
      connections === 'shared' && (workload.shared ?? 1) > users,
      `${workload.shared} connections for ${users === 1 ? '1 user' : `${users} users`}: some would be idle. Ask for fewer.`,
    ),
  ];
}

/** What of a workload fetch() in a page of Chrome can't do besides, with where it stands in it. */
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
      'Chrome keeps connections open and has no way to open one for each request. Ask for connections user, shared or pool, or for browser none.',
    ),
    ...problem(
      'connections',
      isRateOfMany,
      'At a rate Chrome sends from one page. Ask for connections pool or one that is shared, or for browser none.',
    ),
    ...problem(
      connections === 'user' ? 'users' : 'shared',
      contexts > workloadLimits.contexts && !isRateOfMany,
      `In Chrome ${contexts} connections take as many browser contexts; expected at most ${workloadLimits.contexts}. Ask for fewer, for connections pool, or for browser none.`,
    ),
    ...problem(
      'earlyData',
      earlyData,
      'Chrome decides by itself what goes with a handshake. Leave out earlyData, or ask for browser none.',
    ),
  ];
}
