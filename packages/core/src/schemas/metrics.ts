// What a valid visit measures of its page. All times are milliseconds since navigation start (`performance.timeOrigin`).
import Type, { type Static } from 'typebox';
import { literalKeys } from './keys.ts';

const ms = (description: string) => Type.Number({ minimum: 0, description: `${description} Milliseconds.` });
/** For what a page may truly lack, as a blank page has no first paint, or a browser may not tell. */
const msOrNull = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: `${description} Milliseconds.` });
const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/**
 * The metrics of a page that a comparison can be made of, and that have one number for each visit. Each says how far it compares with
 * the number of the same name elsewhere: CrUX and web-vitals look at a visitor's whole stay, Lighthouse ends a page by rules of its own,
 * WebPageTest waits for 2 s without network.
 *
 * Interaction to Next Paint is not among them: nobody clicks in a load.
 */
const metricProperties = {
  onLoad: ms('Start of the load event (Trevisan et al. 2021): WebPageTest’s load time, browsertime’s pageLoadTime less the handlers.'),
  loadEventEnd: ms('End of the load event’s handlers.'),
  domContentLoaded: ms('Start of the DOMContentLoaded event.'),
  ttfb: ms(
    'First byte of the first answer to the document’s request, redirects included: `responseStart`, as CrUX and WebPageTest have it. Where a 103 (Early Hints) comes first, it is the byte of that.',
  ),
  documentHeaders: msOrNull(
    'First byte of the document’s own headers, redirects included: `finalResponseHeadersStart`. Later than ttfb only where a 103 came before; null where the browser does not tell it.',
  ),
  firstPaint: msOrNull('First paint (Paint Timing).'),
  firstContentfulPaint: msOrNull('First contentful paint (Paint Timing): what CrUX, Lighthouse and WebPageTest call FCP.'),
  largestContentfulPaint: msOrNull(
    'Largest contentful paint until the visit ended. In CrUX it goes on until the visitor’s first click, key or scroll, so it can be later there.',
  ),
  cumulativeLayoutShift: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description:
      'Largest session window of layout shifts (web.dev/cls), of the main frame until the visit ended; null where the browser tells none, as Firefox. CrUX counts the frames within and the whole stay, so it can be higher there.',
  }),
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
  requests: count('Requests that went to the network, what an Early Hint preloaded among them.'),
  transferBytes: count(
    'Bytes received, headers included; of what did not finish, what had come. Without WebSockets. Of Firefox bodies that finished alone, over all protocols alike.',
  ),
  finishedBytes: count('Bytes of the requests that finished: what protocols are held against each other by.'),
  connections: count('Distinct connections that carried a response: without those opened ahead and never used, and without WebSockets.'),
  hosts: count('Distinct hosts that answered.'),
  failedRequests: count(
    'Objects that the page lacks: the network failed them, or their server did a style sheet, script, picture or font (5xx, 429). Without pings and prefetches.',
  ),
  blockedRequests: count(
    'Requests that a policy (CSP, mixed content, CORS, ORB, …) or the page itself stopped: not failures of the network.',
  ),
  webSockets: count('WebSockets and WebTransport sessions that the page opened: in no other count.'),
  h1Share: share('Share of objects that came over HTTP/1.x.'),
  h2Share: share('Share of objects that came over HTTP/2.'),
  h3Share: share('Share of objects that came over HTTP/3.'),
  h1ByteShare: share('Share of bytes that came over HTTP/1.x.'),
  h2ByteShare: share('Share of bytes that came over HTTP/2.'),
  h3ByteShare: share('Share of bytes that came over HTTP/3.'),
  largestConnectionShare: share('Share of objects on the connection that carried most.'),
  ipv6Share: share('Share of objects that came over IPv6.'),
};

export const Metrics = Type.Object(metricProperties, { description: 'What a valid visit measured.' });
export type Metrics = Static<typeof Metrics>;

export type MetricName = keyof Metrics;
export const metricNames = literalKeys(metricProperties);
export const MetricName = Type.Enum(metricNames, { description: 'A metric of a page.' });
