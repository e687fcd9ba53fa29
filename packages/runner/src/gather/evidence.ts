// The raw evidence of one page load: what Chrome said, with the least processing, so that it can be derived again later.
import type { CpuGauge, Discovery, Protocol, View } from '@pronghorn/core';
import type { Protocol as Cdp } from 'devtools-protocol';

/** A response without certificate and request headers; of its security only over what: `TLS 1.3`, `QUIC`, … */
export type SlimResponse = Omit<Cdp.Network.Response, 'securityDetails' | 'requestHeaders'> & { security?: string };

/** A DevTools event as it came, without request headers and bodies, which prove nothing and may hold secrets. */
export type NetworkEvent =
  | {
      method: 'Network.requestWillBeSent';
      params: Omit<Cdp.Network.RequestWillBeSentEvent, 'redirectResponse'> & { redirectResponse?: SlimResponse };
    }
  | { method: 'Network.responseReceived'; params: Omit<Cdp.Network.ResponseReceivedEvent, 'response'> & { response: SlimResponse } }
  /** The status on the network, which is 304 where the response above is the cache's with status 200. */
  | { method: 'Network.responseReceivedExtraInfo'; params: Pick<Cdp.Network.ResponseReceivedExtraInfoEvent, 'requestId' | 'statusCode'> }
  | { method: 'Network.requestServedFromCache'; params: Cdp.Network.RequestServedFromCacheEvent }
  | { method: 'Network.loadingFinished'; params: Cdp.Network.LoadingFinishedEvent }
  | { method: 'Network.loadingFailed'; params: Cdp.Network.LoadingFailedEvent };

/** What the page's own performance timeline says, read in a world that the page's scripts can't reach. */
export interface PageTimings {
  /** Milliseconds since the epoch. */
  timeOrigin: number;
  url: string;
  navigation: {
    responseStart: number;
    domContentLoadedEventStart: number;
    loadEventStart: number;
    loadEventEnd: number;
    nextHopProtocol: string;
  };
  firstPaint: number | null;
  firstContentfulPaint: number | null;
  largestContentfulPaint: number | null;
  layoutShifts: { startTime: number; value: number }[];
  longTasks: { startTime: number; duration: number }[];
  /** When the timings were read, milliseconds since timeOrigin. */
  readAt: number;
}

export interface Frame {
  /** Milliseconds since the epoch. */
  timestamp: number;
  jpegBase64: string;
}

/** How the load ended, before anyone judges it. */
export type LoadEnd =
  /** Load fired, then it became quiet. */
  | { kind: 'quiet' }
  /** Load fired, and it was still busy when the time to settle was over. */
  | { kind: 'settle-cut' }
  | { kind: 'navigation-failed'; error: string }
  | { kind: 'download' }
  | { kind: 'load-timeout'; afterMs: number; openRequests: number }
  | { kind: 'left-page'; to: string }
  | { kind: 'too-big'; requests: number; transferBytes: number }
  | { kind: 'tab-crashed' }
  | { kind: 'browser-crashed' };

/** What the visit was asked to be. */
export interface Asked {
  url: string;
  protocol: Protocol;
  discovery: Discovery;
  view: View;
  /** host:port of the hosts that Chrome was told to reach over HTTP/3 only. */
  forced: readonly string[];
  expectStatus: number;
  /** The host that discovery ended on. */
  finalHost: string;
}

export interface Evidence {
  version: 1;
  startedAt: string;
  end: LoadEnd;
  network: NetworkEvent[];
  /** Bytes of body after decompression, by request id: the sum of Network.dataReceived. */
  bodyBytes: Record<string, number>;
  /** Null when the page could not be read: it failed, hung or crashed. */
  page: PageTimings | null;
  frames: Frame[];
  cpu: CpuGauge;
  /** How long CPU limits stopped the runner, summed over cores; not in evidence of before 2026-11-22. */
  throttledMs?: number;
}
