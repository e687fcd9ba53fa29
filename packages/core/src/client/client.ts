// The client of the API: command line, runner and benches ask through it.
import type { Page } from '../schemas/page.ts';
import { ApiUnavailable, errorOf, reasonOf } from './errors.ts';

export interface ClientOptions {
  /** The service's address without /api/v1, such as https://pronghorn.example. */
  service: string;
  /** What each request carries: a token, or who fetches one for the service; null: none. */
  token: string | ((service: string) => Promise<string>) | null;
  /** How long one request may take, milliseconds. */
  timeoutMs: number;
}

export interface Request {
  method: string;
  /** As docs/api.md has it, from behind /api/v1 on, such as /schedules/3. */
  path: string;
  /** An object goes as JSON. */
  body?: object | Uint8Array<ArrayBuffer> | ReadableStream | undefined;
  headers?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** A successful answer. JSON is read; 204 is null. */
export type Answer = Pick<Response, 'status' | 'headers'> & { body: unknown };

export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Tries once.
   *
   * @throws ApiRefusal, ApiDenied or ApiUnavailable; the signal's reason when that ended it
   */
  async ask(request: Request): Promise<Answer> {
    const { response, text } = await this.#read(request);
    const { status, headers } = response;
    if (text === '' && status === 204) return { status, headers, body: null };
    try {
      return { status, headers, body: JSON.parse(text) as unknown };
    } catch {
      throw errorOf({ status, headers, text }, this.#options.service, `${request.method} ${request.path}`);
    }
  }

  /** The answer as text, such as a report that is no JSON. Tries once and throws as `ask`. */
  async text(request: Request): Promise<string> {
    return (await this.#read(request)).text;
  }

  /** The answer as it comes, such as server-sent events: only the signal ends it. Tries once and throws as `ask`. */
  async stream(request: Request): Promise<Response> {
    return await this.#send(request, request.signal);
  }

  async #read(request: Request): Promise<{ response: Response; text: string }> {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? this.#options.timeoutMs);
    const response = await this.#send(request, request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]));
    // An answer that breaks off is none.
    const text = await response.text().catch((error) => this.#unreachable(error, request));
    return { response, text };
  }

  async #send(request: Request, signal: AbortSignal | undefined): Promise<Response> {
    const { service, token } = this.#options;
    const { method, path, body, headers } = request;
    const bearer = typeof token === 'function' ? await token(service) : token;
    const isJson = body !== undefined && !(body instanceof Uint8Array) && !(body instanceof ReadableStream);
    const response = await fetch(`${service}/api/v1${path}`, {
      method,
      headers: {
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body, duplex: 'half' }),
      // A redirect would take the token to an address that nobody named.
      redirect: 'error',
      signal: signal ?? null,
    } as RequestInit).catch((error: unknown) => this.#unreachable(error, request));
    if (response.ok) return response;
    const text = await response.text().catch((error) => this.#unreachable(error, request));
    throw errorOf({ status: response.status, headers: response.headers, text }, service, `${method} ${path}`);
  }

  #unreachable(error: unknown, { method, path, signal }: Request): never {
    signal?.throwIfAborted();
    throw new ApiUnavailable(
      `${this.#options.service} cannot be reached by ${method} ${path} (${reasonOf(error)}).`,
      null,
      null,
      false,
      error,
    );
  }
}

/** All items of a list, page by page. @param path without limit and cursor. @param ask for one page */
export async function* pagesOf<T>(path: string, ask: (path: string) => Promise<Page<T>>, limit = 500): AsyncGenerator<T> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<T> = await ask(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`);
    yield* page.items;
    cursor = page.nextCursor;
  }
}
