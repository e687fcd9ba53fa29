import type { MetricName } from '../schemas/metrics.ts';

const load = ['onLoad', 'loadEventEnd', 'domContentLoaded', 'ttfb', 'documentHeaders', 'firstPaint', 'firstContentfulPaint'] as const;
const picture = ['largestContentfulPaint', 'cumulativeLayoutShift', 'speedIndex', 'firstVisualChange', 'lastVisualChange'] as const;
const page = ['totalBlockingTime', 'linkedDownload', 'requests', 'transferBytes', 'finishedBytes', 'connections', 'hosts'] as const;
const objects = ['failedRequests', 'blockedRequests', 'webSockets', 'h1Share', 'h2Share', 'h3Share'] as const;
const bytes = ['h1ByteShare', 'h2ByteShare', 'h3ByteShare', 'largestConnectionShare', 'ipv6Share'] as const;
const response = ['responseTime', 'responseTimeMean', 'responseTimeP95', 'responseTimeP99'] as const;
const latency = ['latency', 'latencyMean', 'latencyP90', 'latencyP95', 'latencyP99', 'latencyMax'] as const;
const firstByte = ['ttfbMean', 'ttfbP95', 'ttfbP99', 'timePerRequest', 'handshake'] as const;
const throughput = ['requestsPerSecond', 'bytesPerSecond', 'sentBytes'] as const;
const costs = ['clientCpu', 'serverCpu', 'clientMemory', 'serverMemory', 'packets', 'resentPackets'] as const;

/** Of pages, then those that only runs of REST calls have. */
export const metricNames: readonly MetricName[] = [
  ...[...load, ...picture, ...page, ...objects, ...bytes],
  ...[...response, ...latency, ...firstByte, ...throughput, ...costs],
];
