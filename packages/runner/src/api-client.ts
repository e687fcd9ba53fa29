// What a runner says to the api: HTTP and core's schemas, nothing else.
import type { Lease, LeaseRequest, Runner, RunnerHeartbeat, RunnerRegistration } from '@pronghorn/core';
import { pause, retryAfterOf, waitBefore } from './patience.ts';
import type { Upload } from './uploads.ts';

/** An answer that another try won't change: the lease is lost, or what was sent is refused. */
export class ApiRefusal extends Error {
  readonly status: number;
  /** Such as urn:pronghorn:problem:lease-lost. */
  readonly type: string;
  constructor(status: number, message: string, type = '') {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** The api does not know this runner's token, or the token may not do what runners do. */
export class ApiDenied extends ApiRefusal {}

/** The api can't be reached, or can't answer now. */
export class ApiUnavailable extends Error {
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  /** How long the api wants to be left alone, milliseconds; null: it did not say. */
  readonly retryAfterMs: number | null;
  constructor(message: string, retryAfterMs: number | null, status: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ApiClientOptions {
  /** Such as http://127.0.0.1:8080 */
  url: string;
  /** Of role runner; undefined where the api asks for none. */
  token?: string | undefined;
  /** How often a call is tried while the api is not available. */
  tries: number;
  /** Ends the waiting between tries. */
  signal?: AbortSignal;
  /** Told once when the api goes away, and once when it is back. */
  warned?: (message: string) => void;
}

type Request = {
  method: string;
  path: string;
  body?: Upload | object;
  tries?: number;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** How often the api may fail over it, where it otherwise works. */
  faults?: number;
};

/** Of an api that did what it was asked. */
type Answer = Pick<Response, 'status' | 'headers'> & { body: unknown };

/** An api that fails so often over one thing of a round (500) will not do better: the round is given back, and others go on. */
export const mostFaults = 8;

/** @throws ApiRefusal when the api failed by a fault of its own, rather than being away, busy or full. */
export function assertNotFaulty({ status, message }: ApiUnavailable): void {
  if (status === 500) throw new ApiRefusal(status, message);
}

/** A call may upload 32 MB over a slow line. */
const uploadTimeoutMs = 60_000;
const shortTimeoutMs = 15_000;

/** Every call is idempotent on the api's side, so each is tried again over a lost connection or a failing api. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #base: string;
  #away = false;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#base = `${options.url.replace(/\/$/, '')}/api/v1`;
  }

  /** @param signal ends the waiting for an api that is away, as `lease`’s does. */
  async register(registration: RunnerRegistration, signal?: AbortSignal): Promise<Runner> {
    return (await this.#call({ method: 'POST', path: '/runners', body: registration, signal })).body as Runner;
  }

  /** Tried once: the next one comes soon. */
  async signOfLife(runnerId: string, heartbeat: RunnerHeartbeat): Promise<void> {
    await this.#once({ method: 'POST', path: `/runners/${runnerId}/heartbeat`, body: heartbeat });
  }

  /** @returns the round, or how long to wait before asking again: there is nothing to do. */
  async lease(request: LeaseRequest, signal?: AbortSignal): Promise<{ lease: Lease } | { lease: null; askAgainMs: number }> {
    const response = await this.#call({ method: 'POST', path: '/leases', body: request, signal });
    if (response.status === 204) return { lease: null, askAgainMs: retryAfterOf(response) ?? 5_000 };
    return { lease: response.body as Lease };
  }

  /** Declares that whoever held leases under this name is gone: their rounds return to the queue at once. */
  async reclaim(runner: string, campaignId: string): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/leases?${new URLSearchParams({ runner, campaignId })}` });
  }

  /** Tried once: the next one comes soon. */
  async heartbeat(leaseId: string): Promise<void> {
    await this.#once({ method: 'POST', path: `/leases/${leaseId}/heartbeat` });
  }

  async complete(leaseId: string): Promise<void> {
    await this.#call({ method: 'POST', path: `/leases/${leaseId}/complete`, faults: mostFaults });
  }

  /**
   * Gives a round back unfinished. Tried a few times: a lease that is not given back runs out by itself.
   * @param failed whether the runner failed at it, rather than being told to stop
   */
  async release(leaseId: string, reason: string, failed = false): Promise<void> {
    const body = { reason: reason.slice(0, 2000), ...(failed ? { failed } : {}) };
    await this.#call({ method: 'POST', path: `/leases/${leaseId}/release`, body, tries: Math.min(3, this.#options.tries) });
  }

  async upload(upload: Upload): Promise<void> {
    await this.#call({ method: 'PUT', path: upload.path, body: upload, timeoutMs: uploadTimeoutMs });
  }

  /** @throws ApiUnavailable at once, where `upload` tries again. */
  async uploadOnce(upload: Upload): Promise<void> {
    await this.#once({ method: 'PUT', path: upload.path, body: upload, timeoutMs: uploadTimeoutMs });
  }

  async #call(request: Request): Promise<Answer> {
    const { tries } = this.#options;
    const signal = request.signal ?? this.#options.signal;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(request);
      } catch (error) {
        if (!(error instanceof ApiUnavailable) || attempt >= (request.tries ?? tries) || signal?.aborted === true) throw error;
        if (attempt >= (request.faults ?? Number.POSITIVE_INFINITY)) assertNotFaulty(error);
        await pause(waitBefore(attempt, error.retryAfterMs), signal);
      }
    }
  }

  /** @throws ApiRefusal, ApiDenied or ApiUnavailable. */
  async #once(request: Request): Promise<Answer> {
    const { method, path, timeoutMs = shortTimeoutMs } = request;
    let response: Response;
    let said: string;
    try {
      response = await fetch(`${this.#base}${path}`, {
        method,
        ...this.#content(request.body),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      // Read here: an answer that breaks off is none, and what isn't JSON is not the api's.
      said = await response.text();
      if (response.ok) {
        const { status, headers } = response;
        const answer = { status, headers, body: said === '' ? null : (JSON.parse(said) as unknown) };
        this.#tell(null);
        return answer;
      }
    } catch (error) {
      const why = `${this.#options.url} does not answer (${causeOf(error)})`;
      this.#tell(why);
      throw new ApiUnavailable(`${method} ${path}: ${why}`, null);
    }
    const { detail, type } = problemOf(said);
    const message = `${method} ${path}: ${response.status} ${detail}`;
    if (response.status >= 500 || response.status === 429) {
      this.#tell(`${this.#options.url} says: ${response.status} ${detail}`);
      throw new ApiUnavailable(message, retryAfterOf(response), response.status);
    }
    if (response.status === 401 || response.status === 403) {
      throw new ApiDenied(response.status, `${this.#options.url} denies this runner its work: ${detail}`, type);
    }
    throw new ApiRefusal(response.status, message, type);
  }

  #content(body: Request['body']): Pick<RequestInit, 'body' | 'headers'> {
    const { token } = this.#options;
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    if (body === undefined) return { headers: authorization };
    if ('contentType' in body && Buffer.isBuffer(body.body)) {
      return { body: body.body as Uint8Array<ArrayBuffer>, headers: { ...authorization, 'content-type': body.contentType } };
    }
    return { body: JSON.stringify(body), headers: { ...authorization, 'content-type': 'application/json' } };
  }

  /** @param trouble null: it answered. */
  #tell(trouble: string | null): void {
    const { warned } = this.#options;
    if (trouble !== null && !this.#away) warned?.(`The api can't be used now, trying again: ${trouble}`);
    if (trouble === null && this.#away) warned?.('The api is back.');
    this.#away = trouble !== null;
  }
}

/** The words and the type of a problem document (RFC 9457), or what came instead. */
function problemOf(text: string): { detail: string; type: string } {
  try {
    const { detail, title, type } = JSON.parse(text);
    return { detail: String(detail ?? title ?? text), type: String(type ?? '') };
  } catch {
    return { detail: text.slice(0, 500), type: '' };
  }
}

/** fetch says "fetch failed"; why is in its cause. */
function causeOf(error: unknown): string {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (name === 'TimeoutError' ? 'no answer in time' : message);
}
