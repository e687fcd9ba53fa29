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
};

export const metricTitle = (metric: MetricName): string => titles[metric] ?? metric;
