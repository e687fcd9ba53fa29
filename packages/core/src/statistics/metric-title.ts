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
};

/** @param spec of the campaign, where SpeedIndex of a video must not be taken for that of frames */
export const metricTitle = (metric: MetricName, spec?: Pick<CampaignSpec, 'engine'>): string =>
  metric === 'speedIndex' && spec?.engine === 'browsertime' ? 'SpeedIndex from video' : (titles[metric] ?? metric);
