// Network events of a visit → its resources, one for each request and one for each redirect on its way.
import type { Resource } from '@pronghorn/core';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { Evidence, NetworkEvent, SlimResponse } from '../gather/evidence.ts';

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
 * The resources of a visit, in the order of their requests. Data and blob URLs are no requests and are left out.
 *
 * Chrome's clock of network events is monotonic; navigation start is put on it by the wall time that Chrome gives with
 * the document's request.
 */
export function deriveResources(evidence: Pick<Evidence, 'network' | 'bodyBytes' | 'page'>): Resource[] {
  const exchanges = pair(evidence.network);
  const document = exchanges[0]?.sent;
  if (document === undefined) return [];
  const beforeRequestMs = evidence.page === null ? 0 : Math.max(0, document.wallTime * 1_000 - evidence.page.timeOrigin);
  const originSeconds = document.timestamp - beforeRequestMs / 1_000;
  const toMs = (timestamp: number) => Math.max(0, round((timestamp - originSeconds) * 1_000));

  const scripted = scriptedUrls(exchanges);
  return exchanges
    .filter(({ sent }) => /^(https?|wss?):/.test(sent.request.url))
    .map((exchange, seq) => toResource(exchange, seq, toMs, scripted, evidence.bodyBytes));
}

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
          // The same request told by two sessions: a frame moving to a process of its own.
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

/** URLs whose request came from a script, directly or through something that a script asked for. */
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
  bodyBytes: Record<string, number>,
): Resource {
  const { sent, response, redirected, finished, failed } = exchange;
  const url = sent.request.url;
  const cache = cacheOf(exchange);
  const network = response !== undefined && cache === 'none';
  const endTimestamp = redirected?.at ?? finished?.timestamp ?? failed?.timestamp;
  return {
    seq,
    url,
    host: new URL(url).host,
    method: sent.request.method,
    type: exchange.type ?? sent.type ?? 'Other',
    initiatorType: sent.initiator.type,
    initiatorUrl: sent.initiator.url ?? sent.initiator.stack?.callFrames[0]?.url ?? null,
    // What the browser itself asks for (a favicon) has the initiator 'other', as navigations have.
    linked: !scripted.has(url) && (sent.initiator.type !== 'other' || sent.type === 'Document'),
    protocol: protocolOf(exchange),
    connectionId: network && response.connectionId !== 0 ? response.connectionId : null,
    connectionReused: network ? response.connectionReused : null,
    remoteAddress: network && response.remoteIPAddress !== undefined ? `${response.remoteIPAddress}:${response.remotePort ?? ''}` : null,
    alternateProtocolUsage: response?.alternateProtocolUsage ?? null,
    startMs: toMs(sent.timestamp),
    ...phases(sent.timestamp, network ? response.timing : undefined, endTimestamp),
    endMs: endTimestamp === undefined ? null : toMs(endTimestamp),
    transferBytes: cache === 'none' ? Math.max(0, Math.round(finished?.encodedDataLength ?? response?.encodedDataLength ?? 0)) : 0,
    bodyBytes: redirected !== undefined ? 0 : (bodyBytes[sent.requestId] ?? 0),
    status: exchange.revalidated === true ? 304 : (response?.status ?? null),
    mimeType: response?.mimeType ?? null,
    priority: sent.request.initialPriority ?? null,
    cache,
    server: header(response, 'server'),
    altSvc: header(response, 'alt-svc'),
    failure: failed?.errorText ?? null,
  };
}

/**
 * The protocol that the response came over.
 *
 * Of a response that a 304 confirmed, Chrome tells the protocol of the first time, in `response.protocol` and in
 * `nextHopProtocol` alike; only its security details are those of the new connection, and say QUIC or TLS. Seen with Chromium
 * 156 against nginx's log: h2 at first, h3 at the repeat view, told as h2.
 */
function protocolOf({ response, revalidated }: Exchange): string | null {
  if (response?.protocol === undefined) return null;
  if (response.security === 'QUIC') return response.protocol.startsWith('h3') ? response.protocol : 'h3';
  return revalidated === true && response.protocol.startsWith('h3') ? null : response.protocol;
}

function cacheOf({ response, fromMemory }: Exchange): Resource['cache'] {
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
  // With early data the request is sent before the connection is there: then the phases overlap and nothing waits.
  const sentAfterMs = (timing.requestTime - sentAt) * 1_000 + Math.max(0, timing.sendStart);
  const firstByte = timing.receiveHeadersStart > 0 ? timing.receiveHeadersStart : timing.receiveHeadersEnd;
  // Over h2 Chrome notes the end of sending when it comes round to it, at times after the response has begun.
  const sendEnd = firstByte >= 0 ? Math.min(timing.sendEnd, firstByte) : timing.sendEnd;
  const end = endTimestamp === undefined ? -1 : (endTimestamp - timing.requestTime) * 1_000;
  return {
    queueingMs: round(Math.max(0, sentAfterMs - (dnsMs ?? 0) - (connectMs ?? 0))),
    dnsMs,
    connectMs,
    tlsMs: between(timing.sslStart, timing.sslEnd),
    sendMs: between(timing.sendStart, sendEnd),
    waitMs: between(sendEnd, firstByte),
    receiveMs: between(firstByte, end),
  };
}

function header(response: SlimResponse | undefined, name: string): string | null {
  const found = Object.entries(response?.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1] ?? null;
}

/** Chrome's clocks tick in microseconds; more digits are noise of the floating point. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
