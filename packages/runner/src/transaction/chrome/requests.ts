// Which connections requests opened, by the times of Resource Timing.
import { createInterface } from 'node:readline';
import type { VisitRun } from '@pronghorn/core/schemas';
import type { Protocol, RequestError } from '@pronghorn/core/vocabulary';
import { type Plan, type RunReport, startProgram } from '../program.ts';
import type { PageRequest } from './page.ts';

interface Opened {
  start: number;
  end: number;
}

/**
 * Counts the connections of one page. Over HTTP/1.1 each request with a handshake opened one. Over HTTP/2 and HTTP/3 a page has
 * one at a time, and each request that waited for it reports the same handshake: overlapping ones are one. Connections that Chrome
 * opened side by side and used for no request are not reported.
 */
export class Connections {
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

// Totals by the end of each second, from requests in any order.
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
  // Chrome also reports this for a QUIC connection that was never made, after its own time limit for a handshake.
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

// Adds up a run that another client than the Go program performed, by the Go program: percentiles are the same of all clients.

/** A request as the program writes and reads it; times in milliseconds since the run's begin. */
interface RequestLine {
  user: number;
  due: number;
  sent: number;
  firstByte: number;
  end: number;
  /** When the client had the last byte, if later. */
  handed: number;
  bytesSent: number;
  bytesReceived: number;
  /** Number of its connection; 0: not known. */
  connection: number;
  opened: boolean;
  status: number;
  error?: string;
  detail?: string;
}

export interface Tally {
  add(requests: readonly RequestLine[]): void;
  /** @returns the summary without connections, packets and costs, which requests don't have. @throws Error with the program's output */
  end(): Promise<Pick<RunReport, 'summary' | 'requests'>>;
  /** Kills it. */
  abandon(): void;
}

export function startTally(plan: Plan): Tally {
  const { child, ended, lastWords } = startProgram('tally', { threads: 1 });
  ended.catch(() => {});
  const write = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  write(plan);
  const requests: string[] = [];
  let summary: RunReport['summary'] | undefined;
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{"kind":"request"')) requests.push(line);
      else summary = JSON.parse(line) as RunReport['summary'];
    }
  })();
  return {
    add: (lines) => {
      for (const line of lines) write(line);
    },
    end: async () => {
      child.stdin.end();
      const [how] = await Promise.all([ended, reading]);
      if (how !== 0 || summary === undefined) throw new Error(`The requests could not be added up (exit ${how})${lastWords()}`);
      return { summary, requests };
    },
    abandon: () => void child.kill('SIGKILL'),
  };
}
