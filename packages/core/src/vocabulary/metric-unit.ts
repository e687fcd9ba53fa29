import type { GateMetric } from '../schemas/gate.ts';
import type { MetricName } from '../schemas/metrics.ts';

export type MetricUnit = 'ms' | 'µs' | 'bytes' | 'bytes/s' | 'per second' | 'share' | 'count' | 'score';

const others: Partial<Record<MetricName, MetricUnit>> = {
  cumulativeLayoutShift: 'score',
  requests: 'count',
  transferBytes: 'bytes',
  finishedBytes: 'bytes',
  connections: 'count',
  hosts: 'count',
  failedRequests: 'count',
  blockedRequests: 'count',
  webSockets: 'count',
  requestsPerSecond: 'per second',
  bytesPerSecond: 'bytes/s',
  sentBytes: 'bytes',
  clientCpu: 'µs',
  serverCpu: 'µs',
  clientMemory: 'bytes',
  serverMemory: 'bytes',
  packets: 'count',
  resentPackets: 'count',
};

/** Of a metric's numbers; most are times. */
export const metricUnit = (metric: GateMetric): MetricUnit => (metric.endsWith('Share') ? 'share' : (others[metric as MetricName] ?? 'ms'));

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
