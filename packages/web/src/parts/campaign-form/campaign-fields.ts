// The fields of a campaign's form as tables, and their choices in words. The first choice is the default.
import type { CampaignRequest, CampaignSpec, Device, Limits, MetricName, Runner, Visitor, Workload } from '@pronghorn/core/schemas';
import type { Browser, Discovery, Engine, Isolation } from '@pronghorn/core/vocabulary';
import { expandSets } from '@pronghorn/core/vocabulary';
import { adjustmentNames, metricNames, metricsIn } from '../../text/vocabulary.ts';
import { exact, type Field, type Choice as FieldChoice } from '../forms/fields.ts';
import { isolationsOf } from '../runners/runner-names.ts';
import { hasField, isOfRuns, type NumberOfWorkload, usualNumber } from './campaign-request.ts';
import { cookieLines, headerLines, hostLines, pemText, stepsText } from './visitor-text.ts';

type Choice<Value extends string> = FieldChoice<Value> & { words: string };

/** Metrics that verdicts can judge. */
const timeMetrics: readonly MetricName[] = [
  ...(['onLoad', 'speedIndex', 'largestContentfulPaint', 'firstContentfulPaint', 'firstPaint', 'domContentLoaded'] as const),
  ...(['loadEventEnd', 'ttfb', 'firstVisualChange', 'lastVisualChange', 'totalBlockingTime', 'linkedDownload'] as const),
];
export const timeMetricsOfRuns: readonly MetricName[] = metricsIn({ engine: 'transaction' }).filter(
  (metric) => metricNames[metric].unit === 'ms',
);

export const discoveryChoices: readonly Choice<Discovery>[] = [
  { value: 'forced', name: 'Knows HTTP/3 already', words: 'HTTP/3 from the first request: its best case.' },
  { value: 'alt-svc', name: 'First visit', words: 'Learns of HTTP/3 from the site’s Alt-Svc, as a new visitor’s Chrome does.' },
];
const browserChoices: readonly Choice<Browser>[] = [
  { value: 'chrome', name: 'Chrome', words: 'Chrome as people use it, without a window.' },
  { value: 'headless-shell', name: 'Headless shell', words: 'Faster and steadier, but not what people use. No repeat views.' },
  { value: 'firefox', name: 'Firefox', words: 'Needs the Firefox engine.' },
];
const isolationChoices: readonly Choice<Isolation>[] = [
  { value: 'auto', name: 'As the page needs', words: 'A browser context; a whole Chrome for pages that preconnect or prefetch.' },
  { value: 'context', name: 'A browser context', words: 'Nothing is kept; one Chrome for each protocol. Preconnect does nothing there.' },
  { value: 'process', name: 'A whole Chrome', words: 'Slower, with a profile of its own.' },
  { value: 'container', name: 'A container', words: 'Slowest, with a link of its own. Needs a runner that can start containers.' },
];
const clientChoices: readonly Choice<Browser>[] = [
  { value: 'none', name: 'Pronghorn’s own', words: 'Go’s HTTP client, and quic-go for HTTP/3.' },
  { value: 'chrome', name: 'Chrome', words: 'By fetch(), so that Chrome’s own stack is measured.' },
  { value: 'headless-shell', name: 'Headless shell', words: 'As Chrome, with less around it.' },
];
const engineChoices: readonly Choice<Engine>[] = [
  { value: 'puppeteer', name: 'Puppeteer', words: 'Drives Chrome over its DevTools protocol.' },
  {
    value: 'browsertime',
    name: 'browsertime',
    words: 'Drives Chrome as sitespeed.io does, SpeedIndex from video. Slower; no repeat views.',
  },
  { value: 'firefox', name: 'Firefox', words: 'Another QUIC stack: what both browsers show is about the server. No repeat views.' },
];
const adjustmentChoices: readonly Choice<CampaignSpec['adjustment']>[] = [
  { value: 'hommel', name: adjustmentNames.hommel, words: 'Keeps the chance of any false winner in the campaign at 5 %.' },
  { value: 'holm', name: adjustmentNames.holm, words: 'The same, without relying on the rounds’ random orders; takes more rounds.' },
  {
    value: 'benjamini-hochberg',
    name: adjustmentNames['benjamini-hochberg'],
    words: 'On average at most 5 % of the winners are false: for hundreds of sites.',
  },
];
const deviceChoices: readonly Choice<Device>[] = [
  { value: 'desktop', name: 'Desktop', words: 'A window on a computer.' },
  { value: 'phone', name: 'Phone', words: 'Viewport, touch, pixels, user agent and CPU of a phone.' },
  { value: 'tablet', name: 'Tablet', words: 'Viewport, touch, pixels, user agent and CPU of a tablet.' },
];
const priorityChoices: readonly Choice<NonNullable<CampaignRequest['priority']>>[] = [
  { value: 'interactive', name: 'Interactive', words: 'Goes first: somebody waits.' },
  { value: 'ci', name: 'Pipeline', words: 'After interactive campaigns.' },
  { value: 'schedule', name: 'Schedule', words: 'After everything else.' },
];
const methodChoices: readonly Choice<NonNullable<Workload['method']>>[] = [
  { value: 'GET', name: 'GET', words: 'Requests the URL.' },
  { value: 'POST', name: 'POST', words: 'Sends a made-up body.' },
];
export const modeChoices: readonly Choice<NonNullable<Workload['mode']>>[] = [
  { value: 'count', name: 'A number of requests', words: 'Each user sends that many, one after another.' },
  { value: 'duration', name: 'A time', words: 'Each user sends one after another until the time is over.' },
  { value: 'rate', name: 'A rate', words: 'That many start each second, whether earlier ones have ended or not (open loop).' },
];
export const connectionChoices: readonly Choice<NonNullable<Workload['connections']>>[] = [
  { value: 'user', name: 'One for each user', words: 'As most browsers and apps do.' },
  { value: 'shared', name: 'Shared', words: 'All users share a few connections.' },
  { value: 'pool', name: 'A pool', words: 'As many as Go’s HTTP client opens.' },
  { value: 'each', name: 'One for each request', words: 'Each request has a handshake of its own.' },
];
const arrivalChoices: readonly Choice<NonNullable<Workload['arrivals']>>[] = [
  { value: 'even', name: 'At equal distances', words: 'Like a clock.' },
  { value: 'poisson', name: 'At random distances', words: 'Like many independent people.' },
];

/** The API's default. @param cells sites × conditions × views */
export const usualAdjustment = (cells: number): CampaignSpec['adjustment'] => (cells < 100 ? 'hommel' : 'benjamini-hochberg');

const isThere = ({ state }: Runner) => state === 'alive' || state === 'busy';
/** Each has the number of runners that support it, unless all do. */
const supported = <Value extends string>(
  choices: readonly Choice<Value>[],
  there: readonly Runner[],
  of: (runner: Runner) => readonly string[],
) =>
  choices.map((choice) => {
    const able = there.filter((runner) => of(runner).includes(choice.value)).length;
    return able === there.length ? choice : { ...choice, words: `${choice.words} ${able} of ${there.length} runners support it.` };
  });

export function questionFields(request: CampaignRequest): Field<CampaignRequest>[] {
  const metrics = isOfRuns(request) ? timeMetricsOfRuns : timeMetrics;
  const usual = usualAdjustment(request.sites.length * expandSets(request.conditions ?? ['native']).length * (request.views?.length ?? 1));
  const adjustments = adjustmentChoices.toSorted((one, other) => Number(other.value === usual) - Number(one.value === usual));
  return [
    {
      kind: 'choice',
      key: 'primaryMetric',
      label: 'Metric of the verdict',
      choices: metrics.map((value) => ({ value, name: metricNames[value].name })),
    },
    {
      kind: 'number',
      key: 'margin',
      label: 'Difference that counts as none',
      ...{ unit: '%', factor: 100, placeholder: '5' },
      hint: 'The margin of equivalence.',
    },
    { kind: 'choice', key: 'adjustment', label: 'Correction for many comparisons', choices: adjustments },
    {
      kind: 'number',
      key: 'seed',
      label: 'Seed',
      placeholder: 'drawn',
      hint: 'Decides every random order; give one to repeat a campaign exactly.',
    },
  ];
}

export function browserFields(request: CampaignRequest, runners: readonly Runner[]): Field<CampaignRequest>[] {
  if (isOfRuns(request)) return [{ kind: 'choice', key: 'browser', label: 'What sends the requests', choices: clientChoices }];
  const there = runners.filter(isThere);
  const browsers = supported(browserChoices, there, ({ capabilities }) => capabilities.browsers);
  const isolations = supported(isolationChoices, there, ({ capabilities }) => isolationsOf(capabilities));
  const engines = supported(engineChoices, there, ({ capabilities }) => capabilities.engines);
  return [
    { kind: 'choice', key: 'browser', label: 'Browser', choices: browsers },
    { kind: 'choice', key: 'isolation', label: 'Fresh for each cold visit', choices: isolations },
    { kind: 'choice', key: 'engine', label: 'Engine', choices: engines },
  ];
}

/** A run has no page load, no quiet time after it, and no subresources. */
export const limitFields = (request: CampaignRequest): Field<Partial<Limits>>[] =>
  allLimitFields.filter(({ key }) => !isOfRuns(request) || key === 'retries' || key === 'foreignCpuShare');

const allLimitFields: readonly Field<Partial<Limits>>[] = [
  {
    kind: 'number',
    key: 'loadTimeoutMs',
    label: 'Load timeout',
    ...{ unit: 's', factor: 0.001, placeholder: 'auto' },
    hint: 'From navigation to the load event. Auto: by the condition and the size of the page, 60 to 600 s.',
  },
  {
    kind: 'number',
    key: 'quietMs',
    label: 'End after idle',
    ...{ unit: 'ms', placeholder: '500' },
    hint: 'The visit ends once network, scripts and picture were idle for this long.',
  },
  {
    kind: 'number',
    key: 'settleMaxMs',
    label: 'At most after load',
    ...{ unit: 's', factor: 0.001, placeholder: '15' },
    hint: 'The visit ends then in any case.',
  },
  { kind: 'number', key: 'retries', label: 'Retries', placeholder: '2', hint: 'After an invalid visit that may succeed when repeated.' },
  {
    kind: 'number',
    key: 'foreignCpuShare',
    label: 'Max. other CPU load',
    ...{ unit: '%', factor: 100, placeholder: '20' },
    hint: 'Of other programs. A visit with more is invalid.',
  },
  { kind: 'number', key: 'maxRequests', label: 'Max. requests', placeholder: '10000', hint: 'Per visit.' },
  {
    kind: 'number',
    key: 'maxTransferBytes',
    label: 'Max. download',
    ...{ unit: 'MB', factor: 1e-6, placeholder: '500' },
    hint: 'Per visit.',
  },
];

export const roundFields = (isFixed: boolean): Field<CampaignRequest>[] => [
  { kind: 'number', key: 'rounds', label: 'Rounds per page and network', unit: 'rounds', placeholder: 'by precision' },
  ...(isFixed
    ? []
    : [
        {
          ...{
            kind: 'number' as const,
            key: 'maximumRounds' as const,
            label: 'Add rounds until clear, at most',
            unit: 'rounds',
            placeholder: 'no more',
          },
          hint: 'Where HTTP/3 against HTTP/2 is still open, by a rule that keeps the error rate.',
        },
      ]),
];

export const nameField: Field<CampaignRequest> = {
  key: 'name',
  label: 'Name',
  hint: 'Optional. Default: the page’s name.',
  maxLength: 200,
};
export const priorityField: Field<CampaignRequest> = { kind: 'choice', key: 'priority', label: 'Priority', choices: priorityChoices };

/** Empty where no runner names its location. */
export function locationFields({ location }: CampaignRequest, runners: readonly Runner[]): Field<CampaignRequest>[] {
  const locations = [...new Set([...runners.map((runner) => runner.location), location])].flatMap((each) => each ?? []).sort();
  if (locations.length === 0) return [];
  const choices = locations.map((value) => {
    const there = runners.filter((runner) => runner.location === value);
    const words = `${there.filter(isThere).length} of ${there.length} ${there.length === 1 ? 'runner' : 'runners'} there now.`;
    return { value, name: value, words };
  });
  return [
    {
      kind: 'choice',
      key: 'location',
      label: 'Location',
      choices: [{ value: '', name: 'Any', words: 'Whichever runner is free.' }, ...choices],
    },
  ];
}

export const annotationFields: readonly Field<NonNullable<CampaignRequest['annotations']>>[] = [
  { key: 'commit', label: 'Commit', hint: 'The deployed one; trends show it.', placeholder: '4f2a91c', maxLength: 100 },
  { key: 'branch', label: 'Branch', hint: 'Trends and gates compare campaigns of one branch.', placeholder: 'main', maxLength: 200 },
  { key: 'buildUrl', label: 'Build', hint: 'URL of the pipeline’s run.', placeholder: 'https://', maxLength: 2048 },
];

/** A grey placeholder explains an empty number. */
export function workloadFields(workload: Workload): Field<Workload>[] {
  const isRate = workload.mode === 'rate';
  const number = (
    key: NumberOfWorkload,
    label: string,
    { factor = 1, ...more }: { unit?: string; factor?: number; hint?: string } = {},
  ) => {
    const usual = usualNumber(key, workload);
    return {
      ...{ kind: 'number' as const, key, label, factor, ...more },
      ...(usual === undefined ? {} : { placeholder: String(exact(usual * factor)) }),
    };
  };
  const fields: Field<Workload>[] = [
    { kind: 'choice', key: 'method', label: 'Method', choices: methodChoices },
    number('bodyBytes', 'Body of each request', { unit: 'kB', factor: 0.001 }),
    { kind: 'choice', key: 'mode', label: 'A run ends after', choices: modeChoices },
    isRate
      ? number('users', 'At most under way', { unit: 'requests', hint: 'Beyond that, due requests wait, and their wait counts.' })
      : number('users', 'Users at the same time', { hint: 'Each has one request under way.' }),
    number('requests', 'Requests of each user'),
    number('requestsPerSecond', 'Rate', { unit: 'requests a second' }),
    number('seconds', 'Time of a run', { unit: 's' }),
    { kind: 'choice', key: 'arrivals', label: 'Requests are due', choices: arrivalChoices },
    { kind: 'choice', key: 'connections', label: 'Connections', choices: connectionChoices },
    number('shared', 'Shared connections'),
    number('requestTimeoutMs', 'Time limit of a request', {
      unit: 's',
      factor: 0.001,
      hint: 'A failed request counts as one that took this long.',
    }),
  ];
  return fields.filter(({ key }) => hasField(key, workload));
}

export const pathsField: Field<Workload> = {
  kind: 'lines',
  key: 'paths',
  label: 'Paths',
  form: hostLines,
  placeholder: '/items?page=1',
  hint: 'One per line. Requested in turn, in place of the URL’s own.',
};

export const deviceFields: readonly Field<Visitor>[] = [
  { kind: 'choice', key: 'device', label: 'Device', choices: deviceChoices },
  { key: 'language', label: 'Language', placeholder: 'en-US', maxLength: 35, hint: 'Such as de-CH.' },
  { key: 'userAgent', label: 'User agent', maxLength: 500, hint: 'Empty: Chrome’s, followed by Pronghorn and its version.' },
];
export const viewportFields: readonly Field<NonNullable<Visitor['viewport']>>[] = [
  { kind: 'number', key: 'width', label: 'Viewport width', unit: 'px', placeholder: 'the device’s' },
  { kind: 'number', key: 'height', label: 'Viewport height', unit: 'px', placeholder: 'the device’s' },
];
export const slowdownField: Field<Visitor> = {
  ...{ kind: 'number', key: 'cpuSlowdown', label: 'CPU slower', unit: 'times', placeholder: 'the device’s', hint: 'From 1 to 20.' },
};
export const loginFields: readonly Field<Visitor>[] = [
  {
    kind: 'lines',
    key: 'headers',
    label: 'Headers',
    form: headerLines,
    placeholder: 'X-Wall-Pass: secret:wall-pass',
    hint: 'One per line. Sent only to the page’s own hosts.',
  },
  {
    kind: 'lines',
    key: 'cookies',
    label: 'Cookies',
    form: cookieLines,
    placeholder: 'consent=all',
    hint: 'One per line. For another host than the page’s, add ; domain=HOST.',
  },
  {
    kind: 'lines',
    key: 'ownHosts',
    label: 'The page’s own hosts',
    form: hostLines,
    placeholder: '*.cdn.example',
    hint: 'Besides the page’s host and all below it.',
  },
];
/** @param placeholder for the password */
export const accountFields = (label: string, placeholder: string): Field<NonNullable<Visitor['basicAuth']>>[] => [
  { key: 'user', label: `${label} user`, empty: '', maxLength: 200 },
  { key: 'password', label: `${label} password`, empty: '', placeholder, maxLength: 1000, hint: 'A reference, never the password itself.' },
];
export const beforePageFields: readonly Field<Visitor>[] = [
  {
    kind: 'lines',
    key: 'steps',
    label: 'Steps before the page (JSON)',
    form: stepsText,
    rows: 4,
    placeholder: '[{ "goto": "/login" }, { "type": "#password", "secret": "secret:shop-password" }, { "click": "#send" }]',
    hint: 'A login or consent, once per round. Each visit starts with the cookies and local storage that it leaves.',
  },
  {
    kind: 'lines',
    key: 'after',
    label: 'Pages opened before',
    form: hostLines,
    placeholder: '/list',
    hint: 'One URL per line, absolute or relative to the page’s. Repeat views open these instead of the page itself, then measure the page with what these left.',
  },
];
export const proxyField: Field<Visitor> = {
  key: 'proxy',
  label: 'Proxy',
  placeholder: 'http://proxy.example:3128',
  maxLength: 500,
  hint: 'For HTTP/1.1 and HTTP/2; HTTP/3 can’t use a proxy.',
};
export const wayFields: readonly Field<Visitor>[] = [
  {
    key: 'clientCertificate',
    label: 'Client certificate',
    placeholder: 'secret:client-certificate',
    maxLength: 1000,
    hint: 'A reference to certificate and key in one PEM. For the page’s own hosts, over HTTP/1.1 and HTTP/2.',
  },
  {
    kind: 'lines',
    key: 'ca',
    label: 'Your own CA (PEM)',
    form: pemText,
    placeholder: '-----BEGIN CERTIFICATE-----',
    hint: 'Trusted beside Chrome’s own. Checking stays on.',
  },
  {
    kind: 'lines',
    key: 'block',
    label: 'Blocked hosts',
    form: hostLines,
    placeholder: '*.ads.example',
    hint: 'One per line: HOST, *.HOST or a URL pattern. Never requested.',
  },
];

const at = (object: string, fields: readonly { key: string }[]): string[] => fields.map(({ key }) => `${object}/${key}`);

/** JSON pointers of the fields in VisitorFields.vue. */
const visitorPointers: readonly string[] = [
  ...at('#/visitor', [...deviceFields, slowdownField, ...loginFields, ...beforePageFields, proxyField, ...wayFields]),
  ...['#/visitor/viewport', '#/visitor/basicAuth', '#/visitor/proxyAuth'],
];

/** JSON pointers of the fields in MoreFields.vue. */
export const morePointers = (request: CampaignRequest, { isPart, isOfGate }: { isPart: boolean; isOfGate: boolean }): string[] => [
  ...['#/protocols', '#/views'],
  ...at('#', [...roundFields(isOfGate), ...questionFields(request), ...browserFields(request, []), nameField]),
  ...at('#', [...locationFields(request, []), ...(isPart ? [] : [priorityField])]),
  ...at('#/limits', limitFields(request)),
  ...at('#/annotations', annotationFields),
  ...visitorPointers,
];

/** JSON pointers of the fields that CampaignForm.vue shows at once. */
export const firstPointers = (request: CampaignRequest): string[] => [
  ...['#/sites', '#/conditions', '#/precision'],
  ...(isOfRuns(request)
    ? at('#/workload', [...workloadFields(request.workload ?? {}), pathsField, { key: 'earlyData' }])
    : ['#/discovery']),
];
