// What an answer of the api that is no success means for a runner: given up, denied, or to be asked for again.
import { problemType } from '@pronghorn/core/schemas';
import { retryAfterOf } from './patience.ts';

/** An answer that another try won't change: the lease is lost, or what was sent is refused. */
export class ApiRefusal extends Error {
  readonly status: number;
  /** Such as urn:pronghorn:problem:lease-lost. */
  readonly type: string;
  /** Whether what is before the api said it: that says nothing of the lease. */
  readonly foreign: boolean;
  constructor(status: number, message: string, type = '', foreign = false) {
    super(message);
    this.status = status;
    this.type = type;
    this.foreign = foreign;
  }
}

/** The api does not know this runner's token, or the token may not do what runners do. */
export class ApiDenied extends ApiRefusal {}

/** The api can't be reached, or can't answer now; or something else answered in its place. */
export class ApiUnavailable extends Error {
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  /** How long the api wants to be left alone, milliseconds; null: it did not say. */
  readonly retryAfterMs: number | null;
  /** Whether the answer was not Pronghorn's: a proxy speaks while the service is deployed. */
  readonly foreign: boolean;
  constructor(message: string, retryAfterMs: number | null, status: number | null = null, foreign = false) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.foreign = foreign;
  }
}

/** An api that fails so often over one thing of a round (500) will not do better: the round is given back, and others go on. */
export const mostFaults = 8;
/**
 * The same for what is before the api and says no (4xx), such as a firewall that dislikes one visit: about ten minutes, which no deployment
 * takes.
 */
export const mostForeignRefusals = 30;

/** Counts how often in a row one thing failed in the same way. An api that is away, busy or full refuses nothing: that ends the row. */
export class Faults {
  #kind: 'fault' | 'foreign' | null = null;
  #times = 0;

  /** It succeeded, or another thing is tried. */
  forget(): void {
    this.#kind = null;
    this.#times = 0;
  }

  /** @throws ApiRefusal when the api failed by a fault of its own again and again, or what is before it refuses just this. */
  count({ status, message, foreign }: ApiUnavailable): void {
    const kind = kindOf(status, foreign);
    if (kind !== this.#kind) this.forget();
    if (kind === null) return;
    this.#kind = kind;
    this.#times += 1;
    if (this.#times < (kind === 'foreign' ? mostForeignRefusals : mostFaults)) return;
    this.forget();
    throw new ApiRefusal(status ?? 0, message, '', foreign);
  }
}

function kindOf(status: number | null, foreign: boolean): 'fault' | 'foreign' | null {
  if (foreign) return status !== null && status < 500 ? 'foreign' : null;
  return status === 500 ? 'fault' : null;
}

/** The part of a Response that is read here, with its body. */
export type Unsuccessful = Pick<Response, 'status' | 'headers'> & { said: string };

/**
 * Only Pronghorn itself can refuse: by its own problem document (RFC 9457). What else comes instead of an answer is another's, such as the
 * 404 of a proxy while the service is deployed, and says nothing about the runner, its token or its lease.
 *
 * @param url of the api. @param what was asked, such as `POST /leases`.
 */
export function errorOf({ status, headers, said }: Unsuccessful, url: string, what: string): ApiRefusal | ApiUnavailable {
  const problem = problemOf(said);
  if (problem === null) {
    const words = said.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
    const message = `${url} answers ${what} with ${status}${words === '' ? '' : ` "${words}"`}, which is not Pronghorn’s answer: a proxy says so in its place, or this is the address of something else`;
    // Of a proxy that takes no bodies of this size, whenever it is asked.
    if (status === 413) return new ApiRefusal(status, message, '', true);
    return new ApiUnavailable(message, retryAfterOf({ headers }), status, true);
  }
  const { detail, type } = problem;
  // 421: the service is not yet told of the name under which a proxy asks it.
  if (status >= 500 || status === 429 || status === 421) {
    return new ApiUnavailable(`${url} says to ${what}: ${status} ${detail}`, retryAfterOf({ headers }), status);
  }
  if (status === 401 || status === 403) return new ApiDenied(status, `${url} denies this runner its work: ${detail}`, type);
  return new ApiRefusal(status, `${what}: ${status} ${detail}`, type);
}

const ofPronghorn = problemType('not-found').replace(/not-found$/, '');

/** The words and the type of a problem document of Pronghorn's; null: it is none. */
function problemOf(text: string): { detail: string; type: string } | null {
  try {
    const { detail, title, type } = JSON.parse(text);
    if (!String(type).startsWith(ofPronghorn)) return null;
    return { detail: String(detail ?? title ?? text), type: String(type) };
  } catch {
    return null;
  }
}

/** fetch says "fetch failed"; why is in its cause. */
export function causeOf(error: unknown): string {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (name === 'TimeoutError' ? 'no answer in time' : message);
}
