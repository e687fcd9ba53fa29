// What a runner says to the api: HTTP and core's schemas, nothing else.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Environment, Lease, LeaseRequest, LinkCheck, SiteDiscovery, VisitUpload } from '@pronghorn/core';

/** An answer that another try won't change: the lease is lost, or what was sent is refused. */
export class ApiRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const tries = 6;
const compress = promisify(gzip);

/** Every call is idempotent on the api's side, so each is tried again over a lost connection or a failing api. */
export class ApiClient {
  readonly #base: string;

  /** @param url such as http://127.0.0.1:8080 */
  constructor(url: string) {
    this.#base = `${url.replace(/\/$/, '')}/api/v1`;
  }

  /** @returns null when there is nothing to do */
  async lease(request: LeaseRequest): Promise<Lease | null> {
    const response = await this.#send('POST', '/leases', request);
    return response.status === 204 ? null : ((await response.json()) as Lease);
  }

  /** Declares that whoever held leases under this name is gone: their rounds return to the queue at once. */
  async reclaim(runner: string, campaignId: string): Promise<void> {
    await this.#send('DELETE', `/leases?${new URLSearchParams({ runner, campaignId })}`);
  }

  async heartbeat(leaseId: string): Promise<void> {
    await this.#send('POST', `/leases/${leaseId}/heartbeat`);
  }

  async complete(leaseId: string): Promise<void> {
    await this.#send('POST', `/leases/${leaseId}/complete`);
  }

  /** Gives a round back unfinished. */
  async release(leaseId: string, reason: string): Promise<void> {
    await this.#send('POST', `/leases/${leaseId}/release`, { reason });
  }

  async uploadDiscovery(discovery: SiteDiscovery): Promise<void> {
    await this.#send('PUT', `/discoveries/${discovery.id}`, discovery);
  }

  async uploadEnvironment(environment: Environment): Promise<void> {
    await this.#send('PUT', `/environments/${environment.id}`, environment);
  }

  async uploadLinkCheck(leaseId: string, check: LinkCheck): Promise<void> {
    await this.#send('PUT', `/leases/${leaseId}/link-checks/${check.id}`, check);
  }

  async uploadVisit(leaseId: string, visit: VisitUpload): Promise<void> {
    await this.#send('PUT', `/leases/${leaseId}/visits/${visit.id}`, visit);
  }

  async uploadEvidence(visitId: string, evidence: unknown): Promise<void> {
    const body = await compress(JSON.stringify(evidence), { level: 1 });
    await this.#send('PUT', `/visits/${visitId}/evidence`, body);
  }

  async #send(method: string, path: string, body?: unknown): Promise<Response> {
    const init: RequestInit = { method };
    if (body instanceof Uint8Array) {
      init.body = body as Uint8Array<ArrayBuffer>;
      init.headers = { 'content-type': 'application/gzip' };
    } else if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { 'content-type': 'application/json' };
    }
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(`${this.#base}${path}`, { ...init, signal: AbortSignal.timeout(60_000) });
        if (response.ok) return response;
        const said = await response.text();
        const message = `${method} ${path}: ${response.status} ${detailOf(said)}`;
        if (response.status < 500 && response.status !== 429) throw new ApiRefusal(response.status, message);
        throw new Error(message);
      } catch (error) {
        if (error instanceof ApiRefusal || attempt === tries) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }
}

/** The detail of a problem document (RFC 9457), or what came instead. */
function detailOf(text: string): string {
  try {
    const problem = JSON.parse(text);
    return problem.detail ?? problem.title ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
