// The metrics of visits: names, titles and units.
import type { Engine } from './engine.ts';

/** Shared by pages and runs of REST calls: shares of objects and bytes, in this order at the end of both. */
const shareNames = [
  'h1Share',
  'h2Share',
  'h3Share',
  'h1ByteShare',
  'h2ByteShare',
  'h3ByteShare',
  'largestConnectionShare',
  'ipv6Share',
] as const;

export const pageMetricNames = [
  'onLoad',
  'loadEventEnd',
  'domContentLoaded',
  'ttfb',
  'documentHeaders',
  'firstPaint',
  'firstContentfulPaint',
  'largestContentfulPaint',
  'cumulativeLayoutShift',
  'speedIndex',
  'firstVisualChange',
  'lastVisualChange',
  'totalBlockingTime',
  'linkedDownload',
  'requests',
  'transferBytes',
  'finishedBytes',
  'connections',
  'hosts',
  'failedRequests',
  'blockedRequests',
  'webSockets',
  ...shareNames,
] as const;

export const transactionMetricNames = [
  'responseTime',
  'responseTimeMean',
  'responseTimeP95',
  'responseTimeP99',
  'latency',
  'latencyMean',
  'latencyP90',
  'latencyP95',
  'latencyP99',
  'latencyMax',
  'ttfbMean',
  'ttfbP95',
  'ttfbP99',
  'timePerRequest',
  'handshake',
  'requestsPerSecond',
  'bytesPerSecond',
  'sentBytes',
  'clientCpu',
  'serverCpu',
  'clientMemory',
  'serverMemory',
  'packets',
  'resentPackets',
  'ttfb',
  'requests',
  'transferBytes',
  'finishedBytes',
  'connections',
  'failedRequests',
  ...shareNames,
] as const;

export type MetricName = (typeof pageMetricNames)[number] | (typeof transactionMetricNames)[number];
/** Distinct, those of a page first. */
export const metricNames: readonly MetricName[] = [...new Set<MetricName>([...pageMetricNames, ...transactionMetricNames])];

/** The metrics that visits of an engine have. */
export const metricNamesOf = ({ engine }: { engine: Engine }): readonly MetricName[] =>
  engine === 'transaction' ? transactionMetricNames : pageMetricNames;

/** A metric of a visit; null if the visit lacks it, or measures something else. */
export const metricOf = (measured: Readonly<Partial<Record<MetricName, number | null>>>, name: MetricName): number | null =>
  measured[name] ?? null;

/** Metrics that a gate can check: those of a visit, and the share of loads that fail because of the page or its protocol. */
export const gateMetrics = [...metricNames, 'failedShare'] as const;
export type GateMetric = (typeof gateMetrics)[number];

/** The metrics that a gate can check in campaigns of an engine. */
export const gateMetricsOf = ({ engine }: { engine: Engine }): readonly GateMetric[] => [...metricNamesOf({ engine }), 'failedShare'];

export type MetricUnit = 'ms' | 'µs' | 'bytes' | 'bytes/s' | 'per second' | 'share' | 'count' | 'score';

export interface Metric {
  /** For the head of a column or a chart. */
  name: string;
  /** For use within a sentence; absent: as the API writes it. */
  inText?: string;
  unit: MetricUnit;
  /** True if it may change for as long as a visit is watched. */
  endsWithVisit?: true;
}

/** In the order of `metricNames`. */
export const metrics: Readonly<Record<MetricName, Metric>> = {
  onLoad: { name: 'onLoad', unit: 'ms' },
  loadEventEnd: { name: 'End of load event', unit: 'ms' },
  domContentLoaded: { name: 'DOMContentLoaded', inText: 'DOMContentLoaded', unit: 'ms' },
  ttfb: { name: 'Time to first byte', inText: 'time to first byte', unit: 'ms' },
  documentHeaders: { name: 'Document’s headers', unit: 'ms' },
  firstPaint: { name: 'First paint', inText: 'first paint', unit: 'ms' },
  firstContentfulPaint: { name: 'First contentful paint', inText: 'First Contentful Paint', unit: 'ms' },
  largestContentfulPaint: { name: 'Largest contentful paint', inText: 'Largest Contentful Paint', unit: 'ms', endsWithVisit: true },
  cumulativeLayoutShift: { name: 'Cumulative layout shift', unit: 'score', endsWithVisit: true },
  speedIndex: { name: 'SpeedIndex', inText: 'SpeedIndex', unit: 'ms', endsWithVisit: true },
  firstVisualChange: { name: 'First visual change', unit: 'ms' },
  lastVisualChange: { name: 'Last visual change', unit: 'ms', endsWithVisit: true },
  totalBlockingTime: { name: 'Total blocking time', inText: 'Total Blocking Time', unit: 'ms', endsWithVisit: true },
  linkedDownload: { name: 'Linked assets downloaded', unit: 'ms' },
  requests: { name: 'Requests', unit: 'count', endsWithVisit: true },
  transferBytes: { name: 'Bytes received', unit: 'bytes', endsWithVisit: true },
  finishedBytes: { name: 'Bytes of finished requests', unit: 'bytes', endsWithVisit: true },
  connections: { name: 'Connections', unit: 'count', endsWithVisit: true },
  hosts: { name: 'Hosts', unit: 'count', endsWithVisit: true },
  failedRequests: { name: 'Failed requests', unit: 'count' },
  blockedRequests: { name: 'Blocked requests', unit: 'count', endsWithVisit: true },
  webSockets: { name: 'WebSockets', unit: 'count', endsWithVisit: true },
  h1Share: { name: 'Objects over HTTP/1.x', unit: 'share' },
  h2Share: { name: 'Objects over HTTP/2', unit: 'share' },
  h3Share: { name: 'Objects over HTTP/3', unit: 'share' },
  h1ByteShare: { name: 'Bytes over HTTP/1.x', unit: 'share' },
  h2ByteShare: { name: 'Bytes over HTTP/2', unit: 'share' },
  h3ByteShare: { name: 'Bytes over HTTP/3', unit: 'share' },
  largestConnectionShare: { name: 'Objects on the largest connection', unit: 'share' },
  ipv6Share: { name: 'Objects over IPv6', unit: 'share' },
  responseTime: { name: 'Response time', inText: 'response time', unit: 'ms' },
  responseTimeMean: { name: 'Mean response time', inText: 'mean response time', unit: 'ms' },
  responseTimeP95: { name: 'Response time, 95th percentile', inText: 'response time’s 95th percentile', unit: 'ms' },
  responseTimeP99: { name: 'Response time, 99th percentile', inText: 'response time’s 99th percentile', unit: 'ms' },
  latency: { name: 'Latency', unit: 'ms' },
  latencyMean: { name: 'Mean latency', inText: 'mean latency', unit: 'ms' },
  latencyP90: { name: 'Latency, 90th percentile', inText: 'latency’s 90th percentile', unit: 'ms' },
  latencyP95: { name: 'Latency, 95th percentile', inText: 'latency’s 95th percentile', unit: 'ms' },
  latencyP99: { name: 'Latency, 99th percentile', inText: 'latency’s 99th percentile', unit: 'ms' },
  latencyMax: { name: 'Largest latency', inText: 'largest latency', unit: 'ms' },
  ttfbMean: { name: 'Mean time to first byte', inText: 'mean time to first byte', unit: 'ms' },
  ttfbP95: { name: 'First byte, 95th percentile', inText: 'time to first byte’s 95th percentile', unit: 'ms' },
  ttfbP99: { name: 'First byte, 99th percentile', inText: 'time to first byte’s 99th percentile', unit: 'ms' },
  timePerRequest: { name: 'Time per request', inText: 'time per request', unit: 'ms' },
  handshake: { name: 'Handshake', unit: 'ms' },
  requestsPerSecond: { name: 'Requests per second', inText: 'requests per second', unit: 'per second' },
  bytesPerSecond: { name: 'Bytes per second', inText: 'bytes per second', unit: 'bytes/s' },
  sentBytes: { name: 'Bytes sent', unit: 'bytes' },
  clientCpu: { name: 'Client’s CPU time per request', inText: 'the client’s CPU time per request', unit: 'µs' },
  serverCpu: { name: 'Server’s CPU time per request', inText: 'the server’s CPU time per request', unit: 'µs' },
  clientMemory: { name: 'Client’s memory', inText: 'the client’s memory', unit: 'bytes' },
  serverMemory: { name: 'Server’s memory', inText: 'the server’s memory', unit: 'bytes' },
  packets: { name: 'Packets', unit: 'count' },
  resentPackets: { name: 'Packets sent again', inText: 'packets sent again', unit: 'count' },
};

export const metricUnit = (metric: GateMetric): MetricUnit => (metric === 'failedShare' ? 'share' : metrics[metric].unit);

/** Whether the metric is a time: a failed load then took longer than every successful one. */
export const isTime = (metric: MetricName): boolean => metricUnit(metric) === 'ms';

/** Whether more is better: true for rates; not for times, bytes, costs and counts; for shares it depends on the share. */
export const isBetterHigh = (metric: GateMetric): boolean => ['per second', 'bytes/s'].includes(metricUnit(metric));

/** The units that people may write, with their factors. The first one is used for output. */
export const writtenUnits: Readonly<Record<MetricUnit, Readonly<Record<string, number>>>> = {
  ms: { ms: 1, s: 1000 },
  µs: { µs: 1, us: 1, ms: 1000, s: 1_000_000 },
  bytes: { B: 1, kB: 1000, MB: 1_000_000, KiB: 1024, MiB: 1_048_576 },
  'bytes/s': { 'B/s': 1, 'kB/s': 1000, 'MB/s': 1_000_000, 'KiB/s': 1024, 'MiB/s': 1_048_576 },
  'per second': { '/s': 1 },
  share: { '%': 0.01 },
  count: {},
  score: {},
};

/** SpeedIndex from a video is another metric than SpeedIndex from frames. */
const isOfVideo = (metric: MetricName, spec?: { engine: Engine }) => metric === 'speedIndex' && spec?.engine === 'browsertime';

/** The name of a metric within a sentence. @param spec of the campaign */
export const metricTitle = (metric: MetricName, spec?: { engine: Engine }): string =>
  isOfVideo(metric, spec) ? 'SpeedIndex from video' : (metrics[metric].inText ?? metric);

/** The name of a metric at the head of a column or a chart. */
export const metricNameIn = (spec: { engine: Engine }, metric: MetricName): string =>
  isOfVideo(metric, spec) ? 'SpeedIndex from video' : metrics[metric].name;

export const gateMetricTitle = (metric: GateMetric): string =>
  metric === 'failedShare' ? 'the share of failed visits' : metricTitle(metric);
