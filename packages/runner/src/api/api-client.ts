// A runner's requests to the api, defined only by HTTP and core's schemas.
import {
  type Answer,
  ApiRefusal,
  ApiUnavailable,
  backoffMs,
  Client,
  type Given,
  type Route,
  retryAfterOf,
  retrying,
} from '@pronghorn/core/client';
import {
  type Lease,
  type LeaseComplete,
  type LeaseRequest,
  type LeaseSecrets,
  oneLine,
  problemType,
  type Runner,
  type RunnerHeartbeat,
  type RunnerRegistration,
  type Site,
  type SiteDiscovery,
} from '@pronghorn/core/schemas';
import { VisitorError } from '../visitor/load-visitor.ts';
import type { SecretSource } from '../visitor/resolve.ts';
import { Faults } from './faults.ts';
import { environmentUpload, type Upload } from './uploads.ts';

export interface ApiClientOptions {
  /** Such as http://127.0.0.1:8080 */
  url: string;
  /** A token of role runner; undefined if the api needs none. */
  token?: string | undefined;
  /** Tries of a call while the api is not available. */
  tries: number;
  /** Ends the waiting between tries. */
  signal?: AbortSignal;
  /** Called once when the api becomes unavailable, and once when it is back. */
  warned?: (message: string) => void;
}

type Trying = {
  tries?: number;
  /** Gives the round back when only this call keeps failing. */
  ofRound?: boolean;
};

/** Allows for uploading 32 MB over a slow line. */
const uploadTimeoutMs = 60_000;
const shortTimeoutMs = 15_000;

/** Every call is idempotent on the api's side, so each is tried again over a lost connection or a failing api. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #client: Client;
  #isAway = false;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    const service = options.url.replace(/\/$/, '');
    this.#client = new Client({
      ...{ service, token: options.token ?? null, timeoutMs: shortTimeoutMs },
      // Names the request: the id in its path tells which upload was refused.
      refusalText: ({ what, status, detail }) =>
        status === 401 || status === 403 ? `${service} refuses this runner: ${detail}` : `${what}: ${status} ${detail}`,
    });
  }

  /** @param signal ends the wait for an unavailable api, as in `lease`. */
  async register(registration: RunnerRegistration, signal?: AbortSignal): Promise<Runner> {
    return (await this.#call('POST /runners', { body: registration, signal })).body;
  }

  /** Tried once: the next one comes soon. */
  async signOfLife(runnerId: string, heartbeat: RunnerHeartbeat): Promise<void> {
    await this.#once('POST /runners/{id}/heartbeat', { id: runnerId, body: heartbeat });
  }

  /** @returns the round, or the time to wait before the next request if there is none */
  async lease(request: LeaseRequest, signal?: AbortSignal): Promise<{ lease: Lease } | { lease: null; askAgainMs: number }> {
    const { body, headers } = await this.#call('POST /leases', { body: request, signal });
    return body === null ? { lease: null, askAgainMs: retryAfterOf(headers) ?? 5_000 } : { lease: body };
  }

  /** Declares the holder of leases under this name gone: their rounds return to the queue at once. */
  async reclaim(runner: string, campaignId: string): Promise<void> {
    await this.#call('DELETE /leases', { query: { runner, campaignId } });
  }

  /** Tried once: the next one comes soon. */
  async heartbeat(leaseId: string): Promise<void> {
    await this.#once('POST /leases/{id}/heartbeat', { id: leaseId });
  }

  /** Follows the references of a lease's campaign, asking once: only those of the service's store. */
  secretsOf(leaseId: string): SecretSource {
    let answer: Promise<LeaseSecrets> | undefined;
    return async ({ kind, name }) => {
      if (kind !== 'secret')
        throw new VisitorError(
          'secret-missing',
          `${kind}:${name} is a reference for commands; a runner of a service resolves only secret:NAME.`,
        );
      answer ??= this.#call('GET /leases/{id}/secrets', { id: leaseId }, { ofRound: true }).then(({ body }) => body);
      const secret = (await answer).secrets.find((one) => one.name === name);
      if (secret === undefined)
        throw new VisitorError(
          'secret-missing',
          `The service has no secret ${name}. Seal it with: pronghorn secret put ${name} --host HOST`,
        );
      return secret;
    };
  }

  async complete(leaseId: string, body: LeaseComplete = {}): Promise<void> {
    await this.#call('POST /leases/{id}/complete', { id: leaseId, body }, { ofRound: true });
  }

  async sites(leaseId: string): Promise<Site[]> {
    return (await this.#call('GET /leases/{id}/sites', { id: leaseId }, { tries: 2 })).body.items;
  }

  /** Stored discoveries of a lease's campaign, after one that is already known; null: from the first. */
  async *discoveries(leaseId: string, after: string | null): AsyncGenerator<SiteDiscovery> {
    for (let last = after; ; ) {
      const query = last === null ? {} : { after: last };
      const { items } = (await this.#call('GET /leases/{id}/discoveries', { id: leaseId, query }, { tries: 2 })).body;
      yield* items;
      const newest = items.at(-1);
      if (newest === undefined) return;
      last = newest.id;
    }
  }

  /**
   * Gives a round back unfinished. Tried a few times: a lease that isn't given back expires.
   * @param failed true if the runner failed at it, rather than being stopped
   */
  async release(leaseId: string, reason: string, failed = false): Promise<void> {
    const body = { reason: oneLine(reason).slice(0, 2000) || 'no words', ...(failed ? { failed } : {}) };
    await this.#call('POST /leases/{id}/release', { id: leaseId, body }, { tries: 3 });
  }

  async upload(upload: Upload): Promise<void> {
    await withEnvironment(upload, (one) => this.#retrying(() => this.#put(one), this.#options.tries));
  }

  /** @throws ApiUnavailable at once, where `upload` tries again. */
  async uploadOnce(upload: Upload): Promise<void> {
    await withEnvironment(upload, (one) => this.#put(one));
  }

  async #call<R extends Route>(
    route: R,
    given: Given<R>,
    { tries = Number.POSITIVE_INFINITY, ofRound = false }: Trying = {},
  ): Promise<Answer<R>> {
    const faults = new Faults();
    return await this.#retrying(() => this.#once(route, { ...given, signal: undefined }), Math.min(tries, this.#options.tries), {
      signal: given.signal,
      onFailure: (error) => ofRound && faults.count(error),
    });
  }

  #retrying<T>(
    work: () => Promise<T>,
    tries: number,
    { signal, onFailure }: { signal?: AbortSignal | undefined; onFailure?: (error: ApiUnavailable) => void } = {},
  ): Promise<T> {
    const waitMs = (error: ApiUnavailable, attempt: number) => (attempt < tries ? backoffMs(attempt, error.retryAfterMs) : null);
    return retrying({ signal: signal ?? this.#options.signal, waitMs, ...(onFailure && { onFailure }) }, work);
  }

  #once<R extends Route>(route: R, given: Given<R>): Promise<Answer<R>> {
    return this.#noticing(this.#client.ask(route, given));
  }

  #put({ path, body, contentType }: Upload): Promise<void> {
    return this.#noticing(this.#client.put(path, body as Uint8Array<ArrayBuffer>, contentType, uploadTimeoutMs));
  }

  /** @throws ApiRefusal, ApiDenied or ApiUnavailable. */
  async #noticing<T>(asking: Promise<T>): Promise<T> {
    try {
      const answer = await asking;
      this.#report(null);
      return answer;
    } catch (error) {
      if (error instanceof ApiUnavailable) this.#report(error.message);
      throw error;
    }
  }

  /** @param failure null: it answered. */
  #report(failure: string | null): void {
    const { warned } = this.#options;
    if (failure !== null && !this.#isAway) warned?.(`The api can't be used now, trying again: ${failure}`);
    if (failure === null && this.#isAway) warned?.('The api is back.');
    this.#isAway = failure !== null;
  }
}

/** Sends a visit's environment again if the api deleted it with the last campaign that used it, as it may while the visit waits. */
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
