// What a runner says to the api: HTTP and core's schemas, nothing else.
import {
  type Lease,
  type LeaseDiscoveries,
  type LeaseRequest,
  type LeaseSecrets,
  type LeaseSites,
  oneLine,
  problemType,
  type Runner,
  type RunnerHeartbeat,
  type RunnerRegistration,
  type Site,
  type SiteDiscovery,
} from '@pronghorn/core/schemas';
import { ApiRefusal, ApiUnavailable, causeOf, errorOf, Faults } from './api-errors.ts';
import { pause, retryAfterOf, waitBefore } from './patience.ts';
import { environmentUpload, type Upload } from './uploads.ts';
import { VisitorError } from './visitor/load-visitor.ts';
import type { SecretSource } from './visitor/resolve.ts';

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
  /** Whether the round is given back when the api fails over it again and again, where it otherwise works. */
  ofRound?: boolean;
};

/** Of an api that did what it was asked. */
type Answer = Pick<Response, 'status' | 'headers'> & { body: unknown };

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

  /** Follows the references of a lease's campaign, asking once: only those of the service's store. */
  secretsOf(leaseId: string): SecretSource {
    let asked: Promise<LeaseSecrets> | undefined;
    return async ({ kind, name }) => {
      if (kind !== 'secret')
        throw new VisitorError(
          'secret-missing',
          `${kind}:${name} is of the machine of a command; a runner of a service follows secret:NAME alone.`,
        );
      asked ??= this.#call({ method: 'GET', path: `/leases/${leaseId}/secrets`, ofRound: true }).then(({ body }) => body as LeaseSecrets);
      const found = (await asked).secrets.find((secret) => secret.name === name);
      if (found === undefined)
        throw new VisitorError(
          'secret-missing',
          `The service has no secret ${name}. Seal it with: pronghorn secret put ${name} --host HOST`,
        );
      return found;
    };
  }

  async complete(leaseId: string): Promise<void> {
    await this.#call({ method: 'POST', path: `/leases/${leaseId}/complete`, ofRound: true });
  }

  /** All sites of a lease's campaign. */
  async sites(leaseId: string): Promise<Site[]> {
    const { body } = await this.#call({ method: 'GET', path: `/leases/${leaseId}/sites`, tries: Math.min(2, this.#options.tries) });
    return (body as LeaseSites).items;
  }

  /** What is stored of the sites of a lease's campaign, after one that is known already; null: from the first. */
  async *discoveries(leaseId: string, after: string | null): AsyncGenerator<SiteDiscovery> {
    for (let last = after; ; ) {
      const query = last === null ? '' : `?${new URLSearchParams({ after: last })}`;
      const { items } = (
        await this.#call({ method: 'GET', path: `/leases/${leaseId}/discoveries${query}`, tries: Math.min(2, this.#options.tries) })
      ).body as LeaseDiscoveries;
      yield* items;
      const newest = items.at(-1);
      if (newest === undefined) return;
      last = newest.id;
    }
  }

  /**
   * Gives a round back unfinished. Tried a few times: a lease that is not given back runs out by itself.
   * @param failed whether the runner failed at it, rather than being told to stop
   */
  async release(leaseId: string, reason: string, failed = false): Promise<void> {
    const body = { reason: oneLine(reason).slice(0, 2000) || 'no words', ...(failed ? { failed } : {}) };
    await this.#call({ method: 'POST', path: `/leases/${leaseId}/release`, body, tries: Math.min(3, this.#options.tries) });
  }

  async upload(upload: Upload): Promise<void> {
    await withEnvironment(upload, (one) => this.#call({ method: 'PUT', path: one.path, body: one, timeoutMs: uploadTimeoutMs }));
  }

  /** @throws ApiUnavailable at once, where `upload` tries again. */
  async uploadOnce(upload: Upload): Promise<void> {
    await withEnvironment(upload, (one) => this.#once({ method: 'PUT', path: one.path, body: one, timeoutMs: uploadTimeoutMs }));
  }

  async #call(request: Request): Promise<Answer> {
    const { tries } = this.#options;
    const signal = request.signal ?? this.#options.signal;
    const faults = new Faults();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(request);
      } catch (error) {
        if (!(error instanceof ApiUnavailable) || attempt >= (request.tries ?? tries) || signal?.aborted === true) throw error;
        if (request.ofRound === true) faults.count(error);
        await pause(waitBefore(attempt, error.retryAfterMs), signal);
      }
    }
  }

  /** @throws ApiRefusal, ApiDenied or ApiUnavailable. */
  async #once(request: Request): Promise<Answer> {
    const { method, path, timeoutMs = shortTimeoutMs } = request;
    const { url } = this.#options;
    let response: Response;
    let said: string;
    try {
      response = await fetch(`${this.#base}${path}`, {
        method,
        ...this.#content(request.body),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      // Read here: an answer that breaks off is none.
      said = await response.text();
    } catch (error) {
      const away = new ApiUnavailable(`${url} does not answer ${method} ${path} (${causeOf(error)})`, null);
      this.#tell(away.message);
      throw away;
    }
    const { status, headers } = response;
    const answer = response.ok ? answerOf(status, headers, said) : null;
    if (answer !== null) {
      this.#tell(null);
      return answer;
    }
    const error = errorOf({ status, headers, said }, url, `${method} ${path}`);
    if (error instanceof ApiUnavailable) this.#tell(error.message);
    throw error;
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

/** What a visit ran in may have gone with the last campaign that was measured in it, also while the visit waited for the api: then it is sent again. */
async function withEnvironment(upload: Upload, send: (upload: Upload) => Promise<unknown>): Promise<void> {
  const { environment = null } = upload;
  try {
    await send(upload);
  } catch (error) {
    if (environment === null || !(error instanceof ApiRefusal) || error.type !== problemType('unknown-reference')) throw error;
    await send(environmentUpload(environment));
    await send(upload);
  }
}

/** What the api says when it did what it was asked: JSON, or 204 and nothing. @returns null where it is neither, so not the api's. */
function answerOf(status: number, headers: Headers, said: string): Answer | null {
  try {
    return said === '' && status === 204 ? { status, headers, body: null } : { status, headers, body: JSON.parse(said) as unknown };
  } catch {
    return null;
  }
}
