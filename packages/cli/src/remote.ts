// An api somewhere else, as commands ask it: with a token, patience for what passes, and errors in words.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Problem } from '@pronghorn/core/schemas';
import { UsageError } from './data.ts';
import type { Token } from './job-token.ts';

/** The api understood the request and refused it. */
export class Refusal extends UsageError {
  readonly problem: Problem;

  constructor(message: string, problem: Problem) {
    super(message);
    this.problem = problem;
  }
}

/** The api can't be reached, or fails: it may be there again later. */
export class ServiceAway extends Error {}

/** The api has no time for the request now, or does not know the name yet under which a proxy asks it: nothing was done, and it passes. */
export class Busy extends ServiceAway {
  /** How long the api wants to be left alone, milliseconds; 0: it did not say. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface RemoteOptions {
  /** Where the service is, such as https://pronghorn.example; with or without /api/v1. */
  url: string;
  /** Null: asks without one, which an open api or its public reading allows. */
  token: Token;
  /** Waits so many milliseconds; default by the machine's clock. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Says that the service is away and is asked again; default on standard error. */
  tell?: (words: string) => void;
}

/** Paths are those of docs/api.md, from behind /api/v1 on, such as /schedules/3. */
export interface RemoteApi {
  /** The service's address without /api/v1: that of its pages. */
  readonly url: string;
  /** @param signal ends it at once, while it is tried again too: then it throws. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** With an Idempotency-Key of its own: it is sent again when nobody knows what became of the first, and makes nothing twice. */
  post<T>(path: string, body?: object, signal?: AbortSignal): Promise<T>;
  put<T>(path: string, body: object): Promise<T>;
  delete(path: string): Promise<void>;
  /** The answer as text, such as a report that is no JSON. */
  text(path: string, accept: string): Promise<string>;
  /**
   * Server-sent events, as they are sent. Asked for once: who follows them asks again, from where they broke off.
   * @param lastEventId after which to begin; undefined: with what comes next.
   * @param signal ends them.
   */
  events(path: string, lastEventId: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/** Between tries, milliseconds: as long as a restart of the service takes. */
const waitsMs = [500, 1_000, 2_000, 4_000, 8_000];
const timeoutMs = 120_000;
/** Whatever the api asks for: its limits are of a minute. */
const longestWaitMs = 60_000;

/**
 * @throws UsageError on a URL that is none. The calls throw a Refusal where the api says no, and an Error that names the address where it
 *   can't be reached, fails or is Busy, after five tries more.
 */
export function remoteApi({ url, token, wait = defaultWait, tell = console.error }: RemoteOptions): RemoteApi {
  const base = serviceUrl(url);

  type Asked = {
    method: string;
    path: string;
    body?: object | undefined;
    accept: string;
    key?: string;
    signal?: AbortSignal | undefined;
  };

  async function ask(asked: Asked): Promise<Response> {
    const { method, path, signal } = asked;
    for (let tries = 0; ; tries++) {
      const answer = await fetchOnce(asked);
      signal?.throwIfAborted();
      const mayRepeat = answer instanceof Response ? passes(answer) : !isRedirect(answer);
      const waitMs = waitsMs[tries];
      if (mayRepeat && waitMs !== undefined) {
        if (tries === 0) tell(`pronghorn: ${base} ${awayWords(answer)}`);
        if (answer instanceof Response) await answer.body?.cancel();
        await wait(answer instanceof Response ? Math.max(waitMs, retryAfterOf(answer)) : waitMs, signal);
        signal?.throwIfAborted();
      } else if (answer instanceof Response) {
        if (answer.ok) return answer;
        throw await refusalOf(answer, method, path);
      } else {
        throw new ServiceAway(`${base} cannot be reached (${reasonOf(answer)}). Check --api, and whether the service runs.`, {
          cause: answer,
        });
      }
    }
  }

  type Requested = { headers: Record<string, string> } & Omit<RequestInit, 'headers' | 'redirect'>;
  const request = (path: string, { headers, ...rest }: Requested, says: Record<string, string>) =>
    fetch(`${base}/api/v1${path}`, {
      ...rest,
      headers: { ...headers, ...says },
      redirect: 'error', // it would take the token to an address that nobody named
    });

  /** @returns the error, where nothing answered. */
  async function fetchOnce({ method, path, body, accept, key, signal: stop }: Asked): Promise<Response | Error> {
    const headers = {
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const says = await authorization(token, base);
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const timeout = AbortSignal.timeout(timeoutMs);
      return await request(path, { method, headers, ...sent, signal: stop ? AbortSignal.any([stop, timeout]) : timeout }, says);
    } catch (error) {
      return error as Error;
    }
  }

  async function refusalOf(answer: Response, method: string, path: string): Promise<Error> {
    const text = (await answer.text()).slice(0, 10_000);
    const problem = problemOf(text);
    const what = `${method} ${base}/api/v1${path}`;
    const requestId = answer.headers.get('x-request-id');
    if (problem === null)
      return new (answer.status >= 500 ? ServiceAway : Error)(
        `${what} answered ${answer.status} ${answer.statusText}, and no problem details. Is ${base} a Pronghorn?`,
      );
    if (isBusy(answer)) return new Busy(`${what} failed: ${problem.detail}`, retryAfterOf(answer));
    if (answer.status >= 500) {
      const inLog = requestId === null ? '' : ` The service’s log has it as request ${requestId}.`;
      return new ServiceAway(`${what} failed: ${problem.detail}${inLog}`);
    }
    const hint = answer.status === 401 || answer.status === 403 ? tokenHint(token) : '';
    return new Refusal(`${problem.title}: ${problem.detail}${hint}`, problem);
  }

  const json = async <T>(asked: Omit<Asked, 'accept'>): Promise<T> => {
    const answer = await ask({ ...asked, accept: 'application/json' });
    const text = await answer.text();
    return (text === '' ? null : JSON.parse(text)) as T;
  };
  return {
    url: base,
    get: (path, signal) => json({ method: 'GET', path, signal }),
    post: (path, body, signal) => json({ method: 'POST', path, body, signal, key: randomUUID() }),
    put: (path, body) => json({ method: 'PUT', path, body }),
    delete: (path) => json({ method: 'DELETE', path }),
    text: async (path, accept) => (await ask({ method: 'GET', path, accept })).text(),
    async events(path, lastEventId, signal) {
      const headers = { accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
      const answer = await request(path, { headers, signal }, await authorization(token, base));
      if (!answer.ok) throw await refusalOf(answer, 'GET', path);
      if (answer.body === null || !/^text\/event-stream\b/.test(answer.headers.get('content-type') ?? '')) {
        await answer.body?.cancel();
        throw new Error(`GET ${base}/api/v1${path} answered with ${answer.headers.get('content-type')}; expected text/event-stream.`);
      }
      return answer.body;
    },
  };
}

/** Follows the words of an api that asks for another token, or for one at all. */
export function tokenHint(token: Token): string {
  if (typeof token === 'function') return ' The token is that of this job, by GitHub or GitLab.';
  return token === null
    ? ' Name one by --token-file or PRONGHORN_TOKEN.'
    : ' The token is that of --token, --token-file or PRONGHORN_TOKEN.';
}

/** The header that says who asks. @param service its address. @throws Error where a job gets no token. */
export const authorization = async (token: Token, service: string): Promise<Record<string, string>> =>
  token === null ? {} : { authorization: `Bearer ${typeof token === 'function' ? await token(service) : token}` };

/** Ends early when it is told to. */
const defaultWait = (ms: number, signal?: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * The address of a service, without /api/v1.
 *
 * @throws UsageError on a URL that is none
 */
export function serviceUrl(given: string, option = '--api'): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${option} is "${given}"; expected the http or https URL of a Pronghorn service, such as https://pronghorn.example.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `${option} has a user or a password in it; expected the URL alone, and a token by --token-file or PRONGHORN_TOKEN.`,
    );
  return (url.origin + url.pathname).replace(/(\/api\/v1)?\/*$/, '');
}

/** Every request can be sent again: what makes something has a key. */
const passes = (answer: Response) => isBusy(answer) || (answer.status >= 502 && answer.status <= 504);
const isBusy = ({ status }: Response) => status === 429 || status === 421;

/** Retry-After in seconds, as the api says it; in milliseconds. */
function retryAfterOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return seconds > 0 ? Math.min(longestWaitMs, seconds * 1_000) : 0;
}

function awayWords(answer: Response | Error): string {
  if (answer instanceof Response && isBusy(answer)) return `has no time (${answer.status}); trying on.`;
  return `does not answer (${answer instanceof Response ? answer.status : reasonOf(answer)}); trying on for 15 seconds.`;
}

const codeOf = (error: Error): string => (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
/** It leads where nobody wanted to ask. */
const isRedirect = ({ cause }: Error): boolean => (cause as Error | undefined)?.message === 'unexpected redirect';
const reasonOf = (error: Error): string => codeOf(error) || (error.cause as Error | undefined)?.message || error.message;

function problemOf(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Partial<Problem> | null;
    return typeof problem?.detail === 'string' && typeof problem.title === 'string' ? (problem as Problem) : null;
  } catch {
    return null;
  }
}
