// What a runner asks the api: HTTP and core's schemas, nothing else.
import {
  type Answer,
  ApiRefusal,
  ApiUnavailable,
  backoffMs,
  Client,
  type Request as ClientRequest,
  retryAfterOf,
  retrying,
} from '@pronghorn/core/client';
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
import { Faults } from './faults.ts';
import { environmentUpload, type Upload } from './uploads.ts';
import type { SecretSource } from './visitor/resolve.ts';
import { VisitorError } from './visitor/visitor-error.ts';

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

type Request = ClientRequest & {
  tries?: number;
  /** Whether the round is given back when the api fails over it again and again, where it otherwise works. */
  ofRound?: boolean;
};

/** A call may upload 32 MB over a slow line. */
const uploadTimeoutMs = 60_000;
const shortTimeoutMs = 15_000;

/** Every call is idempotent on the api's side, so each is tried again over a lost connection or a failing api. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #client: Client;
  #isAway = false;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#client = new Client({ service: options.url.replace(/\/$/, ''), token: options.token ?? null, timeoutMs: shortTimeoutMs });
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
    if (response.status === 204) return { lease: null, askAgainMs: retryAfterOf(response.headers) ?? 5_000 };
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
    await withEnvironment(upload, (one) => this.#call(putOf(one)));
  }

  /** @throws ApiUnavailable at once, where `upload` tries again. */
  async uploadOnce(upload: Upload): Promise<void> {
    await withEnvironment(upload, (one) => this.#once(putOf(one)));
  }

  async #call(request: Request): Promise<Answer> {
    const tries = request.tries ?? this.#options.tries;
    const faults = new Faults();
    return await retrying(
      {
        signal: request.signal ?? this.#options.signal,
        waitMs: (error, attempt) => (attempt < tries ? backoffMs(attempt, error.retryAfterMs) : null),
        onFailure: (error) => request.ofRound && faults.count(error),
      },
      () => this.#once(request),
    );
  }

  /** @throws ApiRefusal, ApiDenied or ApiUnavailable. */
  async #once({ tries: _tries, ofRound: _ofRound, signal: _signal, ...request }: Request): Promise<Answer> {
    try {
      const answer = await this.#client.ask(request);
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

const putOf = ({ path, body, contentType }: Upload): Request => ({
  method: 'PUT',
  path,
  body: body as Uint8Array<ArrayBuffer>,
  headers: { 'content-type': contentType },
  timeoutMs: uploadTimeoutMs,
});

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
