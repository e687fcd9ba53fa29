// What a valid visit measures: for a page, in milliseconds since navigation start (`performance.timeOrigin`); or for a run of REST calls.
import Type, { type Static } from 'typebox';
import { metricNames, type MetricName as Name } from '../vocabulary/metric.ts';
import { count, orNull, share } from './fields.ts';

const ms = (description: string) => Type.Number({ minimum: 0, description: `${description} Milliseconds.` });
/** For values that a page may lack, as a blank page has no first paint, or that a browser may not report. */
const msOrNull = (description: string) => orNull(Type.Number({ minimum: 0 }), `${description} Milliseconds.`);

const countOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), description);
const bytesOrNull = (description: string) => orNull(Type.Integer({ minimum: 0 }), `${description} Bytes.`);
const costs = (description: string) => orNull(Type.Number({ minimum: 0 }), `${description} Microseconds.`);

/** Shared by pages and runs of REST calls: shows whether protocols did the same work. */
const traffic = {
  ttfb: ms(
    'Time to first byte. For a page: of the first response to its document, redirects included (`responseStart`), as in CrUX and WebPageTest; the byte of a 103 (Early Hints) if that comes first. For REST calls: the median of the requests, from the first byte sent.',
  ),
  requests: count('Requests sent to the network, including Early Hint preloads.'),
  transferBytes: count(
    'Bytes received, including headers and the received part of unfinished requests, without WebSockets. Firefox: finished bodies only, over all protocols alike. REST calls: bodies only.',
  ),
  finishedBytes: count('Bytes of finished requests, by which protocols are compared.'),
  connections: count(
    'Distinct connections that carried a response, without connections that were opened ahead and never used, and without WebSockets.',
  ),
  failedRequests: count(
    'For a page: missing objects, because the network failed them or, for style sheets, scripts, pictures and fonts, their server did (5xx, 429); without pings and prefetches. For REST calls: unsuccessful requests.',
  ),
  h1Share: share('Share of objects that came over HTTP/1.x.'),
  h2Share: share('Share of objects that came over HTTP/2.'),
  h3Share: share('Share of objects that came over HTTP/3.'),
  h1ByteShare: share('Share of bytes that came over HTTP/1.x.'),
  h2ByteShare: share('Share of bytes that came over HTTP/2.'),
  h3ByteShare: share('Share of bytes that came over HTTP/3.'),
  largestConnectionShare: share('Share of objects on the busiest connection.'),
  ipv6Share: share('Share of objects that came over IPv6.'),
};

/**
 * The metrics of a page that can be compared: one number for each visit. Each description says how the metric relates to the one of the same
 * name elsewhere: CrUX and web-vitals cover a visitor's whole stay, Lighthouse ends a page by its own rules, WebPageTest waits for 2 s without
 * network.
 *
 * Interaction to Next Paint is missing: nobody clicks during a load.
 */
const pageProperties = {
  onLoad: ms(
    'Start of the load event (Trevisan et al. 2021): WebPageTest’s load time, and browsertime’s pageLoadTime without the handlers.',
  ),
  loadEventEnd: ms('End of the load event’s handlers.'),
  domContentLoaded: ms('Start of the DOMContentLoaded event.'),
  ttfb: traffic.ttfb,
  documentHeaders: msOrNull(
    'First byte of the document’s own headers, redirects included: `finalResponseHeadersStart`. Later than ttfb only after a 103; null if the browser does not report it.',
  ),
  firstPaint: msOrNull('First paint (Paint Timing).'),
  firstContentfulPaint: msOrNull('First contentful paint (Paint Timing): FCP in CrUX, Lighthouse and WebPageTest.'),
  largestContentfulPaint: msOrNull(
    'Largest contentful paint before the visit ended. In CrUX it continues until the visitor’s first click, key or scroll, so it can be later there.',
  ),
  cumulativeLayoutShift: orNull(
    Type.Number({ minimum: 0 }),
    'Largest session window of layout shifts (web.dev/cls) in the main frame until the visit ended; null if the browser does not report them, as Firefox. CrUX includes inner frames and the whole stay, so it can be higher there.',
  ),
  speedIndex: msOrNull(
    'SpeedIndex from the frames of the viewport, as WebPageTest and Lighthouse define it; null without frames, as from Firefox. A frame shows a change one to two 60 Hz intervals after it arrived.',
  ),
  firstVisualChange: msOrNull('First frame that differs from the blank viewport.'),
  lastVisualChange: msOrNull('Last frame that differs from the previous one. Null where anything moves without end, too.'),
  totalBlockingTime: msOrNull(
    'Time beyond 50 ms of each long task of the main frame, from first contentful paint to the end of the visit; null without a paint, or if the browser does not report tasks, as Firefox. Lighthouse ends at its Time to Interactive.',
  ),
  linkedDownload: msOrNull(
    'Time until all linked assets are loaded; requests started by scripts are not linked (Kiwee 2023). Null if the browser doesn’t report which ones are, as Firefox.',
  ),
  requests: traffic.requests,
  transferBytes: traffic.transferBytes,
  finishedBytes: traffic.finishedBytes,
  connections: traffic.connections,
  hosts: count('Distinct hosts that answered.'),
  failedRequests: traffic.failedRequests,
  blockedRequests: count(
    'Requests that a policy (CSP, mixed content, CORS, ORB, …) or the page itself blocked: not failures of the network.',
  ),
  webSockets: count('WebSockets and WebTransport sessions that the page opened; they are in no other count.'),
};

/** The metrics of a page: one number for each visit. */
export const PageMetrics = Type.Object({ ...pageProperties, ...traffic }, { description: 'Measurements of a page, by a valid visit.' });
export type PageMetrics = Static<typeof PageMetrics>;

/**
 * The metrics of one run of REST calls. A sample is a run, not a request, because requests of a run share connections, queues and moments.
 * A failed request counts as its time limit, or as the longest wait for any request: longer than every successful one.
 */
const transactionProperties = {
  responseTime: ms(
    'Median of the times from when a request was due. At a fixed rate that can be before its first byte is sent, if the client waits for earlier requests: corrected for coordinated omission (Tene).',
  ),
  responseTimeMean: ms('Mean response time.'),
  responseTimeP95: ms('95th percentile of the response times.'),
  responseTimeP99: ms('99th percentile of the response times.'),
  latency: ms('Median latency of the requests, from the first byte sent to the last byte received.'),
  latencyMean: ms('Mean latency.'),
  latencyP90: ms('90th percentile of the latencies.'),
  latencyP95: ms('95th percentile of the latencies.'),
  latencyP99: ms('99th percentile of the latencies.'),
  latencyMax: ms('Latency of the slowest request.'),
  ttfbMean: ms('Mean time to first byte.'),
  ttfbP95: ms('95th percentile of the times to first byte.'),
  ttfbP99: ms('99th percentile of the times to first byte.'),
  timePerRequest: ms('Duration of the run ÷ successful requests: 1,000 ÷ requestsPerSecond, so that less is better.'),
  handshake: msOrNull(
    'Median handshake of the connections, from the first packet until requests can be sent: TCP and TLS, or QUIC. Null if the client does not report it, as Chrome.',
  ),
  requestsPerSecond: Type.Number({ minimum: 0, description: 'Successful requests ÷ duration of the run.' }),
  bytesPerSecond: Type.Number({ minimum: 0, description: 'Bytes of bodies, sent and received, ÷ duration of the run.' }),
  sentBytes: count('Bytes of the request bodies.'),
  clientCpu: costs('CPU time of the client per request sent.'),
  serverCpu: costs('CPU time of the server per request sent; null unless it is the built-in server.'),
  clientMemory: bytesOrNull('Peak memory of the client.'),
  serverMemory: bytesOrNull('Peak memory of the built-in server during the run, including what it needs at rest.'),
  packets: countOrNull('Packets sent and received by the client’s connections; null if the kernel does not report them.'),
  resentPackets: countOrNull('Packets that the client retransmitted.'),
};

export const TransactionMetrics = Type.Object(
  { ...transactionProperties, ...traffic },
  { description: 'Measurements of a valid run of REST calls, by the engine transaction.' },
);
export type TransactionMetrics = Static<typeof TransactionMetrics>;

export const Metrics = Type.Union([PageMetrics, TransactionMetrics], { description: 'Measurements of a valid visit.' });
export type Metrics = Static<typeof Metrics>;

export type MetricName = Name;
export const MetricName = Type.Enum([...metricNames], { description: 'A metric of a page, or of a run of REST calls.' });

export const isOfPage = (metrics: Metrics): metrics is PageMetrics => 'onLoad' in metrics;
