// How the dashboard asks the REST API; docs/api.md describes that.
import type { Page } from '@pronghorn/core/schemas';
import { hearTime } from './clock.ts';

/** What happens when the service no longer knows the reader. */
let signedOut = () => {};
export function whenSignedOut(act: () => void): void {
  signedOut = act;
}

/** An answer other than 2xx, with the API's own message. */
export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  /** A problem's name, such as `not-found`; empty where the answer is no problem document. */
  readonly type: string;
  /** What is wrong with which field of the body, by its JSON pointer, where the API says so. */
  readonly errors: readonly { pointer: string; detail: string }[];

  constructor(status: number, message: string, problem: { type?: string; errors?: { pointer: string; detail: string }[] } = {}) {
    super(message);
    this.status = status;
    this.type = problem.type?.split(':').at(-1) ?? '';
    this.errors = problem.errors ?? [];
  }

  /** Whether the same question may be answered a little later. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Request = { query?: Query; body?: unknown; signal?: AbortSignal | undefined; headers?: Record<string, string> };

/** Absolute address of a route, for links and downloads. What is null, undefined or empty in the query is left out. */
export function addressOf(path: string, query: Query = {}): string {
  const url = new URL(`api/v1/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  return url.href;
}

/**
 * @param path below /api/v1/, with ids encoded.
 * @throws ApiError for any answer but 2xx, and where there is none. What `signal` ends ends with its AbortError.
 */
export async function ask<Answer>(method: string, path: string, { query, body, signal, headers = {} }: Request = {}): Promise<Answer> {
  const askedAt = Date.now();
  const response = await fetch(addressOf(path, query), {
    method,
    signal: signal ?? null,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'The Pronghorn service does not answer.');
  });
  // What a browser may keep was written at another time.
  if (!response.headers.get('cache-control')?.includes('max-age')) hearTime(response.headers.get('date'), askedAt, Date.now());
  if (!response.ok) {
    if (response.status === 401 && path !== 'session') signedOut();
    const problem = (await response.json().catch(() => null)) as { detail?: string; type?: string } | null;
    throw new ApiError(response.status, problem?.detail ?? `The service answered ${response.status} to ${method} ${path}.`, problem ?? {});
  }
  if (response.status === 204) return null as Answer;
  try {
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as Answer;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'The answer of the Pronghorn service broke off.');
  }
}

export const read = <Answer>(path: string, request: Request = {}): Promise<Answer> => ask<Answer>('GET', path, request);

/** A list that the API gives a page at a time. @param most stops there. */
export async function readList<Item>(path: string, { query = {}, signal }: Request = {}, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null && items.length < most; ) {
    const limit = Math.min(1000, most - items.length);
    const page: Page<Item> = await read(path, { query: { ...query, limit, cursor }, signal });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}
