// Distinguishes requests that a page still loads with from those that only stay open: streams, polls, beacons, videos.
import { type CDPSession, CDPSessionEvent } from 'puppeteer-core';
import { headerOf } from './network-log.ts';

/** Types without an end that a page waits for, or that bring what it shows already. */
export const neverAwaited: ReadonlySet<string> = new Set(['EventSource', 'Media', 'Ping', 'Prefetch', 'WebSocket', 'CSPViolationReport']);
/** Types of requests that scripts make and read. */
export const scripted: ReadonlySet<string> = new Set(['Fetch', 'XHR']);
/** A script's answer of unknown length without data for this time counts as a stream: WebPageTest's measure of a quiet network. */
const silentMs = 2_000;
/** A script's request that brought nothing for this time is a long poll, or will bring no more: Lighthouse's longest quiet time. */
const unansweredMs = 5_000;
/** An open answer with fewer bytes than this in `silentMs` brings heartbeats, not content. */
const heartbeatBytes = 2_000;

/** So many equal times in a row from one of a script's requests to the next one at its endpoint are a timer's: the script polls. */
const timesInRow = 3;
/** A timer's times differ by less, as a share or in milliseconds, and are no shorter than the third. */
const [sameShare, sameMs, shortestMs] = [0.1, 30, 150];
/**
 * A request that begins sooner after the answer to the one before, or its end, or that of anything else that the page loads with, waited for that: such
 * a chain is as regular as the network.
 */
const chainedMs = 100;
/** Requests that begin within this time are of one tick of a timer. */
const tickMs = 50;

/** The address of what scripts ask for by one kind of request: without its query, nor times, counters and ids in its path. */
export function endpointOf(url: string): string {
  const address = URL.parse(url);
  if (address === null) return url;
  const parts = address.pathname.split('/').map((part) => (/\d/.test(part) ? '#' : part));
  return address.origin + parts.join('/');
}

interface Open {
  session: CDPSession;
  url: string;
  type: string;
  /** Loader of the requesting document, and its frame. */
  loaderId: string;
  frameId: string | undefined;
  answered: boolean;
  /** When headers came, where they say no length. */
  endlessSince?: number;
  /** Bytes that the headers promise and that have not come yet, as they are encoded. */
  missing: number;
  isEncoded: boolean;
  /** Bytes since `countedFrom`, and in the `silentMs` before that. */
  bytes: number;
  bytesBefore?: number;
  countedFrom: number;
  /** One of many that a timer makes. */
  isPoll: boolean;
  /** Of a script's request: that of its first address, before redirects. */
  endpoint: string;
  /** Time of its last event. */
  lastAt: number;
}

/** What scripts asked one endpoint for: when it last was, and the times from one request's beginning, or end, to the next one's beginning. */
interface Endpoint {
  startedAt: number;
  /** When the first of its requests since then was answered, and over; infinite: none is. */
  answeredAt: number;
  endedAt: number;
  intervals: number[];
  gaps: number[];
  chained: boolean[];
  isPolled: boolean;
}

const first: Endpoint = { startedAt: 0, answeredAt: 0, endedAt: 0, intervals: [], gaps: [], chained: [], isPolled: false };

/** Listens beside the network log: that one keeps what happened, this one says whether it is over. */
export class OpenRequests {
  readonly #open = new Map<string, Open>();
  readonly #endpoints = new Map<string, Endpoint>();
  /** When a request that the page loads with was last answered, or over. */
  #lastAnswerAt = 0;
  /** When a request that the page loads with began, had data or ended; of `performance.now()`. */
  lastActivity = 0;
  /** True once something is asked for again and again, by a timer. The first times were activity. */
  hasPolls = false;

  attend(session: CDPSession): void {
    session.on('Network.requestWillBeSent', ({ requestId, request: { url }, loaderId, frameId, type = 'Other', redirectResponse }) => {
      const now = performance.now();
      const heard = { answered: false, missing: Number.POSITIVE_INFINITY, isEncoded: false, bytes: 0, countedFrom: now, lastAt: now };
      const before = redirectResponse === undefined ? undefined : this.#open.get(requestId);
      const endpoint = before?.endpoint ?? (scripted.has(type) ? endpointOf(url) : '');
      const isPoll = scripted.has(type) && (redirectResponse === undefined ? this.#isPoll(endpoint, now) : before?.isPoll === true);
      this.#open.set(requestId, { session, url, type, loaderId, frameId, isPoll, endpoint, ...heard });
      this.hasPolls ||= isPoll;
      if (isAwaited({ type, isPoll })) this.lastActivity = now;
    });
    session.on('Network.responseReceived', ({ requestId, type, response }) => {
      const request = this.#open.get(requestId);
      if (request === undefined) return;
      const now = performance.now();
      request.answered = true;
      const endpoint = this.#endpointOf(request);
      if (endpoint !== undefined) endpoint.answeredAt = Math.min(endpoint.answeredAt, now);
      if (isAwaited(request)) this.#lastAnswerAt = now;
      request.type = response.mimeType === 'text/event-stream' ? 'EventSource' : type;
      const length = headerOf(response.headers, 'content-length') ?? '';
      if (/^\d+$/.test(length)) request.missing = Number(length);
      else request.endlessSince = now;
      request.isEncoded = headerOf(response.headers, 'content-encoding') !== undefined;
      this.#note(request, 0, now);
      // A frame that moves to another site gets its next document in another process, and Chrome does not report the end of the last one's requests.
      if (type === 'Document' && isShown(response)) this.#endOthersOf(request);
    });
    session.on('Network.dataReceived', ({ requestId, dataLength, encodedDataLength }) => {
      const request = this.#open.get(requestId);
      if (request === undefined) return;
      // Frames are among the encoded bytes.
      request.missing -= request.isEncoded || dataLength === 0 ? encodedDataLength : dataLength;
      if (request.missing <= 0) this.#isOver(request);
      this.#note(request, dataLength, performance.now());
    });
    session.on('Network.loadingFinished', ({ requestId }) => this.#end(requestId));
    session.on('Network.loadingFailed', ({ requestId }) => this.#end(requestId));
    // The requests of a stopped worker or a removed frame end with it, and Chrome does not report each. A document
    // goes on in the session of the frame's next process.
    session.on(CDPSessionEvent.SessionDetached, (gone: CDPSession) => {
      for (const [requestId, request] of this.#open) if (request.session === gone && request.type !== 'Document') this.#end(requestId);
    });
    // But it ends with a frame that is removed, rather than moved to another process.
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      if (reason !== 'remove') return;
      for (const [requestId, request] of this.#open) if (request.frameId === frameId) this.#end(requestId);
    });
  }

  /** The main frame has this document now: the requests of the one before ended with it, and Chrome does not report each. */
  keepOnly(loaderId: string): void {
    for (const [requestId, request] of this.#open) if (request.loaderId !== loaderId) this.#open.delete(requestId);
  }

  /** True while anything is on its way that the page loads with. */
  loading(now: number): boolean {
    for (const request of this.#open.values()) if (!this.#onlyOpen(request, now)) return true;
    return false;
  }

  /** URLs of scripts' open requests that are no longer awaited: a slow answer looks like a poll. */
  notAwaited(now: number): string[] {
    const requests = [...this.#open.values()].filter(
      (request) => scripted.has(request.type) && !request.isPoll && request.missing > 0 && this.#onlyOpen(request, now),
    );
    return [...new Set(requests.map(({ url }) => url))];
  }

  #end(requestId: string): void {
    const request = this.#open.get(requestId);
    this.#open.delete(requestId);
    if (request === undefined) return;
    this.#isOver(request);
    if (isAwaited(request)) this.lastActivity = performance.now();
  }

  #endpointOf = ({ type, endpoint }: Open) => (scripted.has(type) ? this.#endpoints.get(endpoint) : undefined);

  #isOver(request: Open): void {
    const endpoint = this.#endpointOf(request);
    if (endpoint !== undefined) endpoint.endedAt = Math.min(endpoint.endedAt, performance.now());
    if (isAwaited(request)) this.#lastAnswerAt = performance.now();
  }

  /** Whether a script's request that begins now is one of many that a timer makes. */
  #isPoll(endpoint: string, now: number): boolean {
    const before = this.#endpoints.get(endpoint);
    if (before !== undefined && now - before.startedAt < tickMs) return before.isPolled;
    const { startedAt, answeredAt, endedAt, intervals, gaps, chained, isPolled: wasPolled }: Endpoint = before ?? first;
    const lately = <Value>(values: readonly Value[], value: Value) => (before === undefined ? [] : [...values, value].slice(-timesInRow));
    const follows = (at: number) => now - at >= 0 && now - at < chainedMs;
    const next = {
      ...{ startedAt: now, answeredAt: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY },
      intervals: lately(intervals, now - startedAt),
      gaps: lately(gaps, now - endedAt),
      // What is known for a timer's comes by chance after another answer.
      chained: lately(chained, follows(answeredAt) || follows(endedAt) || (!wasPolled && follows(this.#lastAnswerAt))),
    };
    const isPolled = !next.chained.includes(true) && (isRegular(next.intervals) || isRegular(next.gaps));
    this.#endpoints.set(endpoint, { ...next, isPolled });
    return isPolled;
  }

  #endOthersOf({ frameId, loaderId }: Open): void {
    if (frameId === undefined) return;
    for (const [requestId, other] of this.#open) if (other.frameId === frameId && other.loaderId !== loaderId) this.#end(requestId);
  }

  #note(request: Open, bytes: number, now: number): void {
    if (now - request.countedFrom >= silentMs) {
      request.bytesBefore = request.bytes;
      request.bytes = 0;
      request.countedFrom = now;
    }
    request.bytes += bytes;
    request.lastAt = now;
    if (isAwaited(request) && (request.missing <= 0 || !this.#onlyOpen(request, now))) this.lastActivity = now;
  }

  #onlyOpen(request: Open, now: number): boolean {
    const { type, answered, endlessSince, missing, bytes, bytesBefore, lastAt } = request;
    if (!isAwaited(request)) return true;
    // Sheets, scripts, pictures and documents have an end, whether their length is known or not: one that stalls lost a packet.
    if (!scripted.has(type)) return false;
    // Chrome does not report the end of an answer that no script reads.
    if (missing <= 0 || now - lastAt >= unansweredMs) return true;
    if (!answered || endlessSince === undefined || now - endlessSince < silentMs) return false;
    return now - lastAt >= silentMs || (bytesBefore ?? bytes) < heartbeatBytes;
  }
}

/** Whether the page loads with it, as far as its kind tells. */
const isAwaited = ({ type, isPoll }: Pick<Open, 'type' | 'isPoll'>): boolean => !neverAwaited.has(type) && !isPoll;

/** Neither a download nor an answer that leaves the frame as it is. */
const isShown = ({ status, mimeType, headers }: { status: number; mimeType: string; headers: Record<string, string> }) =>
  mimeType === 'text/html' && status !== 204 && status !== 205 && !/^attachment/i.test(headerOf(headers, 'content-disposition') ?? '');

function isRegular(times: readonly number[]): boolean {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return times.length === timesInRow && least >= shortestMs && most - least <= Math.max(sameMs, sameShare * least);
}
