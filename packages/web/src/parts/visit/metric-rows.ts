// The metrics of one visit or two, side by side.
import type { MetricName, Metrics } from '@pronghorn/core/schemas';
import { percent, quantity, signedNumber, unitNames } from '../../text/format.ts';
import { metricNames, metricOf, metricsIn, type Unit } from '../../text/vocabulary.ts';

/** Sorted by their time in a load; sizes and counts follow. */
export const metricWords: Readonly<Record<MetricName, string>> = {
  ttfb: 'First byte of a response, including redirects and Early Hints.',
  documentHeaders: 'First byte of the document’s own headers; later than TTFB only after Early Hints.',
  firstPaint: 'The browser paints something, be it the background.',
  firstContentfulPaint: 'The first text or image is painted.',
  firstVisualChange: 'The first frame that is not blank.',
  largestContentfulPaint: 'The largest text or image of the viewport is painted, of all until the visit ended.',
  speedIndex: 'How soon the visible part looks complete, on average over its area.',
  lastVisualChange: 'The last frame that differs from the one before; none where anything moves without end.',
  domContentLoaded: 'The document is read and its blocking scripts have run.',
  onLoad: 'The load event fires: the page and everything it references are loaded.',
  loadEventEnd: 'The load event’s own scripts have run.',
  linkedDownload: 'Everything that the page references without scripts is loaded.',
  totalBlockingTime:
    'How long scripts blocked the page: the time of long tasks beyond 50 ms each, from the first content to the visit’s end.',
  cumulativeLayoutShift: 'How much the layout jumped; 0 is still, over 0.25 is poor. Without frames within the page.',
  requests: 'Requests that went to the network.',
  failedRequests: 'Objects that failed on the network or at their server.',
  blockedRequests: 'Stopped by a policy (CSP, CORS, …) or by the page itself.',
  transferBytes: 'Received on the network, including headers and unfinished responses.',
  finishedBytes: 'Received by requests that finished.',
  connections: 'Connections that carried a response.',
  webSockets: 'WebSockets and WebTransport sessions; not counted elsewhere.',
  hosts: 'Hosts that answered.',
  h3Share: 'Share of the objects that came over the network.',
  h2Share: 'Share of the objects that came over the network.',
  h1Share: 'Share of the objects that came over the network.',
  h3ByteShare: 'Share of the bytes received.',
  h2ByteShare: 'Share of the bytes received.',
  h1ByteShare: 'Share of the bytes received.',
  largestConnectionShare: 'Share of the objects on the busiest connection.',
  ipv6Share: 'Share of the objects that came over the network.',
  responseTime: 'From when a request was due until its last byte: the median.',
  responseTimeMean: 'Mean of the response times.',
  responseTimeP95: 'Response time that 95 % of the requests stay within.',
  responseTimeP99: 'Response time that 99 % of the requests stay within.',
  latency: 'From a request’s first byte sent to the last one received: the median.',
  latencyMean: 'Mean of the latencies.',
  latencyP90: 'Latency that 90 % of the requests stay within.',
  latencyP95: 'Latency that 95 % of the requests stay within.',
  latencyP99: 'Latency that 99 % of the requests stay within.',
  latencyMax: 'The slowest request.',
  ttfbMean: 'Mean of the times to first byte.',
  ttfbP95: 'Time to first byte that 95 % of the requests stay within.',
  ttfbP99: 'Time to first byte that 99 % of the requests stay within.',
  timePerRequest: 'The run’s time divided by its successes.',
  handshake: 'From the first packet until requests can be sent, in the median of the connections.',
  requestsPerSecond: 'Successes divided by the run’s time.',
  bytesPerSecond: 'Bytes of bodies, sent and received, divided by the run’s time.',
  sentBytes: 'Bytes of bodies sent.',
  clientCpu: 'CPU time of the client for each request sent.',
  serverCpu: 'CPU time of the built-in server for each request sent.',
  clientMemory: 'Peak memory of the client.',
  serverMemory: 'Peak memory of the built-in server during the run.',
  packets: 'Packets of the client’s connections, sent and received.',
  resentPackets: 'Packets that the client took for lost and sent again.',
};

/** Metrics with another meaning in runs. */
const runWords: Readonly<Partial<Record<MetricName, string>>> = {
  ttfb: 'From a request’s first byte sent to the first one received: the median.',
  requests: 'Requests that were sent, or were due and could not be.',
  failedRequests:
    'Requests without success. Each counts as slower than all others: its whole time limit, or more where others waited longer.',
  transferBytes: 'Bytes of bodies received.',
  connections: 'Opened before and during the run.',
};
/** In a run, the protocol decides these. */
const ofPagesAlone: readonly MetricName[] = [
  ...(['h1Share', 'h2Share', 'h3Share', 'h1ByteShare', 'h2ByteShare', 'h3ByteShare', 'finishedBytes', 'largestConnectionShare'] as const),
];
/** Its own first. */
const namesOfRuns = metricsIn({ engine: 'transaction' }).filter((metric) => !ofPagesAlone.includes(metric));
/** The costs of a protocol to client and server. */
export const costMetrics: readonly MetricName[] = ['clientCpu', 'serverCpu', 'clientMemory', 'serverMemory', 'packets', 'resentPackets'];

export const metricWordsOf = (metrics: Metrics | null, metric: MetricName): string =>
  (metrics !== null && 'latency' in metrics ? runWords[metric] : undefined) ?? metricWords[metric];

export interface MetricRow {
  metric: MetricName;
  name: string;
  words: string;
  values: string[];
  /** The second minus the first; null for one visit, or where a value is missing. */
  difference: string | null;
}

/** Leaves out metrics that no visit has. @param visits null: invalid, without metrics */
export function metricRows(visits: readonly (Metrics | null)[]): MetricRow[] {
  const some = visits.find((metrics) => metrics !== null) ?? null;
  const names = some !== null && 'latency' in some ? namesOfRuns : (Object.keys(metricWords) as MetricName[]);
  return names.flatMap((metric) => {
    const { name, unit } = metricNames[metric];
    const values = visits.map((metrics) => metrics && metricOf(metrics, metric));
    if (values.every((value) => value === null)) return [];
    const [first = null, second = null] = values;
    return [
      {
        ...{ metric, name, words: metricWordsOf(some, metric) },
        values: values.map((value) => (value === null ? '–' : quantity(value, unit))),
        difference: visits.length < 2 || first === null || second === null ? null : differenceWords(second - first, unit),
      },
    ];
  });
}

/** With its share of the first: +157 ms (21 %). */
export function differenceAndShare(first: number, second: number, unit: Unit): string {
  const share =
    first === 0 || unit === 'share' || unit === 'score' || second === first ? '' : ` (${percent(Math.abs(second / first - 1))})`;
  return `${differenceWords(second - first, unit)}${share}`;
}

const differenceWords = (difference: number, unit: Unit) =>
  `${signedNumber(difference, unit)}${unitNames[unit] === '' ? '' : ` ${unit === 'share' ? 'points' : unitNames[unit]}`}`;
