// What an unsuccessful response means to a client: refused for good, or worth another try.
import type { Problem } from '../schemas/problem.ts';

/** The API refuses the request: trying again won't change that. */
export class ApiRefusal extends Error {
  readonly status: number;
  /** Such as urn:pronghorn:problem:lease-lost; empty if the response is not Pronghorn's. */
  readonly type: string;
  /** True if a proxy in front of the API answered: that says nothing about the request. */
  readonly foreign: boolean;
  /** Null if the response is not Pronghorn's. */
  readonly problem: Problem | null;

  constructor(status: number, message: string, type = '', foreign = false, problem: Problem | null = null) {
    super(message);
    this.status = status;
    this.type = type;
    this.foreign = foreign;
    this.problem = problem;
  }
}

/** The API does not know the token, or the token does not allow the request. */
export class ApiDenied extends ApiRefusal {}

/** The API can't be reached or can't answer now, or something else answered instead. */
export class ApiUnavailable extends Error {
  /** Status of the response; null: there was none. */
  readonly status: number | null;
  /** Wait before the next try that the API asks for, milliseconds; null: it gave none. */
  readonly retryAfterMs: number | null;
  /** True if the response was not Pronghorn's: proxies answer while the service is deployed. */
  readonly foreign: boolean;

  constructor(message: string, retryAfterMs: number | null, status: number | null = null, foreign = false, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.foreign = foreign;
  }

  /** True if the API did nothing: it is busy, or does not know yet the name that a proxy uses. */
  get isBusy(): boolean {
    return !this.foreign && (this.status === 429 || this.status === 421);
  }
}

export interface ErrorOptions {
  /** The service's address without /api/v1, such as https://pronghorn.example. */
  service: string;
  /** The message of a refusal; default: the problem's title and detail. */
  refusalText?: (refusal: { what: string; status: number; detail: string | undefined }) => string;
  /**
   * The message where the API can't be reached, can't answer now, or something else answers in its place; default: that with its address.
   * Status null: there was no answer.
   */
  unavailableText?: (failure: { what: string; status: number | null; detail: string | undefined }) => string;
}

/** An unsuccessful response, with its body read. */
type Unsuccessful = Pick<Response, 'status' | 'headers'> & { text: string };

/**
 * Only Pronghorn itself can refuse, with its own problem document (RFC 9457). Any other response comes from elsewhere, such as the 404 of a
 * proxy while the service is deployed.
 *
 * @param options.service its address. @param what the request, such as `POST /leases`
 */
export function errorOf(
  { status, headers, text }: Unsuccessful,
  { service, refusalText, unavailableText }: ErrorOptions,
  what: string,
): ApiRefusal | ApiUnavailable {
  const problem = problemOf(text);
  if (problem === null) {
    const start = text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
    const message =
      unavailableText?.({ what, status, detail: undefined }) ??
      `${service} answered ${status}${start === '' ? '' : ` "${start}"`} to ${what}, and no problem details. Is it Pronghorn, or did a proxy answer instead?`;
    // A proxy's limit of bodies is the same at the next try.
    if (status === 413) return new ApiRefusal(status, message, '', true);
    return new ApiUnavailable(message, retryAfterOf(headers), status, true);
  }
  const { detail, title, type } = problem;
  if (status >= 500 || status === 429 || status === 421) {
    const requestId = headers.get('x-request-id');
    const inLog = requestId === null || status < 500 ? '' : ` The service’s log has it as request ${requestId}.`;
    const message = unavailableText?.({ what, status, detail }) ?? `${what} at ${service} failed: ${status} ${detail}${inLog}`;
    return new ApiUnavailable(message, retryAfterOf(headers), status);
  }
  const Refusing = status === 401 || status === 403 ? ApiDenied : ApiRefusal;
  const message = refusalText?.({ what, status, detail }) ?? `${title === undefined ? '' : `${title}: `}${detail}`;
  return new Refusing(status, message, type, false, problem);
}

/** The problem document of Pronghorn; null: the text is something else. */
function problemOf(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Problem | null;
    return String(problem?.type).startsWith('urn:pronghorn:problem:') ? problem : null;
  } catch {
    return null;
  }
}

/** Retry-After in seconds or as a date (RFC 9110, 10.2.3), as milliseconds from now, at most an hour; null: absent or unreadable. */
export function retryAfterOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 3_600_000) : null;
}

/** fetch says "fetch failed"; the reason is in its cause. */
export function reasonOf(error: unknown): string {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code || cause?.message || (name === 'TimeoutError' ? 'no answer in time' : message);
}
