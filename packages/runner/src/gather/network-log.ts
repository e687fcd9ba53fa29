// Keeps the network events of a visit, and knows what is still open.
import { createHash } from 'node:crypto';
import type { Limits } from '@pronghorn/core/schemas';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { CDPSession } from 'puppeteer-core';
import type { LoadEnd, NetworkEvent, SlimResponse, Socket } from './evidence.ts';

export class NetworkLog {
  readonly events: NetworkEvent[] = [];
  readonly bodyBytes: Record<string, number> = {};
  readonly receivedBytes: Record<string, number> = {};
  readonly sockets: Socket[] = [];
  /** Requests without an end, by id. */
  readonly open = new Set<string>();
  requests = 0;
  transferBytes = 0;
  /** Loaders of the main frame, in the order of their requests: more than one means that the page moved on. */
  readonly mainLoaders: { loaderId: string; url: string }[] = [];
  /** Why the document broke off: Chrome then never fires the load event. */
  documentFailure: string | undefined;
  #mainFrameId: string | undefined;
  readonly #onActivity: () => void;

  /** @param onActivity called whenever a request starts, gets data or ends */
  constructor(onActivity: () => void) {
    this.#onActivity = onActivity;
  }

  set mainFrameId(id: string) {
    this.#mainFrameId = id;
  }

  /** Listens to one session: the page's own, or that of a frame or worker in another process. */
  async attend(session: CDPSession): Promise<void> {
    session.on('Network.requestWillBeSent', (params) => this.#requestWillBeSent(params));
    session.on('Network.responseReceived', (params) => {
      this.#keep({ method: 'Network.responseReceived', params: { ...params, response: slimResponse(params.response) } });
    });
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
      // Redirects have theirs too; only what the cache answers in place of the network hides its status.
      if (statusCode === 304) this.#keep({ method: 'Network.responseReceivedExtraInfo', params: { requestId, statusCode } });
    });
    session.on('Network.requestServedFromCache', (params) => this.#keep({ method: 'Network.requestServedFromCache', params }));
    session.on('Network.dataReceived', ({ requestId, dataLength, encodedDataLength }) => {
      this.bodyBytes[requestId] = (this.bodyBytes[requestId] ?? 0) + dataLength;
      this.receivedBytes[requestId] = (this.receivedBytes[requestId] ?? 0) + encodedDataLength;
      this.transferBytes += encodedDataLength;
      this.#onActivity();
    });
    session.on('Network.loadingFinished', (params) => {
      this.open.delete(params.requestId);
      this.#keep({ method: 'Network.loadingFinished', params });
    });
    session.on('Network.loadingFailed', (params) => {
      this.open.delete(params.requestId);
      // The document's request has its loader's id. The navigation itself reports that it was aborted.
      if (params.requestId === this.mainLoaders.at(-1)?.loaderId && params.errorText !== 'net::ERR_ABORTED') {
        this.documentFailure = params.errorText;
      }
      this.#keep({ method: 'Network.loadingFailed', params });
    });
    session.on('Network.webSocketCreated', ({ url }) => this.sockets.push({ kind: 'websocket', url: slimUrl(url) }));
    session.on('Network.webTransportCreated', ({ url }) => this.sockets.push({ kind: 'webtransport', url: slimUrl(url) }));
    // Bodies are not wanted: without buffers Chrome doesn't copy them.
    await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 });
  }

  /** Why requests end the load: its document broke off, or the page is too big; undefined: it goes on. */
  endWithin({ maxRequests, maxTransferBytes }: Pick<Limits, 'maxRequests' | 'maxTransferBytes'>): LoadEnd | undefined {
    const { requests, transferBytes, documentFailure } = this;
    if (documentFailure !== undefined) return { kind: 'navigation-failed', error: documentFailure };
    return requests > maxRequests || transferBytes > maxTransferBytes ? { kind: 'too-big', requests, transferBytes } : undefined;
  }

  #requestWillBeSent(params: Cdp.Network.RequestWillBeSentEvent): void {
    if (params.type === 'Document' && params.frameId === this.#mainFrameId && params.redirectResponse === undefined) {
      this.mainLoaders.push({ loaderId: params.loaderId, url: slimUrl(params.request.url) });
    }
    this.requests += 1;
    this.open.add(params.requestId);
    const { url, urlFragment, method, initialPriority, referrerPolicy, isLinkPreload, mixedContentType } = params.request;
    const request = { url: slimUrl(url), method, initialPriority, referrerPolicy, headers: {} };
    const { redirectResponse, ...sent } = params;
    this.#keep({
      method: 'Network.requestWillBeSent',
      params: {
        ...sent,
        documentURL: slimUrl(params.documentURL),
        request: {
          ...request,
          ...(urlFragment === undefined ? {} : { urlFragment: slimUrl(urlFragment) }),
          ...(isLinkPreload === undefined ? {} : { isLinkPreload }),
          ...(mixedContentType === undefined ? {} : { mixedContentType }),
        },
        initiator: slimInitiator(params.initiator),
        ...(redirectResponse === undefined ? {} : { redirectResponse: slimResponse(redirectResponse) }),
      },
    });
  }

  #keep(event: NetworkEvent): void {
    this.events.push(event);
    this.#onActivity();
  }
}

/** A visit of 10,000 URLs of 2 MB could not be sent. Data URLs carry their whole content, and are alike by their beginning. */
export function slimUrl(url: string): string {
  if (!url.startsWith('data:')) return cutText(url);
  return url.length > 100 ? `${url.slice(0, 100)}…` : url;
}

// A page decides how long its URLs are: Chrome takes 2 MB. What is stored of a visit is bounded.

/** With the hash behind it a text has less than core's `maxTextLength`. */
const maxCharacters = 8_000;

/** @returns its beginning and a hash of the whole, so that long texts that begin alike stay distinct. What is cut ends as `redactor` expects it: … */
export function cutText(text: string, max = maxCharacters): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}…sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Keeps only the top of the stack that led to a request: it names the script. */
function slimInitiator(initiator: Cdp.Network.Initiator): Cdp.Network.Initiator {
  const { type, url, stack } = initiator;
  const top = topOf(stack);
  return {
    type,
    ...(url === undefined ? {} : { url: slimUrl(url) }),
    ...(top === undefined ? {} : { stack: { callFrames: [{ ...top, url: slimUrl(top.url) }] } }),
  };
}

function topOf(stack: Cdp.Runtime.StackTrace | undefined): Cdp.Runtime.CallFrame | undefined {
  for (let at = stack; at !== undefined; at = at.parent) if (at.callFrames[0] !== undefined) return at.callFrames[0];
  return undefined;
}

/** @param name in lower case */
export const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

function slimResponse(response: Cdp.Network.Response): SlimResponse {
  const { securityDetails, requestHeaders, requestHeadersText, headersText, ...slim } = response;
  const headers = Object.fromEntries(Object.entries(slim.headers).filter(([name]) => name.toLowerCase() !== 'set-cookie'));
  return { ...slim, url: slimUrl(slim.url), headers, ...(securityDetails === undefined ? {} : { security: securityDetails.protocol }) };
}
