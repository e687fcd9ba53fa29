// The choices of a campaign in words. The first of each is the default.
import type { CampaignSpec, Device, Limits, MetricName } from '@pronghorn/core/schemas';
import type { Browser, Discovery, Engine, Isolation } from '@pronghorn/core/vocabulary';
import { adjustmentNames, metricNames, metricsIn } from '../../text/vocabulary.ts';

/** What verdicts can be of. */
export const timeMetrics = [
  ...([
    'onLoad',
    'speedIndex',
    'largestContentfulPaint',
    'firstContentfulPaint',
    'firstPaint',
    'domContentLoaded',
    'loadEventEnd',
  ] as const),
  ...(['ttfb', 'firstVisualChange', 'lastVisualChange', 'totalBlockingTime', 'linkedDownload'] as const),
] as const satisfies readonly MetricName[];

/** Of runs of REST calls. */
export const timeMetricsOfRuns: readonly MetricName[] = metricsIn({ engine: 'transaction' }).filter(
  (metric) => metricNames[metric].unit === 'ms',
);

type Choice<Value> = { value: Value; name: string; words: string };

export const discoveryChoices: readonly Choice<Discovery>[] = [
  { value: 'forced', name: 'Forced', words: 'From the first request, as for visitors who know the host speaks it.' },
  { value: 'alt-svc', name: 'By itself', words: 'Through Alt-Svc, as a visitor’s Chrome finds it.' },
];
export const browserChoices: readonly Choice<Browser>[] = [
  { value: 'chrome', name: 'Chrome', words: 'As people have it, without a window.' },
  { value: 'headless-shell', name: 'Headless shell', words: 'Quicker and steadier, and not what people use. First visits only.' },
  { value: 'firefox', name: 'Firefox', words: 'By the engine of its name.' },
];
export const isolationChoices: readonly Choice<Isolation>[] = [
  { value: 'auto', name: 'As the page needs', words: 'A browser context; a whole Chrome for pages that preconnect or prefetch.' },
  { value: 'context', name: 'A browser context', words: 'Nothing is kept; one Chrome for each protocol. Preconnect does nothing there.' },
  { value: 'process', name: 'A whole Chrome', words: 'Slower; with a profile of its own.' },
  { value: 'container', name: 'A container', words: 'Slowest; with a link of its own. Takes a runner that is told how to start one.' },
];
export const clientChoices: readonly Choice<Browser>[] = [
  { value: 'none', name: 'Pronghorn’s own', words: 'Go’s HTTP client, and quic-go for HTTP/3.' },
  { value: 'chrome', name: 'Chrome', words: 'By fetch(), so that Chrome’s own stack is measured.' },
  { value: 'headless-shell', name: 'Headless shell', words: 'As Chrome, with less around it.' },
];
export const engineChoices: readonly Choice<Engine>[] = [
  { value: 'puppeteer', name: 'Puppeteer', words: 'Drives Chrome over its DevTools protocol.' },
  {
    value: 'browsertime',
    name: 'browsertime',
    words: 'Drives Chrome as sitespeed.io does, SpeedIndex from video. Slower; first visits only.',
  },
  { value: 'firefox', name: 'Firefox', words: 'Another QUIC stack: what holds in both is about the server. First visits only.' },
];

const adjustmentChoices: readonly Choice<CampaignSpec['adjustment']>[] = [
  { value: 'hommel', name: adjustmentNames.hommel, words: 'Keeps the chance of any false winner in the campaign at 5 %.' },
  { value: 'holm', name: adjustmentNames.holm, words: 'The same, without relying on the rounds’ random orders; takes more rounds.' },
  {
    value: 'benjamini-hochberg',
    name: adjustmentNames['benjamini-hochberg'],
    words: 'Of the winners at most 5 % are false, on average: for hundreds of sites.',
  },
];
/** As the API chooses where nothing is said. @param groups sites × conditions × views */
export const usualAdjustment = (groups: number): CampaignSpec['adjustment'] => (groups < 100 ? 'hommel' : 'benjamini-hochberg');
export const adjustmentChoicesFor = (groups: number): readonly Choice<CampaignSpec['adjustment']>[] =>
  adjustmentChoices.toSorted(
    (one, other) => Number(other.value === usualAdjustment(groups)) - Number(one.value === usualAdjustment(groups)),
  );

export const deviceChoices: readonly Choice<Device>[] = [
  { value: 'desktop', name: 'Desktop', words: 'A window on a computer.' },
  { value: 'phone', name: 'Phone', words: 'Viewport, touch, pixels, user agent and CPU of a phone.' },
  { value: 'tablet', name: 'Tablet', words: 'Viewport, touch, pixels, user agent and CPU of a tablet.' },
];

export const limitFields: readonly {
  field: keyof Limits;
  label: string;
  unit?: string;
  factor?: number;
  placeholder: string;
  hint: string;
}[] = [
  {
    field: 'loadTimeoutMs',
    label: 'Load timeout',
    unit: 's',
    factor: 0.001,
    placeholder: 'auto',
    hint: 'From navigation to the load event. Auto: by the condition and the size of the page, 60 to 600 s.',
  },
  {
    field: 'quietMs',
    label: 'Quiet after load',
    unit: 'ms',
    placeholder: '500',
    hint: 'The visit ends once network, scripts and picture have been quiet for this long.',
  },
  {
    field: 'settleMaxMs',
    label: 'At most after load',
    unit: 's',
    factor: 0.001,
    placeholder: '15',
    hint: 'The visit ends then in any case.',
  },
  { field: 'retries', label: 'Retries', placeholder: '2', hint: 'After an invalid visit whose reason may pass.' },
  {
    field: 'foreignCpuShare',
    label: 'CPU of other work',
    unit: '%',
    factor: 100,
    placeholder: '20',
    hint: 'With more than that, a visit is invalid.',
  },
  { field: 'maxRequests', label: 'Most requests', placeholder: '10000', hint: 'Of one visit.' },
  { field: 'maxTransferBytes', label: 'Most bytes', unit: 'MB', factor: 1e-6, placeholder: '500', hint: 'Of one visit.' },
];
