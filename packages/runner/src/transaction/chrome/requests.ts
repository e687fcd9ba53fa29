// Which connections requests opened, by the times of Resource Timing.
import type { RequestError, VisitRun } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { RequestLine } from '../tally.ts';
import type { PageRequest } from './page.ts';

interface Opened {
  start: number;
  end: number;
}

/**
 * Counts the connections of one page. Over HTTP/1.1 each request that tells of a handshake opened one. Over HTTP/2 and HTTP/3 a page has
 * one at a time, and each request that waited for it tells of the same handshake: those that overlap are one. Connections that Chrome
 * opened side by side and used for no request are not told.
 */
export class Connections {
  /** Since the run began. */
  opened: Opened[] = [];
  readonly #isShared: boolean;

  constructor(protocol: Protocol) {
    this.#isShared = protocol !== 'h1';
  }

  /** Connections opened before are no part of the run. */
  begin(): void {
    this.opened = [];
  }

  /** @returns whether the request waited for a handshake */
  add({ connectStart: start, connectEnd: end }: Pick<PageRequest, 'connectStart' | 'connectEnd'>): boolean {
    if (end <= start) return false;
    const same = this.#isShared ? this.opened.find((one) => start <= one.end && one.start <= end) : undefined;
    if (same === undefined) this.opened.push({ start, end });
    else Object.assign(same, { start: Math.min(same.start, start), end: Math.max(same.end, end) });
    return true;
  }
}

// What a run had done by the end of each second, from requests in any order.
type Second = VisitRun['seconds'][number];

export class SecondsOfRun {
  readonly #seconds: Omit<Second, 'at'>[] = [];
  #lastMs = 0;

  add({ handed, error, bytesReceived, bytesSent }: Pick<RequestLine, 'handed' | 'error' | 'bytesReceived' | 'bytesSent'>): void {
    this.#lastMs = Math.max(this.#lastMs, handed);
    const at = Math.floor(Math.max(0, handed) / 1_000);
    while (this.#seconds.length <= at) this.#seconds.push({ succeeded: 0, failed: 0, bytesReceived: 0, bytesSent: 0 });
    const second = this.#seconds[at] as Omit<Second, 'at'>;
    if (error === undefined) second.succeeded += 1;
    else second.failed += 1;
    second.bytesReceived += bytesReceived;
    second.bytesSent += bytesSent;
  }

  /** The whole seconds, each with all that came before it. */
  whole(): Second[] {
    const sum = { succeeded: 0, failed: 0, bytesReceived: 0, bytesSent: 0 };
    return this.#seconds.slice(0, Math.floor(this.#lastMs / 1_000)).map((second, n) => {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += second[name];
      return { at: n + 1, ...sum };
    });
  }
}

// Chrome's name of a failure (net/base/net_error_list.h) → the name by which a run counts it.
const names: readonly [RegExp, RequestError][] = [
  [/^ERR_(NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_)/, 'dns'],
  [/^ERR_CONNECTION_REFUSED$/, 'refused'],
  [/^ERR_(ADDRESS_UNREACHABLE|ADDRESS_INVALID|INTERNET_DISCONNECTED|NETWORK_ACCESS_DENIED)$/, 'unreachable'],
  [/^ERR_(CERT_|SSL_|BAD_SSL|TLS13_)/, 'tls'],
  // A QUIC connection that never came to be is told so too, after Chrome's own time limit of a handshake.
  [/^ERR_(TIMED_OUT|CONNECTION_TIMED_OUT|QUIC_HANDSHAKE_FAILED)$/, 'timeout'],
  [/^ERR_(CONNECTION_RESET|CONNECTION_ABORTED|SOCKET_NOT_CONNECTED|NETWORK_CHANGED|QUIC_PROTOCOL_ERROR)$/, 'reset'],
  [/^ERR_(CONNECTION_CLOSED|EMPTY_RESPONSE)$/, 'closed'],
  [/^ERR_(HTTP2_|SPDY_|HTTP_1_1_REQUIRED)/, 'stream-reset'],
  [/^ERR_(CONTENT_LENGTH_MISMATCH|INCOMPLETE_)/, 'incomplete'],
];

/** @param error such as ERR_CONNECTION_RESET */
export const requestErrorOf = (error: string): RequestError => names.find(([pattern]) => pattern.test(error))?.[1] ?? 'other';

/** DevTools' log entry of a failed request → Chrome's name of the failure; undefined: another kind of entry, such as for an HTTP error. */
export const netErrorIn = (text: string): string | undefined => /net::(ERR_[A-Z0-9_]+)/.exec(text)?.[1];
