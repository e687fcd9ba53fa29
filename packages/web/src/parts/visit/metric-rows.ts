// The metrics of one visit or two, side by side.
import type { MetricName, Metrics } from '@pronghorn/core/schemas';
import { quantity, signedNumber, unitNames } from '../../text/format.ts';
import { metricNames, metricOf, metricsIn, type Unit } from '../../text/vocabulary.ts';

/** In the order of a load, then what was loaded. */
export const metricWords: Readonly<Record<MetricName, string>> = {
  ttfb: 'First byte of an answer, redirects included; with Early Hints that of the hints.',
  documentHeaders: 'First byte of the document’s own headers: later than the one above only after Early Hints.',
  firstPaint: 'The browser paints something, be it the background.',
  firstContentfulPaint: 'The first text or image is painted.',
  firstVisualChange: 'The first frame that is not blank.',
  largestContentfulPaint: 'The largest text or image of the viewport is painted, of all until the visit ended.',
  speedIndex: 'How soon the visible part looks complete, on average over its area.',
  lastVisualChange: 'The last frame that differs from the one before.',
  domContentLoaded: 'The document is read and its blocking scripts have run.',
  onLoad: 'The load event fires: the page and all that it names are there.',
  loadEventEnd: 'The load event’s own scripts have run.',
  linkedDownload: 'All is there that the page names without scripts.',
  totalBlockingTime:
    'Scripts kept the page from answering: what long tasks took beyond 50 ms each, from the first content to the visit’s end.',
  cumulativeLayoutShift: 'How much the layout jumped; 0 is still, over 0.25 is poor. Without frames within the page.',
  requests: 'Requests that went to the network.',
  failedRequests: 'Objects that the page lacks: they failed on the network, or their server did.',
  blockedRequests: 'Stopped by a policy (CSP, CORS, …) or by the page itself.',
  transferBytes: 'Received on the network, headers included; of what did not finish, what had come.',
  finishedBytes: 'Of the requests that finished.',
  connections: 'Connections that carried a response.',
  webSockets: 'WebSockets and WebTransport sessions: in no other count.',
  hosts: 'Hosts that answered.',
  h3Share: 'Of the objects that came over the network.',
  h2Share: 'Of the objects that came over the network.',
  h1Share: 'Of the objects that came over the network.',
  h3ByteShare: 'Of the bytes received.',
  h2ByteShare: 'Of the bytes received.',
  h1ByteShare: 'Of the bytes received.',
  largestConnectionShare: 'How much hangs on one connection.',
  ipv6Share: 'Of the objects that came over the network.',
  responseTime: 'From when a request was due until its last byte: half of the requests took at most so long.',
  responseTimeMean: 'Their mean.',
  responseTimeP95: 'From when a request was due until its last byte: all but 5 % took at most so long.',
  responseTimeP99: 'From when a request was due until its last byte: all but 1 % took at most so long.',
  latency: 'From a request’s first byte sent to the last one received: half of the requests took at most so long.',
  latencyMean: 'Their mean.',
  latencyP90: 'All but 10 % of the requests took at most so long.',
  latencyP95: 'All but 5 % of the requests took at most so long.',
  latencyP99: 'All but 1 % of the requests took at most so long.',
  latencyMax: 'The slowest request.',
  ttfbMean: 'Mean of the times to first byte.',
  ttfbP95: 'All but 5 % of the requests had their first byte after at most so long.',
  ttfbP99: 'All but 1 % of the requests had their first byte after at most so long.',
  timePerRequest: 'The run’s time by its successes.',
  handshake: 'From the first packet until requests can be sent, in the median of the connections.',
  requestsPerSecond: 'Successes by the run’s time.',
  bytesPerSecond: 'Of bodies, sent and received, by the run’s time.',
  sentBytes: 'Of bodies.',
  clientCpu: 'What the client worked for each request that was sent.',
  serverCpu: 'What the built-in server worked for each request that was sent.',
  clientMemory: 'The most that the client had.',
  serverMemory: 'The most that the built-in server had during the run.',
  packets: 'Of the client’s connections, sent and received.',
  resentPackets: 'That the client took for lost and sent again.',
};

/** Where a metric of a run is another thing than a page's. */
const runWords: Readonly<Partial<Record<MetricName, string>>> = {
  ttfb: 'From a request’s first byte sent to the first one received: half of the requests took at most so long.',
  requests: 'Requests that were sent, or were due and could not be.',
  failedRequests:
    'Requests without a success: each counts as slower than all others: its whole time limit, or more where others waited longer.',
  transferBytes: 'Of bodies.',
  connections: 'Opened before the run and in it.',
};
/** In a run these follow from its protocol. */
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
  /** The second less the first; null where there is but one, or nothing to subtract. */
  difference: string | null;
}

/** Without metrics that no visit has. @param visits null: invalid, without metrics */
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

const differenceWords = (difference: number, unit: Unit) =>
  `${signedNumber(difference, unit)}${unitNames[unit] === '' ? '' : ` ${unit === 'share' ? 'points' : unitNames[unit]}`}`;
