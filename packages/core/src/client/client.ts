// The client of the API, for the command line, the runner and benches.
import type { Page } from '../schemas/page.ts';
import { ApiUnavailable, type ErrorOptions, errorOf, reasonOf } from './errors.ts';
import type { Routes } from './routes.ts';

interface ClientOptions extends ErrorOptions {
  /** Sent with each request: a token, or a function that fetches one for the service; null: none. */
  token: string | ((service: string) => Promise<string>) | null;
  /** Time limit of one request, milliseconds; null: until its signal ends it. */
  timeoutMs: number | null;
  /** Sends the requests; default: the platform's `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export type Route = keyof Routes;

/** The input of a request besides its route: the values of the route's `{…}` by name, its query and its body. */
export type Given<R extends Route> = ParametersOf<R> &
  QueryOf<Routes[R]> &
  BodyOf<Routes[R]> & { headers?: Record<string, string>; timeoutMs?: number; signal?: AbortSignal | undefined };
type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & ParametersOf<Rest>
  : unknown;
type QueryOf<Shape> = Shape extends { query: infer Name extends string }
  ? { query?: { [Key in Name]?: string | number | boolean | null | undefined } }
  : unknown;
/** Bodies other than JSON, such as evidence, are sent as bytes with their own content-type. */
type BodyOf<Shape> = Shape extends { body: infer Body } ? { body?: Body | Bytes } : { body?: Bytes };
type Bytes = Uint8Array<ArrayBuffer> | ReadableStream | undefined;

/** A successful response. JSON is parsed; 204 is null. */
export type Answer<R extends Route = Route> = Pick<Response, 'status' | 'headers'> & { body: Routes[R]['answer'] };

export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Tries once.
   *
   * @throws ApiRefusal, ApiDenied or ApiUnavailable; the signal's reason if that ended it
   */
  async ask<R extends Route>(route: R, given: Given<R>): Promise<Answer<R>> {
    return (await this.#json(messageOf(route, given))) as Answer<R>;
  }

  /** Stores bytes under a known path, such as that of a request that waited on disk. Tries once and throws as `ask`. */
  async put(path: string, body: Uint8Array<ArrayBuffer>, contentType: string, timeoutMs: number): Promise<void> {
    await this.#json({ method: 'PUT', path, body, headers: { 'content-type': contentType }, timeoutMs });
  }

  /** The response as text, such as a report that is not JSON. Tries once and throws as `ask`. */
  async text<R extends Route>(route: R, given: Given<R>): Promise<string> {
    return (await this.#read(messageOf(route, given))).text;
  }

  /** The response as it arrives, such as server-sent events: only the signal ends it. Tries once and throws as `ask`. */
  async stream<R extends Route>(route: R, given: Given<R>): Promise<Response> {
    return await this.#send(messageOf(route, given), given.signal);
  }

  async #json(message: Message): Promise<Pick<Response, 'status' | 'headers'> & { body: unknown }> {
    const answer = await this.#read(message);
    const { status, headers, text } = answer;
    if (text === '' && status === 204) return { status, headers, body: null };
    try {
      return { status, headers, body: JSON.parse(text) };
    } catch {
      throw errorOf(answer, this.#options, nameOf(message));
    }
  }

  async #read(message: Message): Promise<{ status: number; headers: Headers; text: string }> {
    const { signal, timeoutMs = this.#options.timeoutMs } = message;
    const timeout = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs);
    const response = await this.#send(message, signal && timeout ? AbortSignal.any([signal, timeout]) : (signal ?? timeout));
    return { status: response.status, headers: response.headers, text: await this.#textOf(response, message) };
  }

  async #send(message: Message, signal: AbortSignal | undefined): Promise<Response> {
    const { service, token, fetch: send = fetch } = this.#options;
    const { method, path, body, headers } = message;
    const bearer = typeof token === 'function' ? await token(service) : token;
    const isJson = body !== undefined && !(body instanceof Uint8Array) && !(body instanceof ReadableStream);
    const response = await send(`${service}/api/v1${path}`, {
      method,
      headers: {
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body, duplex: 'half' }),
      // A redirect would send the token to an unknown address.
      redirect: 'error',
      signal: signal ?? null,
    } as RequestInit).catch((error: unknown) => this.#unreachable(error, message));
    if (response.ok) return response;
    const text = await this.#textOf(response, message);
    throw errorOf({ status: response.status, headers: response.headers, text }, this.#options, nameOf(message));
  }

  /** A response that breaks off is an error. */
  #textOf(response: Response, message: Message): Promise<string> {
    return response.text().catch((error) => this.#unreachable(error, message));
  }

  #unreachable(error: unknown, message: Message): never {
    message.signal?.throwIfAborted();
    const { service, unavailableText } = this.#options;
    const text =
      unavailableText?.({ what: nameOf(message), status: null, detail: undefined }) ??
      `${service} cannot be reached by ${nameOf(message)} (${reasonOf(error)}).`;
    throw new ApiUnavailable(text, null, null, false, error);
  }
}

type Message = {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

const nameOf = ({ method, path }: Message) => `${method} ${path}`;

const messageOf = <R extends Route>(route: R, given: Given<R>): Message => ({
  ...given,
  method: route.split(' ', 1)[0] ?? '',
  path: pathOf(route, given),
});

/** The path of a route from behind /api/v1 on, with its query. What is null, undefined or empty in that is left out. */
export function pathOf<R extends Route>(route: R, given: Given<R>): string {
  const { query = {}, ...rest } = given as { query?: Record<string, string | number | boolean | null> } & Record<string, string>;
  const [, template = ''] = route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(rest[name] ?? ''));
  const chosen = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return chosen.length === 0 ? path : `${path}?${new URLSearchParams(chosen.map(([name, value]): [string, string] => [name, `${value}`]))}`;
}

/** All items of a list, page by page. @param ask for one page, with its limit and cursor */
export async function* itemsOf<Item>(
  ask: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  limit = 500,
): AsyncGenerator<Item> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<Item> = await ask(cursor === '' ? { limit } : { limit, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  }
}

/** The same as an array of at most `max` items. (Array.fromAsync is not in Node 20, which pipelines may have.) */
export async function allItems<Item>(
  ask: Parameters<typeof itemsOf<Item>>[0],
  { limit = 500, max = Number.POSITIVE_INFINITY }: { limit?: number; max?: number } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of itemsOf(ask, Math.min(limit, max))) if (items.push(item) >= max) break;
  return items;
}
