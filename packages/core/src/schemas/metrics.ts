// What a valid visit measures of its page. All times are milliseconds since navigation start (`performance.timeOrigin`).
import Type, { type Static } from 'typebox';
import { literalKeys } from './keys.ts';

const ms = (description: string) => Type.Number({ minimum: 0, description: `${description} Milliseconds.` });
/** For what a page may truly lack: a blank page has no first paint. */
const msOrNull = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: `${description} Milliseconds.` });
const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The metrics of a page that a comparison can be made of, and that have one number for each visit. */
const metricProperties = {
  onLoad: ms('Start of the load event (Trevisan et al. 2021).'),
  loadEventEnd: ms('End of the load event’s handlers.'),
  domContentLoaded: ms('Start of the DOMContentLoaded event.'),
  ttfb: ms('First byte of the main document, redirects included.'),
  firstPaint: msOrNull('First paint (Paint Timing).'),
  firstContentfulPaint: msOrNull('First contentful paint (Paint Timing).'),
  largestContentfulPaint: msOrNull('Largest contentful paint until the visit ended.'),
  cumulativeLayoutShift: Type.Number({ minimum: 0, description: 'Largest session window of layout shifts (web.dev/cls).' }),
  speedIndex: msOrNull('SpeedIndex from the frames of the viewport, by speedline.'),
  firstVisualChange: msOrNull('First frame that differs from the blank viewport.'),
  lastVisualChange: msOrNull('Last frame that differs from the one before.'),
  totalBlockingTime: ms('Time of long tasks beyond 50 ms each, from first contentful paint to the end of the visit.'),
  linkedDownload: ms('Until all linked assets are there; requests started by scripts are not linked (Kiwee 2023).'),
  requests: count('Requests that went to the network.'),
  transferBytes: count('Bytes received, headers included.'),
  connections: count('Distinct connections that carried a response.'),
  hosts: count('Distinct hosts that answered.'),
  failedRequests: count('Requests that failed on the network.'),
  h1Share: share('Share of objects that came over HTTP/1.x.'),
  h2Share: share('Share of objects that came over HTTP/2.'),
  h3Share: share('Share of objects that came over HTTP/3.'),
  h1ByteShare: share('Share of bytes that came over HTTP/1.x.'),
  h2ByteShare: share('Share of bytes that came over HTTP/2.'),
  h3ByteShare: share('Share of bytes that came over HTTP/3.'),
  largestConnectionShare: share('Share of objects on the connection that carried most.'),
};

export const Metrics = Type.Object(metricProperties, { description: 'What a valid visit measured.' });
export type Metrics = Static<typeof Metrics>;

export type MetricName = keyof Metrics;
export const metricNames = literalKeys(metricProperties);
export const MetricName = Type.Enum(metricNames, { description: 'A metric of a page.' });
