// What a valid visit measures: of a page, in milliseconds since navigation start (`performance.timeOrigin`), or of a run of REST calls.
import Type, { type Static } from 'typebox';
import { metricNames, type MetricName as Name } from '../vocabulary/metric.ts';
import { count, orNull, share } from './fields.ts';

const ms = (description: string) => Type.Number({ minimum: 0, description: `${description} Milliseconds.` });
/** For what a page may truly lack, as a blank page has no first paint, or a browser may not tell. */
const msOrNull = (description: string) => orNull(Type.Number({ minimum: 0 }), `${description} Milliseconds.`);

const countOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), description);
const bytesOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), `${description} Bytes.`);
const costs = (description: string) => orNull(Type.Number({ minimum: 0 }), `${description} Microseconds.`);

/** Of a page and of a run of REST calls alike: what shows whether protocols did the same. */
const traffic = {
  ttfb: ms(
    'First byte of the answer. Of a page: of the first answer to its document, redirects included, `responseStart`, as CrUX and WebPageTest have it; where a 103 (Early Hints) comes first, it is the byte of that. Of REST calls: the median of the requests, from the first byte sent.',
  ),
  requests: count('Requests that went to the network, what an Early Hint preloaded among them.'),
  transferBytes: count(
    'Bytes received, headers included; of what did not finish, what had come. Without WebSockets. Of Firefox bodies that finished alone, over all protocols alike; of REST calls bodies alone.',
  ),
  finishedBytes: count('Bytes of the requests that finished: what protocols are held against each other by.'),
  connections: count('Distinct connections that carried a response: without those opened ahead and never used, and without WebSockets.'),
  failedRequests: count(
    'Of a page: objects that it lacks, since the network failed them, or their server did a style sheet, script, picture or font (5xx, 429); without pings and prefetches. Of REST calls: those without a success.',
  ),
  h1Share: share('Share of objects that came over HTTP/1.x.'),
  h2Share: share('Share of objects that came over HTTP/2.'),
  h3Share: share('Share of objects that came over HTTP/3.'),
  h1ByteShare: share('Share of bytes that came over HTTP/1.x.'),
  h2ByteShare: share('Share of bytes that came over HTTP/2.'),
  h3ByteShare: share('Share of bytes that came over HTTP/3.'),
  largestConnectionShare: share('Share of objects on the connection that carried most.'),
  ipv6Share: share('Share of objects that came over IPv6.'),
};

/**
 * The metrics of a page that a comparison can be made of, and that have one number for each visit. Each says how far it compares with
 * the number of the same name elsewhere: CrUX and web-vitals look at a visitor's whole stay, Lighthouse ends a page by rules of its own,
 * WebPageTest waits for 2 s without network.
 *
 * Interaction to Next Paint is not among them: nobody clicks in a load.
 */
const pageProperties = {
  onLoad: ms('Start of the load event (Trevisan et al. 2021): WebPageTest’s load time, browsertime’s pageLoadTime less the handlers.'),
  loadEventEnd: ms('End of the load event’s handlers.'),
  domContentLoaded: ms('Start of the DOMContentLoaded event.'),
  ttfb: traffic.ttfb,
  documentHeaders: msOrNull(
    'First byte of the document’s own headers, redirects included: `finalResponseHeadersStart`. Later than ttfb only where a 103 came before; null where the browser does not tell it.',
  ),
  firstPaint: msOrNull('First paint (Paint Timing).'),
  firstContentfulPaint: msOrNull('First contentful paint (Paint Timing): what CrUX, Lighthouse and WebPageTest call FCP.'),
  largestContentfulPaint: msOrNull(
    'Largest contentful paint until the visit ended. In CrUX it goes on until the visitor’s first click, key or scroll, so it can be later there.',
  ),
  cumulativeLayoutShift: orNull(
    Type.Number({ minimum: 0 }),
    'Largest session window of layout shifts (web.dev/cls), of the main frame until the visit ended; null where the browser tells none, as Firefox. CrUX counts the frames within and the whole stay, so it can be higher there.',
  ),
  speedIndex: msOrNull(
    'SpeedIndex from the frames of the viewport, by the definition of WebPageTest and Lighthouse; null where there are none, as of Firefox. Frames show a change one to two of 60 Hz after it arrived.',
  ),
  firstVisualChange: msOrNull('First frame that differs from the blank viewport.'),
  lastVisualChange: msOrNull('Last frame that differs from the one before.'),
  totalBlockingTime: msOrNull(
    'Time of long tasks of the main frame beyond 50 ms each, from first contentful paint to the end of the visit; null without a paint, and where the browser tells no tasks, as Firefox. Lighthouse ends at its Time to Interactive.',
  ),
  linkedDownload: msOrNull(
    'Until all linked assets are there; requests started by scripts are not linked (Kiwee 2023). Null where the browser doesn’t tell which those are, as Firefox.',
  ),
  requests: traffic.requests,
  transferBytes: traffic.transferBytes,
  finishedBytes: traffic.finishedBytes,
  connections: traffic.connections,
  hosts: count('Distinct hosts that answered.'),
  failedRequests: traffic.failedRequests,
  blockedRequests: count(
    'Requests that a policy (CSP, mixed content, CORS, ORB, …) or the page itself stopped: not failures of the network.',
  ),
  webSockets: count('WebSockets and WebTransport sessions that the page opened: in no other count.'),
};

/** The metrics of a page that have one number for each visit. */
export const PageMetrics = Type.Object({ ...pageProperties, ...traffic }, { description: 'What a valid visit measured of its page.' });
export type PageMetrics = Static<typeof PageMetrics>;

/**
 * The metrics of one run of REST calls: a sample of its own is a run, not a request, since requests of a run share connections, queues and moments.
 * A request that failed took as long as its time limit, or as the longest that any was waited for: longer than every one that did not.
 */
const transactionProperties = {
  responseTime: ms(
    'Median of the times from when a request was due. At a fixed rate that is earlier than its first byte sent, where the client waited for earlier requests: corrected for coordinated omission (Tene).',
  ),
  responseTimeMean: ms('Their mean.'),
  responseTimeP95: ms('95 % of the requests were answered so long after they were due.'),
  responseTimeP99: ms('99 % of the requests were answered so long after they were due.'),
  latency: ms('Median of the requests’ latencies, each from its first byte sent to the last one received.'),
  latencyMean: ms('Their mean.'),
  latencyP90: ms('90 % of the requests took at most so long.'),
  latencyP95: ms('95 % of the requests took at most so long.'),
  latencyP99: ms('99 % of the requests took at most so long.'),
  latencyMax: ms('The slowest request.'),
  ttfbMean: ms('Mean of the times to first byte.'),
  ttfbP95: ms('95 % of the requests had their first byte after at most so long.'),
  ttfbP99: ms('99 % of the requests had their first byte after at most so long.'),
  timePerRequest: ms('Time of the run by its successes: 1,000 divided by requestsPerSecond, so that less is better.'),
  handshake: msOrNull(
    'Median of the connections’ handshakes, from the first packet until requests can be sent: TCP and TLS, or QUIC. Null: not told, as by Chrome.',
  ),
  requestsPerSecond: Type.Number({ minimum: 0, description: 'Successes by the time of the run.' }),
  bytesPerSecond: Type.Number({ minimum: 0, description: 'Bytes of bodies, sent and received, by the time of the run.' }),
  sentBytes: count('Bytes of the bodies that were sent.'),
  clientCpu: costs('CPU time of the client for each request that was sent.'),
  serverCpu: costs('CPU time of the server for each request that was sent; null where the server is not the built-in one.'),
  clientMemory: bytesOrNull('Most that the client had in memory.'),
  serverMemory: bytesOrNull('Most that the built-in server had in memory during the run, which begins with what it needs at rest.'),
  packets: countOrNull('Packets sent and received by the client’s connections; null where the kernel does not tell.'),
  resentPackets: countOrNull('Packets that the client sent again.'),
};

export const TransactionMetrics = Type.Object(
  { ...transactionProperties, ...traffic },
  { description: 'What a valid run of REST calls measured: of the engine transaction.' },
);
export type TransactionMetrics = Static<typeof TransactionMetrics>;

export const Metrics = Type.Union([PageMetrics, TransactionMetrics], { description: 'What a valid visit measured.' });
export type Metrics = Static<typeof Metrics>;

export type MetricName = Name;
export const MetricName = Type.Enum([...metricNames], { description: 'A metric of a page, or of a run of REST calls.' });

export const isOfPage = (metrics: Metrics): metrics is PageMetrics => 'onLoad' in metrics;
