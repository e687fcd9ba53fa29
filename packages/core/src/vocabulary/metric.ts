// What visits measure: its names, its units, and how its numbers are written.
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { GateMetric } from '../schemas/gate.ts';
import type { MetricName, Metrics } from '../schemas/metrics.ts';

export type MetricUnit = 'ms' | 'µs' | 'bytes' | 'bytes/s' | 'per second' | 'share' | 'count' | 'score';

export interface Metric {
  /** At the head of a column or a chart. */
  name: string;
  /** Within a sentence; absent: as the API writes it. */
  inText?: string;
  unit: MetricUnit;
}

/** First those of pages, then those of runs of REST calls alone. */
export const metrics: Readonly<Record<MetricName, Metric>> = {
  onLoad: { name: 'onLoad', unit: 'ms' },
  loadEventEnd: { name: 'End of load event', unit: 'ms' },
  domContentLoaded: { name: 'DOMContentLoaded', inText: 'DOMContentLoaded', unit: 'ms' },
  ttfb: { name: 'Time to first byte', inText: 'time to first byte', unit: 'ms' },
  documentHeaders: { name: 'Document’s headers', unit: 'ms' },
  firstPaint: { name: 'First paint', inText: 'first paint', unit: 'ms' },
  firstContentfulPaint: { name: 'First contentful paint', inText: 'First Contentful Paint', unit: 'ms' },
  largestContentfulPaint: { name: 'Largest contentful paint', inText: 'Largest Contentful Paint', unit: 'ms' },
  cumulativeLayoutShift: { name: 'Cumulative layout shift', unit: 'score' },
  speedIndex: { name: 'SpeedIndex', inText: 'SpeedIndex', unit: 'ms' },
  firstVisualChange: { name: 'First visual change', unit: 'ms' },
  lastVisualChange: { name: 'Last visual change', unit: 'ms' },
  totalBlockingTime: { name: 'Total blocking time', inText: 'Total Blocking Time', unit: 'ms' },
  linkedDownload: { name: 'Linked assets downloaded', unit: 'ms' },
  requests: { name: 'Requests', unit: 'count' },
  transferBytes: { name: 'Bytes received', unit: 'bytes' },
  finishedBytes: { name: 'Bytes of finished requests', unit: 'bytes' },
  connections: { name: 'Connections', unit: 'count' },
  hosts: { name: 'Hosts', unit: 'count' },
  failedRequests: { name: 'Failed requests', unit: 'count' },
  blockedRequests: { name: 'Blocked requests', unit: 'count' },
  webSockets: { name: 'WebSockets', unit: 'count' },
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

/** A metric of a visit; null: it has none, or measures something else. */
export const metricOf = (measured: Metrics, name: MetricName): number | null =>
  (measured as Partial<Record<MetricName, number | null>>)[name] ?? null;

const isOfVideo = (metric: MetricName, spec?: Pick<CampaignSpec, 'engine'>) => metric === 'speedIndex' && spec?.engine === 'browsertime';

/** A metric within a sentence. @param spec of the campaign, where SpeedIndex of a video must not be taken for that of frames */
export const metricTitle = (metric: MetricName, spec?: Pick<CampaignSpec, 'engine'>): string =>
  isOfVideo(metric, spec) ? 'SpeedIndex from video' : (metrics[metric].inText ?? metric);

/** A metric at the head of a column or a chart. */
export const metricNameIn = (spec: Pick<CampaignSpec, 'engine'>, metric: MetricName): string =>
  isOfVideo(metric, spec) ? 'SpeedIndex from video' : metrics[metric].name;

export const metricUnit = (metric: GateMetric): MetricUnit => (metric === 'failedShare' ? 'share' : metrics[metric].unit);

/** Of rates more is better; of times, bytes, costs and counts less is. Of shares it depends on what they are of. */
export const isBetterHigh = (metric: GateMetric): boolean => ['per second', 'bytes/s'].includes(metricUnit(metric));

/** How a person may write a number of each unit: its factor. The first is the one that is written back. */
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

/** 2,310 ms; 1.25 MB; 93 %; 41. */
export function quantityWords(metric: GateMetric, value: number): string {
  switch (metricUnit(metric)) {
    case 'ms':
      return `${rounded(value)} ms`;
    case 'µs':
      return `${rounded(value)} µs`;
    case 'bytes':
      return byteWords(value);
    case 'bytes/s':
      return `${byteWords(value)}/s`;
    case 'per second':
      return `${rounded(value)}/s`;
    case 'share':
      return `${Number((value * 100).toFixed(1))} %`;
    default:
      return rounded(value);
  }
}

const byteWords = (bytes: number) =>
  Math.abs(bytes) >= 1_000_000 ? `${Number((bytes / 1_000_000).toFixed(2))} MB` : `${Number((bytes / 1000).toFixed(1))} kB`;

/** Three digits, or all before the point. */
function rounded(value: number): string {
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}
