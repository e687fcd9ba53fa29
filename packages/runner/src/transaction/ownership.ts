// Loads only servers whose owner permits it: https://HOST/.well-known/pronghorn answers with the service's token.
// It is asked the way the runs go, and they go to the address that answered: a name that leads elsewhere a moment later leads no run there.
import { type CallsPermission, ownershipPath } from '@pronghorn/core/schemas';
import { callsHostProblem, isLoopbackHost } from '@pronghorn/core/visitor';
import { type RequestError, requestErrors } from '@pronghorn/core/vocabulary';
import { hostWithPort } from '../derive/document.ts';
import { confirm, type RunOptions } from './program.ts';

/** Thrown if a run is not allowed; the message says what to do. */
export class NotConfirmed extends Error {}

/** An owner who removes the token stops loads within this time. */
const holdsMs = 10 * 60_000;
/** How long a host that refused is not asked again. */
const refusedForMs = 10_000;
/** A lost packet is no refusal; a host that answered is asked once. */
const tries = 3;
const answerMs = 10_000;

/** Runs go to this ip:port; empty: as the name resolves, of a loopback. */
type Confirmed = { at: string };

interface Confirmation {
  token: string;
  until: number;
  answer: Promise<Confirmed>;
}

export interface OwnershipOptions {
  /** Command prefix that starts the program behind the link. */
  enter?: readonly string[];
  fence?: RunOptions['fence'];
  signal?: AbortSignal;
  now?: () => number;
}

/** Knows which servers may be loaded, each for ten minutes at most. */
export class Ownership {
  readonly #options: OwnershipOptions;
  readonly #confirmations = new Map<string, Confirmation>();

  constructor(options: OwnershipOptions = {}) {
    this.#options = options;
  }

  /**
   * @param calls what the service permits by now; undefined: it says nothing, and so permits nothing
   * @param authority PEM, in place of the system's authorities
   * @returns where the run has to go
   * @throws NotConfirmed, and Error where the program fails
   */
  async mayLoad(url: string, calls: CallsPermission | undefined, authority = ''): Promise<Confirmed> {
    if (calls === undefined) throw new NotConfirmed('The service permits no REST calls.');
    const { hostname } = new URL(url);
    const problem = callsHostProblem(url, calls);
    if (problem !== undefined) throw new NotConfirmed(problem);
    if (calls.loopback && isLoopbackHost(hostname)) return loopbackOf(url);
    const now = this.#options.now ?? Date.now;
    const host = hostWithPort(url);
    const known = this.#confirmations.get(host);
    if (known !== undefined && known.token === calls.token && known.until > now()) return await known.answer;
    const answer = this.#ask(url, calls.token, authority);
    const confirmation: Confirmation = { token: calls.token, until: Number.POSITIVE_INFINITY, answer };
    this.#confirmations.set(host, confirmation);
    try {
      const confirmed = await answer;
      confirmation.until = now() + holdsMs;
      return confirmed;
    } catch (error) {
      confirmation.until = now() + refusedForMs;
      throw error;
    }
  }

  /** A run failed: the host may have another address by now. */
  forget(url: string): void {
    this.#confirmations.delete(hostWithPort(url));
  }

  async #ask(url: string, token: string, authority: string): Promise<Confirmed> {
    const { origin, host } = new URL(url);
    const { now: _, ...options } = this.#options;
    let why = '';
    for (let attempt = 1; attempt <= tries; attempt++) {
      const { remote, status, line, error, detail } = await confirm({ origin, authority, timeoutMs: answerMs }, options);
      if (error === undefined && status === 200 && line === token) return { at: remote };
      why =
        error !== undefined
          ? `the request failed: ${requestErrors[error as RequestError] ?? error} (${detail})`
          : status !== 200
            ? `it answers with status ${status}`
            : `it answers ${JSON.stringify(line.slice(0, 60))}`;
      // Another try would get the same answer.
      if (error === undefined || error === 'dns' || error === 'tls') break;
    }
    throw new NotConfirmed(
      `${host} has not shown that it is yours to load: ${why}. Let it answer ${origin}${ownershipPath} with status 200 and the line ${token}, and measure again. Load only servers that you run.`,
    );
  }
}

/** A name below localhost is one, whatever DNS says of it (RFC 6761). */
function loopbackOf(url: string): Confirmed {
  const { hostname, port } = new URL(url);
  return { at: hostname.endsWith('.localhost') ? `127.0.0.1:${port || 443}` : '' };
}
