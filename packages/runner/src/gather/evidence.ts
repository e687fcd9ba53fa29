// The raw evidence of one page load, with the least processing, so that metrics can be derived from it again later.
import type { CpuGauge, DiscoveredAnswer, ProgressPoint, Settled } from '@pronghorn/core/schemas';
import type { Discovery, Protocol, View } from '@pronghorn/core/vocabulary';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { Watched } from '../link/agent-link.ts';
import type { Netlog } from './netlog.ts';

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

/** The page's own performance timeline, read in a world that the page's scripts can't reach. */
export interface PageTimings {
  /** Milliseconds since the epoch. */
  timeOrigin: number;
  /** Start of the document that is measured, milliseconds since timeOrigin; absent: 0, the page did not move on by itself. */
  documentAt?: number;
  url: string;
  navigation: {
    /** First byte of the first answer, an interim one (103) too. */
    responseStart: number;
    /** First byte of the final answer's headers; 0 where the browser gives none. */
    finalResponseHeadersStart: number;
    domContentLoadedEventStart: number;
    loadEventStart: number;
    loadEventEnd: number;
    nextHopProtocol: string;
  };
  firstPaint: number | null;
  firstContentfulPaint: number | null;
  largestContentfulPaint: number | null;
  /** Of what was painted then, square pixels; absent: unknown. */
  largestContentfulSize?: number;
  /** Null: the browser doesn't report them, as Firefox. */
  layoutShifts: { startTime: number; value: number }[] | null;
  /** Null: the browser doesn't report them, as Firefox. */
  longTasks: { startTime: number; duration: number }[] | null;
  /** Hints by which the document asks Chrome to prepare something, such as `preconnect https://cdn.example/`. */
  hints: string[];
  /** When the timings were read, milliseconds since timeOrigin. */
  readAt: number;
}

/** A WebSocket or a WebTransport session that the page opened: none of them is a request, and none of their bytes is in one. */
export interface Socket {
  kind: 'websocket' | 'webtransport';
  url: string;
}

export interface Frame {
  /** Milliseconds since the epoch. */
  timestamp: number;
  jpegBase64: string;
}

/** The colours of a frame that was shown and is not kept as a picture: SpeedIndex needs no more of it. */
export interface DroppedFrame {
  /** Milliseconds since the epoch. */
  timestamp: number;
  histogram: string;
}

/** Metrics of a video that begins with the navigation; milliseconds. */
interface VideoMetrics {
  speedIndex: number;
  firstVisualChange: number;
  lastVisualChange: number;
  curve: ProgressPoint[];
}

/** How the load ended, before any judgement. */
export type LoadEnd =
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

export interface VisitRequest {
  url: string;
  protocol: Protocol;
  discovery: Discovery;
  view: View;
  /** host:port of the hosts that Chrome must reach over HTTP/3 only. */
  forced: readonly string[];
  expectStatus: number;
  /** URL on which discovery ended. */
  finalUrl: string;
  /** The page as discovery found it; null: this is the discovery. */
  usual: Usual | null;
}

/** The content of a page when nothing is wrong, as discovery found it. */
export interface Usual {
  /** Objects that each host:port answered for. */
  hosts: Readonly<Record<string, number>>;
  requests: number;
  /** Different ones, see `differentUrls`. Absent: unknown. */
  urls?: number;
  /** URLs without queries that failed there already; where `answers` are known, they tell. */
  broken: readonly string[];
  /** Absent: unknown. */
  answers?: readonly DiscoveredAnswer[];
}

export interface Evidence {
  version: 1;
  startedAt: string;
  end: LoadEnd;
  network: NetworkEvent[];
  /** Bytes of body after decompression, by request id: the sum of Network.dataReceived. */
  bodyBytes: Record<string, number>;
  /**
   * Bytes of body as they came over the network, by request id: the sum of Network.dataReceived. Nothing else reports them for
   * requests that never finished.
   */
  receivedBytes: Record<string, number>;
  sockets: Socket[];
  /** Null when the page could not be read: it failed, hung or crashed. */
  page: PageTimings | null;
  frames: Frame[];
  /** Frames left out of `frames`, which were too many bytes. */
  dropped?: DroppedFrame[];
  /** Numbers of a video made in place of frames; null: none was requested, or the page was missing. Absent: frames. */
  video?: VideoMetrics | { failure: string } | null;
  /** How the page came to rest, if the load event fired; browsertime does not report it. */
  settled?: Settled;
  /**
   * Documents of the main frame in their order, where it moved on by itself; the last one is the page. Times are since the start of the first one.
   * A document's loader has the id of its request.
   */
  documents?: { loaderId: string; url: string }[];
  /**
   * Ids of its connections that earlier loads of the same Chrome had used; none for a first view. A connection can be new and yet reused by the
   * document: Chrome may connect as soon as a navigation begins, and repeats a request that a server answered with 425 (RFC 8470) on the same one.
   * Absent: unknown.
   */
  earlierConnections?: number[];
  /**
   * Facts that the browser can't report, so that what is derived from them is unknown: frames of the page; which script asked for a request; sizes of headers that came
   * compressed, of bodies after decompression, and of bodies that did not finish. Absent: it reports all.
   */
  untold?: readonly ('frames' | 'scripts' | 'sizes')[];
  cpu: CpuGauge;
  /** Present if requested: what Chrome's network stack logged. Null: Chrome gave none, or lost some of it. */
  netlog?: Netlog | null;
  /** How long CPU limits stopped the runner, summed over cores. */
  throttledMs: number;
}

/** The document that `GET /visits/:id/evidence` returns, as gzipped JSON. `evidence.version` is the version of its format. */
export interface EvidenceDocument {
  asked: VisitRequest;
  evidence: Evidence;
  /** The visual progress curve, derived from the frames. Null where there is none. */
  progress: ProgressPoint[] | null;
  /** Packets, bytes and drops of each of the link's devices. Absent where nothing shapes. */
  linkCounters?: Watched['counters'];
}
