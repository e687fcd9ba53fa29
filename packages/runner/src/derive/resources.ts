// Network events of a visit → its resources, one for each request and one for each redirect on its way.
import { maxHeaderLength, type Resource, safeHeaders } from '@pronghorn/core/schemas';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { Evidence, NetworkEvent, SlimResponse } from '../gather/evidence.ts';
import { headerOf } from '../gather/network-log.ts';
import { stoppedBy } from './holes.ts';
import { responseSizes } from './response-sizes.ts';

type Sent = Extract<NetworkEvent, { method: 'Network.requestWillBeSent' }>['params'];

interface Exchange {
  sent: Sent;
  response?: SlimResponse;
  /** The cache's response stands for a 304 of the network. */
  revalidated?: boolean;
  type?: Cdp.Network.ResourceType;
  redirected?: { at: number };
  fromMemory?: boolean;
  finished?: Cdp.Network.LoadingFinishedEvent;
  failed?: Cdp.Network.LoadingFailedEvent;
}

/**
 * The resources of a visit, in the order of their requests. Data and blob URLs are no requests and are left out, as is what names no host, such as
 * `http://a b/`.
 *
 * Redirects that Chrome makes itself (HSTS, HTTPS upgrades) never reach the network and are left out too.
 *
 * Chrome's clock of network events is monotonic; navigation start is put on it by the wall time that Chrome gives with
 * the document's request.
 */
export function deriveResources(evidence: Pick<Evidence, 'network' | 'bodyBytes' | 'receivedBytes' | 'page' | 'untold'>): Resource[] {
  const exchanges = pair(evidence.network);
  const document = exchanges[0]?.sent;
  if (document === undefined) return [];
  const beforeRequestMs = evidence.page === null ? 0 : Math.max(0, document.wallTime * 1_000 - evidence.page.timeOrigin);
  const originSeconds = document.timestamp - beforeRequestMs / 1_000;
  const toMs = (timestamp: number) => Math.max(0, round((timestamp - originSeconds) * 1_000));

  const scripted = scriptedUrls(exchanges);
  return exchanges
    .filter((exchange) => isAddress(exchange.sent.request.url) && !neverAsked(exchange))
    .map((exchange, seq) => toResource(exchange, seq, toMs, scripted, evidence));
}

/** Chrome takes some for a URL that are none. */
const isAddress = (url: string): boolean => /^(https?|wss?):/.test(url) && URL.canParse(url);

function pair(events: Evidence['network']): Exchange[] {
  const exchanges: Exchange[] = [];
  const current = new Map<string, Exchange>();
  for (const event of events) {
    const { requestId } = event.params;
    const at = current.get(requestId);
    switch (event.method) {
      case 'Network.requestWillBeSent': {
        if (at !== undefined && event.params.redirectResponse !== undefined) {
          at.response = event.params.redirectResponse;
          at.redirected = { at: event.params.timestamp };
        } else if (at !== undefined) {
          // Two sessions report the same request when a frame moves to its own process.
          break;
        }
        const exchange: Exchange = { sent: event.params };
        exchanges.push(exchange);
        current.set(requestId, exchange);
        break;
      }
      case 'Network.responseReceived':
        if (at !== undefined) {
          at.response = event.params.response;
          at.type = event.params.type;
        }
        break;
      case 'Network.responseReceivedExtraInfo':
        if (at !== undefined) at.revalidated = true;
        break;
      case 'Network.requestServedFromCache':
        if (at !== undefined) at.fromMemory = true;
        break;
      case 'Network.loadingFinished':
        if (at !== undefined) at.finished = event.params;
        break;
      case 'Network.loadingFailed':
        if (at !== undefined) at.failed = event.params;
        break;
    }
  }
  return exchanges;
}

/** URLs whose request came from a script, directly or through something that a script requested. */
function scriptedUrls(exchanges: readonly Exchange[]): Set<string> {
  const scripted = new Set<string>();
  for (const { sent } of exchanges) {
    const { type, url } = sent.initiator;
    if (type === 'script' || (url !== undefined && scripted.has(url))) scripted.add(sent.request.url);
  }
  return scripted;
}

function toResource(
  exchange: Exchange,
  seq: number,
  toMs: (timestamp: number) => number,
  scripted: ReadonlySet<string>,
  { bodyBytes, receivedBytes, untold = [] }: Pick<Evidence, 'bodyBytes' | 'receivedBytes' | 'untold'>,
): Resource {
  const { sent, redirected, finished, failed } = exchange;
  // Chrome reports no connection for a restarted navigation: its values are made up.
  const response = isInternal(exchange.response) ? undefined : exchange.response;
  const url = sent.request.url;
  const cache = cacheOf(exchange);
  const hinted = response?.fromEarlyHints === true;
  const network = response !== undefined && cache === 'none';
  const body = redirected === undefined ? (bodyBytes[sent.requestId] ?? 0) : 0;
  // The pieces are those of the end of a chain of redirects, which all have one id.
  const received = redirected === undefined ? (receivedBytes[sent.requestId] ?? 0) : 0;
  const isSizeUntold = untold.includes('sizes');
  // An unencoded body that finished over the network is as long as the bytes that came.
  const isBodyUntold = isSizeUntold && redirected === undefined && (!network || finished === undefined || isEncoded(response));
  const blocked = stoppedBy(failed);
  const endTimestamp = redirected?.at ?? finished?.timestamp ?? failed?.timestamp;
  return {
    seq,
    url,
    host: new URL(url).host,
    method: sent.request.method,
    type: exchange.type ?? sent.type ?? 'Other',
    initiatorType: hinted ? 'early-hints' : sent.initiator.type,
    initiatorUrl: sent.initiator.url ?? sent.initiator.stack?.callFrames[0]?.url ?? null,
    // Requests of the browser itself (a favicon) have the initiator 'other', as navigations have.
    linked: !scripted.has(url) && (sent.initiator.type !== 'other' || sent.type === 'Document'),
    protocol: alpnOfResponse(response, exchange.revalidated === true),
    connectionId: network && response.connectionId !== 0 ? response.connectionId : null,
    connectionReused: network && !hinted ? response.connectionReused : null,
    remoteAddress: network && response.remoteIPAddress !== undefined ? `${response.remoteIPAddress}:${response.remotePort ?? ''}` : null,
    alternateProtocolUsage: response?.alternateProtocolUsage ?? null,
    startMs: toMs(sent.timestamp),
    ...phases(sent.timestamp, network && !hinted ? response.timing : undefined, endTimestamp),
    endMs: endTimestamp === undefined ? null : toMs(endTimestamp),
    transferBytes: cache !== 'none' ? 0 : isSizeUntold ? received : transferBytesOf(exchange, body, received),
    bodyBytes: isBodyUntold ? null : body,
    ...(network && !hinted ? sizesOf(exchange, response, body) : { headerBytes: null, encodedBodyBytes: null }),
    ...(isSizeUntold && network && redirected === undefined && finished !== undefined ? { encodedBodyBytes: received } : {}),
    status: exchange.revalidated === true ? 304 : (response?.status ?? null),
    mimeType: response?.mimeType ?? null,
    priority: sent.request.initialPriority ?? null,
    cache,
    server: header(response, 'server')?.slice(0, maxHeaderLength) ?? null,
    altSvc: header(response, 'alt-svc')?.slice(0, maxHeaderLength) ?? null,
    headers: response === undefined ? null : safeHeadersOf(response),
    failure: failed === undefined || blocked !== null ? null : failed.errorText,
    blocked,
  };
}

function sizesOf({ sent, revalidated, redirected, finished }: Exchange, response: SlimResponse, body: number) {
  const length = header(response, 'content-length');
  return responseSizes({
    protocol: alpnOfResponse(response, revalidated === true),
    atHeaders: response.encodedDataLength,
    whole: redirected === undefined ? finished?.encodedDataLength : undefined,
    decodedBody: revalidated === true ? 0 : body,
    isEncoded: isEncoded(response) && revalidated !== true,
    contentLength: length !== null && /^\d+$/.test(length) && sent.request.method !== 'HEAD' ? Number(length) : undefined,
  });
}

const isEncoded = (response: SlimResponse): boolean => header(response, 'content-encoding') !== null;

function safeHeadersOf(response: SlimResponse): NonNullable<Resource['headers']> {
  return Object.fromEntries(
    safeHeaders.flatMap((name) => {
      const value = header(response, name);
      return value === null ? [] : [[name, value.slice(0, maxHeaderLength)]];
    }),
  );
}

/**
 * Bytes received, headers included. Chrome sums them when a request finishes. Of one that did not (a video that plays on, a stream,
 * what the page took back, what the visit's end cut off) they are those of the headers and of each piece that came.
 *
 * The browser process fetches what an Early Hint preloads, and reports it as read from the cache: no event reports its
 * bytes, so they are those of its body, without headers.
 */
function transferBytesOf({ response, redirected, finished }: Exchange, body: number, received: number): number {
  if (response?.fromEarlyHints === true) return Math.max(0, Math.round(Number(header(response, 'content-length') ?? body) || body));
  // Chrome reports a piece's size on the wire with the next piece: of the last ones only the content is known.
  const arrived = header(response, 'content-encoding') === null ? Math.max(received, body) : received;
  const pieces = redirected === undefined ? arrived : 0;
  if (isInternal(response)) return 0;
  return Math.max(0, Math.round(finished?.encodedDataLength ?? (response?.encodedDataLength ?? 0) + pieces));
}

/** True if a response is Chrome's own redirect, which came over no connection. */
function isInternal(response: SlimResponse | undefined): boolean {
  return response?.status === 307 && response.statusText === 'Internal Redirect' && response.connectionId === 0;
}

/**
 * True if Chrome answered by itself, without a request. An internal redirect to the same URL is another thing: a navigation
 * that starts again after the server asked for client hints (Critical-CH), and the server saw both.
 */
function neverAsked({ sent, response }: Exchange): boolean {
  return isInternal(response) && header(response, 'location') !== sent.request.url;
}

/**
 * The protocol that the response came over.
 *
 * For a response that a 304 confirmed, Chrome reports the protocol of the first time, in `response.protocol` and in
 * `nextHopProtocol` alike; only its security details are those of the new connection, and say QUIC or TLS. Seen with Chromium
 * 156 against nginx's log: h2 at first, h3 at the repeat view, reported as h2.
 */
function alpnOfResponse(response: SlimResponse | undefined, revalidated: boolean): string | null {
  if (response?.protocol === undefined) return null;
  if (response.security === 'QUIC') return response.protocol.startsWith('h3') ? response.protocol : 'h3';
  return revalidated && response.protocol.startsWith('h3') ? null : response.protocol;
}

function cacheOf({ response, fromMemory }: Exchange): Resource['cache'] {
  // Fetched for this page over the network, whatever it was read from in the end.
  if (response?.fromEarlyHints === true) return 'none';
  if (fromMemory === true) return 'memory';
  if (response?.fromServiceWorker === true) return 'service-worker';
  if (response?.fromPrefetchCache === true) return 'prefetch';
  if (response?.fromDiskCache === true) return 'disk';
  return 'none';
}

type Phases = Pick<Resource, 'queueingMs' | 'dnsMs' | 'connectMs' | 'tlsMs' | 'sendMs' | 'waitMs' | 'receiveMs'>;

/**
 * The phases of a request as Chrome DevTools draws them. `timing` counts milliseconds from `requestTime`; −1 means that a
 * phase did not happen. The first byte is `receiveHeadersStart`; Chromes that lack it give the end of the headers.
 */
function phases(sentAt: number, timing: Cdp.Network.ResourceTiming | undefined, endTimestamp: number | undefined): Phases {
  if (timing === undefined) {
    return { queueingMs: null, dnsMs: null, connectMs: null, tlsMs: null, sendMs: null, waitMs: null, receiveMs: null };
  }
  const between = (start: number, end: number) => (start < 0 || end < 0 ? null : round(Math.max(0, end - start)));
  const dnsMs = between(timing.dnsStart, timing.dnsEnd);
  const connectMs = between(timing.connectStart, timing.connectEnd);
  // Early data is sent before the connection exists: the phases overlap and nothing waits.
  const sentAfterMs = (timing.requestTime - sentAt) * 1_000 + Math.max(0, timing.sendStart);
  const firstByte = timing.receiveHeadersStart > 0 ? timing.receiveHeadersStart : timing.receiveHeadersEnd;
  // Over h2 Chrome notes the end of sending when it comes round to it, at times after the response has begun. Firefox doesn't report it.
  const sendEnd = firstByte >= 0 ? Math.min(timing.sendEnd, firstByte) : timing.sendEnd;
  const end = endTimestamp === undefined ? -1 : (endTimestamp - timing.requestTime) * 1_000;
  return {
    queueingMs: round(Math.max(0, sentAfterMs - (dnsMs ?? 0) - (connectMs ?? 0))),
    dnsMs,
    connectMs,
    tlsMs: between(timing.sslStart, timing.sslEnd),
    sendMs: between(timing.sendStart, sendEnd),
    waitMs: between(sendEnd < 0 ? timing.sendStart : sendEnd, firstByte),
    receiveMs: between(firstByte, end),
  };
}

const header = (response: SlimResponse | undefined, name: string): string | null => headerOf(response?.headers ?? {}, name) ?? null;

/** Chrome's clocks tick in microseconds; more digits are noise of the floating point. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
