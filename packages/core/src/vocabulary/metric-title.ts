import type { CampaignSpec } from '../schemas/campaign.ts';
import type { MetricName } from '../schemas/metrics.ts';

/** As people write them where it is not as the API does. */
const titles: Partial<Record<MetricName, string>> = {
  domContentLoaded: 'DOMContentLoaded',
  ttfb: 'time to first byte',
  firstPaint: 'first paint',
  firstContentfulPaint: 'First Contentful Paint',
  largestContentfulPaint: 'Largest Contentful Paint',
  speedIndex: 'SpeedIndex',
  totalBlockingTime: 'Total Blocking Time',
  latencyMean: 'mean latency',
  latencyP90: 'latency’s 90th percentile',
  latencyP95: 'latency’s 95th percentile',
  latencyP99: 'latency’s 99th percentile',
  latencyMax: 'largest latency',
  ttfbMean: 'mean time to first byte',
  ttfbP95: 'time to first byte’s 95th percentile',
  ttfbP99: 'time to first byte’s 99th percentile',
  responseTime: 'response time',
  responseTimeMean: 'mean response time',
  responseTimeP95: 'response time’s 95th percentile',
  responseTimeP99: 'response time’s 99th percentile',
  timePerRequest: 'time per request',
  requestsPerSecond: 'requests per second',
  bytesPerSecond: 'bytes per second',
  clientCpu: 'the client’s CPU time per request',
  serverCpu: 'the server’s CPU time per request',
  clientMemory: 'the client’s memory',
  serverMemory: 'the server’s memory',
  resentPackets: 'packets sent again',
};

/** @param spec of the campaign, where SpeedIndex of a video must not be taken for that of frames */
export const metricTitle = (metric: MetricName, spec?: Pick<CampaignSpec, 'engine'>): string =>
  metric === 'speedIndex' && spec?.engine === 'browsertime' ? 'SpeedIndex from video' : (titles[metric] ?? metric);
