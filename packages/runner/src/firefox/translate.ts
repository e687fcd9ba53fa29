// WebDriver BiDi's network events in the words of Chrome's DevTools protocol, which everything behind `gather/` reads.
import type { Protocol as Cdp } from 'devtools-protocol';
import type { BidiEvents } from 'puppeteer-core/internal/bidi/core/Connection.js';
import type { NetworkEvent, SlimResponse } from '../gather/evidence.ts';
import { bracketed } from '../link/net/addresses.ts';
import type { Carrier } from './inside.ts';

type Sent = BidiEvents['network.beforeRequestSent'];
type Answered = BidiEvents['network.responseCompleted'];
type Request = Sent['request'];
type Response = Answered['response'];

interface CdpEvents {
  'Network.requestWillBeSent': Cdp.Network.RequestWillBeSentEvent;
  'Network.responseReceived': Cdp.Network.ResponseReceivedEvent;
  'Network.dataReceived': Cdp.Network.DataReceivedEvent;
  'Network.loadingFinished': Cdp.Network.LoadingFinishedEvent;
  'Network.loadingFailed': Cdp.Network.LoadingFailedEvent;
  'Network.webSocketCreated': Cdp.Network.WebSocketCreatedEvent;
}
export type NetworkMessage = { [Name in keyof CdpEvents]: [name: Name, params: CdpEvents[Name]] }[keyof CdpEvents];

/** An event of a request, as BiDi names it. */
export type BidiNetworkEvent = {
  [Name in 'network.beforeRequestSent' | 'network.responseStarted' | 'network.responseCompleted' | 'network.fetchError']: [
    name: Name,
    params: BidiEvents[Name],
  ];
}['network.beforeRequestSent' | 'network.responseStarted' | 'network.responseCompleted' | 'network.fetchError'];

/**
 * Translates a visit's events one after the other.
 *
 * What Firefox doesn't report stays out: the script behind a request, priorities, what blocks painting, bytes before their answer is complete. Its times
 * are of the wall clock, in microseconds, and are given as both of Chrome's clocks.
 */
export class Translator {
  /** How often each request was redirected when it was last sent. */
  readonly #sentAfter = new Map<string, number>();
  /** The answer that redirects, by request. */
  readonly #redirects = new Map<string, Cdp.Network.Response>();
  /** Ids of WebSockets, which Chrome doesn't report as requests. */
  readonly #sockets = new Set<string>();
  readonly #documents = new Map<string, string>();

  /** Loaders of the documents that contexts have now. */
  readonly #loaders = new Map<string, string>();

  /** A context has another document now. @returns its loader */
  committed(context: string, navigation: string | null): string {
    const loader = this.loaderOf(navigation);
    this.#loaders.set(context, loader);
    return loader;
  }

  /** A document's request has the id of its loader in Chrome; what has none, such as about:blank, has its navigation's. */
  loaderOf(navigation: string | null): string {
    return this.#documents.get(navigation ?? '') ?? navigation ?? '';
  }

  translate(event: BidiNetworkEvent): NetworkMessage[] {
    const [name, params] = event;
    const { request: requestId } = params.request;
    if (this.#sockets.has(requestId)) return [];
    switch (name) {
      case 'network.beforeRequestSent':
        if (isSocket(params.request)) {
          this.#sockets.add(requestId);
          const url = params.request.url.replace(/^http/, 'ws');
          return [['Network.webSocketCreated', { requestId, url }]];
        }
        if (params.navigation !== null) this.#documents.set(params.navigation, requestId);
        return [['Network.requestWillBeSent', this.#sent(params, requestId)]];
      case 'network.responseStarted': {
        const { request, response } = params;
        return [
          [
            'Network.responseReceived',
            {
              ...this.#belonging(params),
              timestamp: secondsOf(params, request.timings.responseStart),
              type: typeOf(params),
              response: responseOf(request, response),
              hasExtraInfo: false,
            },
          ],
        ];
      }
      case 'network.responseCompleted':
        return this.#completed(params, requestId);
      case 'network.fetchError': {
        const { errorText } = params;
        return [['Network.loadingFailed', { requestId, timestamp: secondsOf(params, 0), type: typeOf(params), ...failureOf(errorText) }]];
      }
    }
  }

  #belonging({ context, navigation, request }: Sent | Answered) {
    const loaderId = navigation === null ? (this.#loaders.get(context ?? '') ?? '') : this.loaderOf(navigation);
    return { requestId: request.request, loaderId, ...(context === null ? {} : { frameId: context }) };
  }

  #sent(params: Sent, requestId: string): Cdp.Network.RequestWillBeSentEvent {
    const { request, redirectCount } = params;
    const seconds = secondsOf(params, request.timings.requestTime);
    const isRedirected = redirectCount > (this.#sentAfter.get(requestId) ?? redirectCount);
    const redirectResponse = isRedirected ? (this.#redirects.get(requestId) ?? internalRedirect(request.url)) : undefined;
    this.#redirects.delete(requestId);
    this.#sentAfter.set(requestId, redirectCount);
    return {
      ...this.#belonging(params),
      documentURL: '',
      request: { url: request.url, method: request.method } as Cdp.Network.Request,
      timestamp: seconds,
      wallTime: seconds,
      initiator: { type: initiatorOf(request) },
      redirectHasExtraInfo: false,
      ...(redirectResponse === undefined ? {} : { redirectResponse }),
      type: typeOf(params),
    };
  }

  #completed(params: Answered, requestId: string): NetworkMessage[] {
    const { request, response } = params;
    const timestamp = secondsOf(params, request.timings.responseEnd);
    const answer = responseOf(request, response);
    if (isRedirect(response)) {
      this.#redirects.set(requestId, answer);
      return [];
    }
    // After a 304 the body came from the cache, and this is its size there.
    const bodyBytes = response.fromCache || response.status === 304 ? 0 : (response.bodySize ?? 0);
    const encodedDataLength = answer.encodedDataLength + bodyBytes;
    return [
      ['Network.dataReceived', { requestId, timestamp, dataLength: bodyLengthOf(response), encodedDataLength: bodyBytes }],
      ['Network.loadingFinished', { requestId, timestamp, encodedDataLength }],
    ];
  }
}

/** Firefox 153 says 0 of what it has not counted: then an answer without encoding has the length that came. */
function bodyLengthOf({ content, bodySize, headers }: Response): number {
  const isEncoded = headers.some(({ name }) => name.toLowerCase() === 'content-encoding');
  return content.size > 0 || isEncoded ? content.size : (bodySize ?? 0);
}

/** @param wallMs by Firefox's precise clock; 0: unknown, and the event's own time in whole milliseconds is used */
const secondsOf = ({ timestamp }: { timestamp: number }, wallMs: number): number => (wallMs > 0 ? wallMs : timestamp) / 1_000;

/** Firefox reports the request of its handshake like any other. */
const isSocket = ({ headers }: Request): boolean => headers.some(({ name }) => name.toLowerCase() === 'sec-websocket-key');

/** Reports one without a connection as Chrome does: to https, where Firefox knows that the host has nothing else. */
const internalRedirect = (to: string): Cdp.Network.Response => ({
  ...{ url: '', status: 307, statusText: 'Internal Redirect', headers: { location: to }, mimeType: '', charset: '' },
  ...{ connectionReused: false, connectionId: 0, encodedDataLength: 0, securityState: 'insecure' },
});

const isRedirect = ({ status, headers }: Response): boolean =>
  [301, 302, 303, 307, 308].includes(status) && headers.some(({ name }) => name.toLowerCase() === 'location');

function responseOf({ timings }: Request, response: Response): Cdp.Network.Response {
  const { url, status, statusText, mimeType, protocol, fromCache, headersSize } = response;
  return {
    url,
    status,
    statusText,
    headers: headersOf(response),
    mimeType: mimeType.split(';')[0] ?? '',
    charset: '',
    connectionReused: false,
    // BiDi reports no connections: `nameConnections` adds them.
    connectionId: 0,
    fromDiskCache: fromCache,
    // Over HTTP/2 and HTTP/3 it counts the headers' text, not what came of it compressed.
    encodedDataLength: protocol.startsWith('http/1') && !fromCache ? (headersSize ?? 0) : 0,
    securityState: url.startsWith('https:') ? 'secure' : 'insecure',
    ...(protocol === '' ? {} : { protocol }),
    ...(fromCache ? {} : { timing: timingOf(timings) }),
  };
}

function headersOf({ headers }: Response): Record<string, string> {
  const all: Record<string, string> = {};
  for (const { name, value } of headers) {
    const text = value.type === 'string' ? value.value : '';
    all[name] = name in all ? `${all[name]}, ${text}` : text;
  }
  return all;
}

/** Milliseconds from the request's time; −1: it did not happen. */
function timingOf(timings: Request['timings']): Cdp.Network.ResourceTiming {
  const { requestTime, dnsStart, dnsEnd, connectStart, connectEnd, tlsStart, requestStart, responseStart } = timings;
  const at = (wallMs: number) => (wallMs <= 0 ? -1 : wallMs - requestTime);
  // A phase that was over before the request is not its own; of one that had begun, the request waited for the rest, as Chrome reports it.
  const pair = (start: number, end: number): [number, number] =>
    start <= 0 || at(end) <= 0 ? [-1, -1] : [Math.max(0, at(start)), at(end)];
  const [ownDnsStart, ownDnsEnd] = pair(dnsStart, dnsEnd);
  const [ownConnectStart, ownConnectEnd] = pair(connectStart, connectEnd);
  const [sslStart, sslEnd] = pair(tlsStart, connectEnd);
  return {
    requestTime: requestTime / 1_000,
    proxyStart: -1,
    proxyEnd: -1,
    dnsStart: ownDnsStart,
    dnsEnd: ownDnsEnd,
    connectStart: ownConnectStart,
    connectEnd: ownConnectEnd,
    sslStart,
    sslEnd,
    workerStart: -1,
    workerReady: -1,
    workerFetchStart: -1,
    workerRespondWithSettled: -1,
    sendStart: Math.max(0, at(requestStart)),
    // Unknown: the wait begins with the request.
    sendEnd: -1,
    pushStart: 0,
    pushEnd: 0,
    receiveHeadersStart: at(responseStart),
    receiveHeadersEnd: at(responseStart),
  };
}

/** By Resource Timing's initiator type, which is the same for elements of scripts and of the document. */
function initiatorOf({ initiatorType }: Request): Cdp.Network.Initiator['type'] {
  if (initiatorType === null) return 'other';
  return scripted.has(initiatorType) ? 'script' : 'parser';
}
const scripted: ReadonlySet<string> = new Set(['fetch', 'xmlhttprequest']);

/** By Fetch's destination, or by the initiator if that is empty. */
function typeOf({ navigation, request }: Pick<Sent, 'navigation' | 'request'>): Cdp.Network.ResourceType {
  if (navigation !== null) return 'Document';
  const { destination, initiatorType } = request;
  const known = byDestination[destination] ?? byInitiator[initiatorType ?? ''];
  return known ?? (destination === '' && initiatorType === null ? byItself(request) : 'Other');
}

/** For requests with neither a destination nor an initiator. */
function byItself({ method, headers }: Request): Cdp.Network.ResourceType {
  if (method === 'OPTIONS') return 'Preflight';
  // Beacons and pings of links.
  if (method === 'POST') return 'Ping';
  const accepts = headers.find(({ name }) => name.toLowerCase() === 'accept')?.value;
  return accepts?.type === 'string' && accepts.value === 'text/event-stream' ? 'EventSource' : 'Other';
}
const byDestination: Readonly<Record<string, Cdp.Network.ResourceType>> = {
  audio: 'Media',
  document: 'Document',
  embed: 'Other',
  font: 'Font',
  frame: 'Document',
  iframe: 'Document',
  image: 'Image',
  manifest: 'Manifest',
  report: 'CSPViolationReport',
  script: 'Script',
  serviceworker: 'Script',
  sharedworker: 'Script',
  style: 'Stylesheet',
  track: 'TextTrack',
  video: 'Media',
  worker: 'Script',
};
const byInitiator: Readonly<Record<string, Cdp.Network.ResourceType>> = { fetch: 'Fetch', xmlhttprequest: 'XHR' };

/** Requests that the page or its navigation cancelled get Chrome's error, as everywhere; network errors keep Firefox's own. */
function failureOf(errorText: string): Pick<Cdp.Network.LoadingFailedEvent, 'errorText' | 'canceled' | 'blockedReason'> {
  if (/^NS_BINDING_(ABORTED|RETARGETED|CANCELLED_OLD_LOAD)$/.test(errorText)) return { errorText: 'net::ERR_ABORTED', canceled: true };
  const blockedReason = Object.entries(blocks).find(([, pattern]) => pattern.test(errorText))?.[0] as Cdp.Network.BlockedReason | undefined;
  return { errorText, ...(blockedReason === undefined ? {} : { blockedReason }) };
}
const blocks: Readonly<Partial<Record<Cdp.Network.BlockedReason, RegExp>>> = {
  csp: /NS_ERROR_CONTENT_BLOCKED|NS_ERROR_CSP/,
  origin: /NS_ERROR_DOM_(BAD_URI|CORP_FAILED|COEP_FAILED|SECURITY_ERR)/,
  'subresource-filter': /NS_ERROR_(TRACKING|CRYPTOMINING|FINGERPRINTING|SOCIALTRACKING|EMAILTRACKING)_URI/,
};

/**
 * Gives each answer the connection that it came over: one for each pair of ends, numbered as they came. What was sent first on one found it new.
 *
 * @param carriers connections by answer, from Firefox's own code
 */
export function nameConnections(events: readonly NetworkEvent[], carriers: readonly Carrier[]): NetworkEvent[] {
  const carrierOf = new Map(carriers.map((carrier) => [`${carrier.request} ${carrier.redirectCount}`, carrier]));
  const hops = new Map<string, number>();
  const connections = new Map<string, { id: number; opener: string; sentAt: number }>();
  const named = new Map<SlimResponse, string>();
  const name = (response: SlimResponse, requestId: string, hop: number): SlimResponse => {
    const exchange = `${requestId.replace(/-.*/, '')} ${hop}`;
    const carrier = carrierOf.get(exchange);
    // Data URLs and what the memory of a page's process has are numbered by that process, and may have the number of a request.
    if (carrier === undefined || response.timing === undefined || !/^https?:/.test(response.url)) return response;
    const { localAddress, localPort, remoteAddress, remotePort } = carrier;
    // Ports of TCP and UDP may be the same.
    const ends = [response.protocol?.startsWith('h3') === true, localAddress, localPort, remoteAddress, remotePort].join(' ');
    const sentAt = response.timing.requestTime * 1_000 + response.timing.sendStart;
    const known = connections.get(ends);
    const id = known?.id ?? connections.size + 1;
    const own: SlimResponse = {
      ...response,
      connectionId: id,
      connectionReused: true,
      remoteIPAddress: bracketed(remoteAddress),
      remotePort,
    };
    if (known === undefined || sentAt < known.sentAt) connections.set(ends, { id, opener: exchange, sentAt });
    named.set(own, exchange);
    return own;
  };
  const renumbered = events.map((event): NetworkEvent => {
    const { requestId } = event.params;
    if (event.method === 'Network.requestWillBeSent') {
      const hop = hops.get(requestId) ?? 0;
      const { redirectResponse } = event.params;
      if (redirectResponse === undefined) return event;
      hops.set(requestId, hop + 1);
      return { ...event, params: { ...event.params, redirectResponse: name(redirectResponse, requestId, hop) } };
    }
    if (event.method !== 'Network.responseReceived') return event;
    return { ...event, params: { ...event.params, response: name(event.params.response, requestId, hops.get(requestId) ?? 0) } };
  });
  const openers = new Set([...connections.values()].map(({ opener }) => opener));
  for (const [response, exchange] of named) response.connectionReused = !openers.has(exchange);
  return renumbered;
}
