// A service elsewhere: asks it with a token, retries what may pass, and explains errors.
import { randomUUID } from 'node:crypto';
import {
  type Answer,
  ApiDenied,
  ApiRefusal,
  ApiUnavailable,
  allItems,
  Client,
  type Given,
  type pause,
  type RetryPolicy,
  type Route,
  reasonOf,
  retrying,
} from '@pronghorn/core/client';
import type { Gate, Schedule } from '@pronghorn/core/schemas';
import { Busy, Refusal, ServiceAway, UsageError } from '../program/errors.ts';
import type { Token } from './token.ts';

export interface RemoteOptions {
  /** Its address, such as https://pronghorn.example; with or without /api/v1. */
  url: string;
  /** Null: asks without one, which works with open access and public reading. */
  token: Token;
  wait?: typeof pause;
  /** Reports that the service is away and will be asked again; default: on standard error. */
  report?: (message: string) => void;
}

/** Routes are those of docs/api.md, without /api/v1. */
export interface RemoteApi {
  /** The service's address without /api/v1, which is also the dashboard's. */
  readonly url: string;
  /**
   * Each POST has an Idempotency-Key, so that repeating one whose outcome is unknown makes nothing twice.
   * The signal ends the request and its retries at once: then it throws.
   */
  ask<R extends Route>(route: R, given?: Given<R>): Promise<Answer<R>['body']>;
  /** The answer as text, for routes that don't answer with JSON. */
  text<R extends Route>(route: R, given: Given<R>): Promise<string>;
  /**
   * Server-sent events of a campaign. Not retried: the caller asks again from where they broke off.
   * @param lastEventId after which to begin; undefined: with the next event
   * @param signal ends them
   */
  events(campaignId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/** Between tries, milliseconds; together as long as a restart of the service. */
const waitsMs = [500, 1_000, 2_000, 4_000, 8_000];
const timeoutMs = 120_000;
/** Whatever the api asks for: its limits are per minute. */
const maxWaitMs = 60_000;

/**
 * @throws UsageError on an invalid URL. Calls throw a Refusal where the api refuses, and ServiceAway or Busy with the address where it can't be
 *   reached, fails or has no time, after five retries.
 */
export function remoteApi({ url, token, wait, report = console.error }: RemoteOptions): RemoteApi {
  const base = serviceUrl(url);
  const client = new Client({ service: base, token, timeoutMs });
  const repeating = async <T>(signal: AbortSignal | undefined, once: () => Promise<T>): Promise<T> => {
    const policy: RetryPolicy = {
      signal,
      pause: wait,
      waitMs: (error, attempt) => {
        const waitMs = waitsMs[attempt - 1];
        return waitMs === undefined || !passes(error) ? null : Math.max(waitMs, retryAfterOf(error));
      },
      onFailure: (error, attempt) => attempt === 1 && report(`pronghorn: ${base} ${awayMessage(error)}`),
    };
    try {
      return await retrying(policy, () => {
        signal?.throwIfAborted();
        return once();
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw inWords(error, base, token);
    }
  };
  return {
    url: base,
    async ask<R extends Route>(route: R, given = {} as Given<R>) {
      const key = route.startsWith('POST ') ? { 'idempotency-key': randomUUID() } : {};
      const headers = { accept: 'application/json', ...key, ...given.headers };
      return (await repeating(given.signal, () => client.ask(route, { ...given, headers } as Given<R>))).body;
    },
    text: (route, given) => repeating(given.signal, () => client.text(route, given)),
    async events(id, lastEventId, signal) {
      const headers = { accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
      const answer = await client.stream('GET /campaigns/{id}/events', { id, headers, signal }).catch((error) => {
        throw inWords(error, base, token);
      });
      if (answer.body === null || !/^text\/event-stream\b/.test(answer.headers.get('content-type') ?? '')) {
        await answer.body?.cancel();
        throw new Error(`The events of campaign ${id} at ${base} are ${answer.headers.get('content-type')}; expected text/event-stream.`);
      }
      return answer.body;
    },
  };
}

/** Errors of the client as commands show them, with what to do. */
export function inWords(error: unknown, base: string, token: Token): unknown {
  if (error instanceof ApiRefusal && error.problem !== null)
    return new Refusal(`${error.message}${error instanceof ApiDenied ? tokenHint(token) : ''}`, error.problem);
  if (error instanceof ApiRefusal) return new Error(error.message);
  if (!(error instanceof ApiUnavailable)) return error;
  const { message, status, foreign, cause } = error;
  if (status === null)
    return new ServiceAway(`${base} cannot be reached (${reasonOf(cause)}). Check --api, and that the service runs.`, { cause });
  if (error.isBusy) return new Busy(message, retryAfterOf(error));
  return new (foreign && status < 500 ? Error : ServiceAway)(message);
}

/** Follows the api's message where the token is missing or not enough. */
export function tokenHint(token: Token): string {
  if (typeof token === 'function') return ' The token is this job’s own, from GitHub or GitLab.';
  return token === null
    ? ' Give one with --token-file or PRONGHORN_TOKEN.'
    : ' The token came from --token, --token-file or PRONGHORN_TOKEN.';
}

/**
 * The address of a service, without /api/v1.
 *
 * @throws UsageError on an invalid URL
 */
export function serviceUrl(given: string, option = '--api'): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${option} is "${given}"; expected the http or https URL of a Pronghorn service, such as https://pronghorn.example.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${option} contains a user or password; expected only the URL, and a token in --token-file or PRONGHORN_TOKEN.`);
  return (url.origin + url.pathname).replace(/(\/api\/v1)?\/*$/, '');
}

/** All requests can be repeated: those that make something have a key. A redirect is no passing error. */
const passes = ({ status, cause, isBusy }: ApiUnavailable): boolean =>
  status === null
    ? ((cause as Error | undefined)?.cause as Error | undefined)?.message !== 'unexpected redirect'
    : isBusy || (status >= 502 && status <= 504);

const retryAfterOf = ({ retryAfterMs }: ApiUnavailable): number => Math.min(maxWaitMs, retryAfterMs ?? 0);

const awayMessage = ({ status, cause, isBusy }: ApiUnavailable): string =>
  isBusy ? `has no time (${status}); trying again.` : `does not answer (${status ?? reasonOf(cause)}); trying again for 15 seconds.`;

/** What a service stores under names. */
type Nouns = { gate: Gate; schedule: Schedule };
const lists = { gate: 'GET /gates', schedule: 'GET /schedules' } as const;
const ones = { gate: 'GET /gates/{id}', schedule: 'GET /schedules/{id}' } as const;

export async function findByName<N extends keyof Nouns>(api: RemoteApi, noun: N, name: string): Promise<Nouns[N] | undefined> {
  return (await api.ask(lists[noun as 'gate'], { query: { name } })).items[0] as Nouns[N] | undefined;
}

/**
 * The one with this name, else with this id.
 *
 * @throws UsageError when there is none, with the names of all
 */
export async function findNamed<N extends keyof Nouns>(api: RemoteApi, noun: N, given: string): Promise<Nouns[N]> {
  const one = (given === '' ? undefined : await findByName(api, noun, given)) ?? (await findById(api, noun, given));
  if (one !== undefined) return one;
  const all = await allItems<{ name: string }>((query) => api.ask(lists[noun as 'gate'], { query }));
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  throw new UsageError(`There is no ${noun} "${given}"; the service has ${names === '' ? 'none' : names}.`);
}

async function findById<N extends keyof Nouns>(api: RemoteApi, noun: N, id: string): Promise<Nouns[N] | undefined> {
  if (!/^\d+$/.test(id)) return undefined;
  try {
    return (await api.ask(ones[noun as 'gate'], { id })) as Nouns[N];
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return undefined;
    throw error;
  }
}
