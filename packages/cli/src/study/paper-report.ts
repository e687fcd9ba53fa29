// The report of the paper's campaign: the tables and figures of Trevisan et al. 2021, drawn from our visits beside the published ones.
import { ecdf, type Interval, median, type Proportion, proportion } from '@pronghorn/core/math';
import type { Characteristic } from '@pronghorn/core/schemas';
import { counted, protocolName } from '@pronghorn/core/text';
import { type Protocol, protocols, siteClasses } from '@pronghorn/core/vocabulary';
import { type Content, type HtmlCell, html, type Markup, numeric, page, soft, tableOf } from './html.ts';
import {
  type ConditionFinding,
  type PaperFindings,
  type PaperMetric,
  paperFindings,
  paperMetrics,
  type SiteShares,
} from './paper-findings.ts';
import { type PaperProvider, type Published, paperProviders, trevisan } from './published.ts';
import type { Measured } from './report.ts';
import {
  besideWords,
  conditionTable,
  deltaInterval,
  deltaWords,
  labWords,
  listOf,
  measuredWords,
  number,
  paceWords,
  proportionInterval,
  publishedWords,
  shareWithInterval,
} from './report-parts.ts';
import { studies } from './studies.ts';
import {
  type Axis,
  axisTo,
  barRows,
  boxChart,
  boxRows,
  legend,
  type PublishedPoint,
  percentWords,
  secondsWords,
  stepChart,
  type Tone,
  timeWords,
} from './svg.ts';

const metricTitles: Record<PaperMetric, string> = { onLoad: 'onLoad', speedIndex: 'SpeedIndex' };
/** The columns of the paper's figures; each also has native. */
const parameters = [
  { name: 'Extra latency', conditions: ['latency-50', 'latency-100', 'latency-200'] },
  { name: 'Bandwidth limit', conditions: ['bandwidth-5', 'bandwidth-2', 'bandwidth-1'] },
  { name: 'Extra loss', conditions: ['loss-1', 'loss-2', 'loss-5'] },
];
/** The scenarios of figures 8 and 9. */
const scenarios = ['latency-200', 'bandwidth-1'];
const tones: Tone[] = ['c0', 'c1', 'c2', 'c3'];
const providerTones: Record<PaperProvider, Tone> = { Cloudflare: 'c2', Facebook: 'c1', Google: 'c3', Other: 'c0' };
/** With fewer sites a share says little: near 50 % it is uncertain by 10 points. */
const fewSites = 100;

/** @returns an HTML page */
export function paperReport(measured: Measured): string {
  const findings = paperFindings(measured);
  const title = 'The campaign of Trevisan et al. 2021, again';
  return page(
    title,
    html`<h1>${title}</h1>
${measuredWords(measured)}
<p>Each table and figure also shows what the paper published: hollow circles and dashed bars in the pictures, columns in the tables, with ids such as T-F3. Our values have 95 % intervals over sites (shares by Clopper &amp; Pearson, medians by order statistics; medians of fewer than six sites have none). H3-Delta is (median h3 − median h2) ÷ the larger of both: negative is faster over HTTP/3.</p>
<p class="soft">Source: ${trevisan.source}. The paper has no intervals. Its curves and boxes are not available as numbers, so only values in its text are shown; a dash stands for missing ones.</p>
<h2>Differences in kind</h2>
${listOf(differences(measured, findings))}
<h2>Network configurations</h2>
${conditionTable(measured, studies.paper)}
<h2>The campaign in numbers</h2>
${campaignTable(measured, findings)}
${figure2(measured)}
${figure3(measured, findings)}
${figure4(findings)}
${figure5(findings)}
${figure6(findings)}
${figure7(findings)}
${figure8(findings)}
${figure9(findings)}
<h2>Sites</h2>
${siteTable(measured, findings)}`,
  );
}

function differences(measured: Measured, { measuredSites }: PaperFindings): Content[] {
  const { spec } = measured.campaign;
  return [
    ...labWords(measured),
    measuredSites < fewSites
      ? `${counted(measuredSites, 'site')} here, ${number(trevisan.sites)} there: near 50 % a share over ${measuredSites} sites is uncertain by about ${Math.round(98 / Math.sqrt(Math.max(1, measuredSites)))} points. Compare order and sign first, size second.`
      : `${counted(measuredSites, 'site')} here, ${number(trevisan.sites)} there. Compare order and sign first, size second.`,
    `The paper drove Chrome of early 2021 with browsertime, all visits of one site back to back and, going by their number, several at once; here the engine ${spec.engine} loads one page at a time on a machine.`,
    'By the paper’s own count none of its visits failed (14,707 × 180 is exactly its number of visits). Here failures are counted and shown below.',
    'The paper does not say which hosts it forced to HTTP/3, or which visits it left out.',
  ];
}

function campaignTable(measured: Measured, { measuredSites }: PaperFindings): Markup {
  const { campaign, visits } = measured;
  const counting = visits.filter((visit) => visit.verdict === 'valid' || visit.counted).length;
  const { spec } = campaign;
  const perSite = spec.conditions.length * spec.protocols.length * spec.rounds;
  return html`${tableOf({
    head: ['', 'paper', 'here'],
    rows: [
      ['sites', number(trevisan.sites), `${number(measuredSites)} of ${number(campaign.sites.length)} requested`],
      ['network configurations', '10 (12 with native three times)', String(spec.conditions.length)],
      ['protocols', 'HTTP/1.1; with HTTP/2; with HTTP/3', spec.protocols.map(protocolName).join('; ')],
      ['visits of each', '5', String(spec.rounds)],
      ['visits of a site', '180', number(perSite)],
      ['visits', number(trevisan.visits), `${number(counting)} that count`],
    ].map((row) => row.map((content, i) => (i === 0 ? content : soft(content)))),
  })}${paceWords(measured, trevisan.visits, 'the paper’s')}`;
}

const section = (name: string, words: Content, ...content: Content[]): Markup => html`<h2>${name}</h2><p>${words}</p>${content}`;
const panel = (name: string, picture: Markup): Markup => html`<div class="panel"><b>${name}</b>${picture}</div>`;
const panels = (pictures: readonly Markup[]): Markup => html`<figure class="panels">${pictures}</figure>`;
const theirBar = { tone: 'paper' as const, words: 'published', kind: 'published-bar' as const };
const theirMark = { tone: 'paper' as const, words: 'published', kind: 'published' as const };

function figure2({ adoption }: Measured): Markup {
  const rows = [
    ...trevisan.adoption.map(({ id, value, words }) => ({
      name: words.split(/[,:]/)[0] ?? id,
      bars: [{ tone: 'paper' as const, value: value ?? 0, words: percentWords(value ?? 0), published: true }],
    })),
    ...adoption.months.slice(-12).map(({ month, http3Share, http3, units }) => ({
      name: month,
      bars: [{ tone: 'h3' as const, value: http3Share, words: `${percentWords(http3Share)} (${http3} of ${units})` }],
    })),
  ];
  const max = Math.max(...rows.flatMap(({ bars }) => bars.map(({ value }) => value)));
  return section(
    'Figure 2: home pages that announce HTTP/3',
    adoption.months.length === 0
      ? 'The paper counts this in the HTTP Archive. A campaign’s sites are chosen, so they say nothing about adoption: import HAR files (./pronghorn import har FILE…) to see yours here. The paper only draws the months between these values.'
      : 'The paper counts this in the HTTP Archive; ours come from the HAR files imported into this data folder, whatever their pages. The paper only draws the months between the published values.',
    legend([theirBar, ...(adoption.months.length === 0 ? [] : [{ tone: 'h3' as const, words: 'imported here', kind: 'box' as const }])]),
    panels([
      panel(
        'Share of home pages',
        barRows({
          title: 'Share of home pages that announce HTTP/3, by month',
          x: { label: 'share of home pages', from: 0, to: max },
          rows,
        }),
      ),
    ]),
    tableOf({
      head: ['when', 'published', 'id'],
      rows: trevisan.adoption.map(({ id, value, words }) => [words, percentWords(value ?? 0), id]),
    }),
  );
}

function figure3({ campaign }: Measured, { servers, providerOf }: PaperFindings): Markup {
  const shown = servers.slice(0, 10);
  const largest = Math.max(1, ...trevisan.servers.map(({ value }) => value ?? 0), ...shown.map(({ sites }) => sites));
  const rows = [
    ...trevisan.servers.map(({ value, words }) => ({
      name: words.split(' ')[0] === 'GSE' ? 'GSE' : 'no header',
      bars: [{ tone: 'paper' as const, value: value ?? 1, words: number(value ?? 0), published: true }],
    })),
    ...shown.map(({ server, sites }) => ({
      name: server === '' ? 'no header' : server.slice(0, 16),
      bars: [{ tone: 'c1' as const, value: sites, words: number(sites) }],
    })),
  ];
  const groups = paperProviders.map((provider) => [provider, String([...providerOf.values()].filter((one) => one === provider).length)]);
  return section(
    'Figure 3: servers of the sites',
    `The ten most frequent Server headers of the main document, of ${counted(campaign.sites.length, 'site')} here and 14,707 there, on a logarithmic axis. Published as numbers: ${trevisan.servers.map(({ value, words }) => `${words}: ${number(value ?? 0)}`).join('; ')}. For the rest the text gives only the order: ${trevisan.serverOrder}.`,
    legend([theirBar, { tone: 'c1', words: 'here', kind: 'box' }]),
    panels([
      panel(
        'Sites by Server header',
        barRows({ title: 'Sites by Server header', x: { label: 'sites, logarithmic', from: 0.5, to: largest, log: true }, rows }),
      ),
    ]),
    tableOf({ head: ['provider, by the paper’s groups', 'sites here'], rows: groups }),
  );
}

/** The published share, ours with its interval, and whether the two agree. */
const shareCells = (published: Published | null | undefined, found: Proportion, none = '–'): HtmlCell[] => [
  published == null ? none : publishedWords(published, percentWords),
  numeric(shareWithInterval(found)),
  soft(besideWords(published, proportionInterval(found))),
];

const limits = [
  { key: 'all', name: 'all of it on HTTP/3', holds: (share: number) => share >= 1 - 1e-9 },
  { key: 'most', name: 'at least 90 % on HTTP/3', holds: (share: number) => share >= 0.9 },
  { key: 'little', name: 'less than 20 % on HTTP/3', holds: (share: number) => share < 0.2 },
] as const;

function figure4({ shares }: PaperFindings): Markup {
  if (shares.length === 0) return section('Figure 4: how much comes over HTTP/3', 'No visit over HTTP/3 counts.');
  // The curve is the share of sites at or below a value: at 90 % it shows those with less.
  const points: PublishedPoint[] = [
    { tone: 'c2', x: 0.9, y: 1 - 0.36, words: 'T-S2: 36 % of sites have at least 90 % of their objects on HTTP/3' },
    { tone: 'c2', x: 0.2, y: 0.09, words: 'T-S3: 9 % have less than 20 % of their objects' },
    { tone: 'c1', x: 0.9, y: 1 - 0.41, words: 'T-S2: 41 % of sites have at least 90 % of their bytes' },
    { tone: 'c1', x: 0.2, y: 0.28, words: 'T-S3: 28 % have less than 20 % of their bytes' },
  ];
  const cells = (published: Published | null, holds: (site: SiteShares) => boolean) =>
    shareCells(published, proportion(shares.filter(holds).length, shares.length), 'not published');
  return section(
    'Figure 4: how much comes over HTTP/3',
    `The mean share of objects and of bytes that came over HTTP/3, in each site’s visits with HTTP/3 under all conditions; ${counted(shares.length, 'site')}.`,
    legend([{ tone: 'c2', words: 'objects' }, { tone: 'c1', words: 'bytes' }, theirMark]),
    panels([
      panel(
        'Share over HTTP/3',
        stepChart({
          title: 'Distribution over sites of the share of objects and bytes over HTTP/3',
          x: shareAxis,
          lines: [
            { name: 'objects', tone: 'c2', ...ecdf(shares.map(({ objects }) => objects)) },
            { name: 'bytes', tone: 'c1', ...ecdf(shares.map(({ bytes }) => bytes)) },
          ],
          published: points,
        }),
      ),
    ]),
    tableOf({
      head: ['sites with', 'objects: paper', 'here', '', 'bytes: paper', 'here', ''],
      rows: [
        ...limits.map(({ key, name, holds }) => [
          name,
          ...cells(trevisan.h3Shares[key].objects, ({ objects }) => holds(objects)),
          ...cells(trevisan.h3Shares[key].bytes, ({ bytes }) => holds(bytes)),
        ]),
        ['at least one object over HTTP/1.1', ...cells(trevisan.h3Shares.someH1.objects, ({ someH1 }) => someH1), '', '', ''],
      ],
    }),
  );
}

const shareAxis: Axis = { label: 'share over HTTP/3', from: 0, to: 1, words: percentWords };

function figure5({ shares }: PaperFindings): Markup {
  const groups = paperProviders.flatMap((provider) => {
    const its = shares.filter((site) => site.provider === provider);
    return its.length === 0 ? [] : [{ provider, its }];
  });
  const chart = (name: string, of: (site: SiteShares) => number) =>
    panel(
      name,
      stepChart({
        title: `Distribution over sites of the share of ${name.toLowerCase()} over HTTP/3, by provider`,
        x: shareAxis,
        lines: groups.map(({ provider, its }) => ({ name: provider, tone: providerTones[provider], ...ecdf(its.map(of)) })),
      }),
    );
  const middle = (its: readonly SiteShares[], of: (site: SiteShares) => number) =>
    its.length === 0 ? '–' : percentWords(median(its.map(of)));
  return section(
    'Figure 5: the same by provider',
    'The paper’s text has these shares only in words, so none of them is drawn.',
    groups.length > 0 &&
      legend(groups.map(({ provider, its }) => ({ tone: providerTones[provider], words: `${provider} (${counted(its.length, 'site')})` }))),
    groups.length > 0 && panels([chart('Objects', ({ objects }) => objects), chart('Bytes', ({ bytes }) => bytes)]),
    tableOf({
      head: ['provider', 'paper', 'sites here', 'median share of objects', 'of bytes'],
      rows: paperProviders.map((provider) => {
        const its = shares.filter((site) => site.provider === provider);
        return [
          provider,
          soft(trevisan.h3SharesByProvider[provider]),
          String(its.length),
          middle(its, ({ objects }) => objects),
          middle(its, ({ bytes }) => bytes),
        ];
      }),
    }),
  );
}

const conditionsOf = (findings: PaperFindings, metric: PaperMetric, names: readonly string[]): ConditionFinding[] =>
  names.flatMap((name) => findings.metrics[metric].find(({ condition }) => baseName(condition) === name) ?? []);

/** The conditions of one panel, native first; native alone is shown beside latency only. */
function shownIn(
  findings: PaperFindings,
  metric: PaperMetric,
  conditions: readonly string[],
  hasNumbers: (finding: ConditionFinding) => boolean,
): ConditionFinding[] {
  const shown = conditionsOf(findings, metric, ['native', ...conditions]).filter(hasNumbers);
  return shown.length === 1 && shown[0]?.condition === 'native' && conditions !== parameters[0]?.conditions ? [] : shown;
}

/** `loss-5.rtt-0` is drawn in the place of loss-5. */
const baseName = (condition: string): string => condition.replace(/\.rtt-[\d.]+$/, '');

/** Labels a box, whose chart names the parameter: 200 ms, 5 Mbit/s, 2 %. */
const shortName = (condition: string): string =>
  baseName(condition)
    .replace(/^latency-(\d+)$/, '+$1 ms')
    .replace(/^bandwidth-(\d+)$/, '$1 Mbit/s')
    .replace(/^loss-(\d+)$/, '$1 %');

function figure6(findings: PaperFindings): Markup {
  const charts = parameters.flatMap(({ name, conditions }) =>
    paperMetrics.flatMap((metric) => {
      const shown = shownIn(findings, metric, conditions, ({ protocols: its }) => Object.keys(its).length > 0);
      if (shown.length === 0) return [];
      const published = (condition: string, protocol: Protocol) =>
        name === 'Extra latency' ? trevisan.medians[metric][condition]?.[protocol] : undefined;
      const tops = shown.flatMap(({ condition, protocols: its }) =>
        protocols.flatMap((protocol) => [its[protocol]?.box.whiskerHigh ?? 0, published(condition, protocol)?.value ?? 0]),
      );
      const groups = shown.map(({ condition, protocols: its }) => ({
        name: shortName(condition),
        boxes: protocols.flatMap((protocol) => {
          const one = its[protocol];
          const theirs = published(condition, protocol);
          return one === undefined
            ? []
            : [
                {
                  name: `${protocolName(protocol)}, ${condition}: median ${timeOrFailed(one.median.median)}`,
                  tone: protocol,
                  box: one.box,
                  ...(theirs?.value == null ? {} : { published: { value: theirs.value, words: publishedWords(theirs, timeWords) } }),
                },
              ];
        }),
      }));
      const title = `${name}: ${metricTitles[metric]}`;
      return [panel(title, boxChart({ title, y: axisTo('seconds', tops, secondsWords), groups }))];
    }),
  );
  const rows = paperMetrics.flatMap((metric) =>
    findings.metrics[metric].flatMap(({ condition, protocols: its }): HtmlCell[][] => {
      if (Object.keys(its).length === 0) return [];
      const theirs = trevisan.medians[metric][baseName(condition)];
      const ours = protocols.map((protocol): HtmlCell => {
        const one = its[protocol];
        return numeric(one === undefined ? '–' : `${timeOrFailed(one.median.median)}${timeInterval(one.median.interval)}`);
      });
      const published = theirs && [...protocols.map((protocol) => timeWords(theirs[protocol].value ?? 0)), `[${theirs.h2.id}]`];
      const sites = Math.max(...protocols.map((protocol) => its[protocol]?.median.sites ?? 0));
      return [[`${metricTitles[metric]}, ${condition}`, published?.join(' ') ?? '–', ...ours, String(sites)]];
    }),
  );
  return section(
    'Figure 6: onLoad and SpeedIndex under extra latency',
    'Boxes go from quartile to quartile over sites, of each site’s median of its visits; whiskers at the 10th and 90th percentile, a line at the median. The paper draws latency, and says that loss and bandwidth slow pages down similarly; these are drawn here too, without the paper’s. Absolute seconds are not comparable between networks.',
    legend([
      ...protocols.map((protocol) => ({ tone: protocol, words: protocolName(protocol), kind: 'box' as const })),
      { ...theirMark, words: 'published median' },
    ]),
    panels(charts),
    tableOf({
      head: ['median over sites', 'paper: h1, h2, h3', ...protocols.map((protocol) => `here: ${protocolName(protocol)}`), 'sites'],
      rows,
    }),
  );
}

const timeOrFailed = (ms: number): string => (Number.isFinite(ms) ? timeWords(ms) : 'half failed');
const timeInterval = (interval: Interval | null): string =>
  interval === null ? '' : ` (${timeOrFailed(interval.low)} to ${timeOrFailed(interval.high)})`;

const deltaAxis: Axis = { label: 'H3-Delta', from: -0.6, to: 0.6 };

interface PublishedDelta {
  faster?: Published | null | undefined;
  median?: Published | null | undefined;
}

const publishedDelta = (metric: PaperMetric, condition: string): PublishedDelta => ({
  faster: trevisan.faster[metric][baseName(condition)],
  median: trevisan.medianDelta[metric][baseName(condition)],
});

/** The published share of sites that are faster, at 0, and the published median, at one half. */
const deltaPoints = (tone: Tone, [ofFaster, ofMedian]: [string, string], { faster, median }: PublishedDelta): PublishedPoint[] => [
  ...(faster?.value == null ? [] : [{ tone, x: 0, y: faster.value, words: `${ofFaster}: ${publishedWords(faster, percentWords)}` }]),
  ...(median?.value == null ? [] : [{ tone, x: median.value, y: 0.5, words: `${ofMedian}: ${publishedWords(median, deltaWords)}` }]),
];

function figure7(findings: PaperFindings): Markup {
  const charts = paperMetrics.flatMap((metric) =>
    parameters.flatMap(({ name, conditions }) => {
      const shown = shownIn(findings, metric, conditions, ({ distribution }) => distribution.sites > 0);
      if (shown.length === 0) return [];
      const toneOf = (condition: string) => tones[['native', ...conditions].indexOf(baseName(condition))] ?? 'c0';
      const published = shown.flatMap(({ condition }) =>
        deltaPoints(toneOf(condition), [`${condition}, faster`, `${condition}, median`], publishedDelta(metric, condition)),
      );
      const title = `${name}: ${metricTitles[metric]}`;
      const lines = shown.map(({ condition, distribution }) => ({ name: condition, tone: toneOf(condition), ...distribution.steps }));
      return [
        html`<div class="panel"><b>${title}</b>${stepChart({ title: `H3-Delta over sites, ${title}`, x: deltaAxis, lines, published })}${legend(
          shown.map(({ condition }) => ({ tone: toneOf(condition), words: condition })),
        )}</div>`,
      ];
    }),
  );
  const rows = findings.metrics.onLoad.flatMap(({ condition }) =>
    paperMetrics.flatMap((metric): HtmlCell[][] => {
      const one = findings.metrics[metric].find((finding) => finding.condition === condition);
      if (one === undefined || one.faster === null || one.median === null) return [];
      const { faster, median } = publishedDelta(metric, condition);
      return [
        [
          `${condition}, ${metricTitles[metric]}`,
          ...shareCells(faster, one.faster),
          publishedWords(median, deltaWords),
          numeric(`${deltaWords(one.median.median)}${deltaInterval(one.median.interval)}`),
          soft(besideWords(median, one.median.interval)),
          String(one.distribution.sites),
        ],
      ];
    }),
  );
  return section(
    'Figure 7: H3-Delta over sites',
    html`A curve further to the left means that HTTP/3 is faster on more sites. Circles on the dashed line at 0 are the published shares of sites that are faster with HTTP/3 (H3-Delta below 0, no dead zone); circles at 50 % are published medians. The axis ends at ±0.6; values beyond are drawn at its ends. With few visits, a share near 50 % means “no systematic effect”.`,
    legend([theirMark]),
    panels(charts),
    tableOf({ head: ['', 'faster: paper', 'here', '', 'median: paper', 'here', '', 'sites'], rows }),
    listOf(
      findings.metrics.onLoad.flatMap(({ condition, distribution }) =>
        distribution.words === '' ? [] : [`${condition}, onLoad. ${distribution.words}`],
      ),
    ),
  );
}

function figure8(findings: PaperFindings): Markup {
  const shown = conditionsOf(findings, 'onLoad', scenarios);
  const charts = shown.flatMap(({ condition, byProvider }) => {
    const its = byProvider.filter(({ finding }) => finding.faster !== null);
    if (its.length === 0) return [];
    const published = paperProviders.flatMap((provider) =>
      deltaPoints(providerTones[provider], [provider, `${provider}, median`], trevisan.providers[condition]?.[provider] ?? {}),
    );
    const lines = its.map(({ provider, finding }) => ({ name: provider, tone: providerTones[provider], ...finding.distribution.steps }));
    return [panel(condition, stepChart({ title: `H3-Delta of onLoad by provider, ${condition}`, x: deltaAxis, lines, published }))];
  });
  const rows = shown.flatMap(({ condition, byProvider }) =>
    paperProviders.map((provider): HtmlCell[] => {
      const theirs = trevisan.providers[condition]?.[provider];
      const ours = byProvider.find((one) => one.provider === provider)?.finding;
      return [
        `${condition}, ${provider}`,
        publishedWords(theirs?.faster, percentWords),
        numeric(ours?.faster ? shareWithInterval(ours.faster) : '–'),
        publishedWords(theirs?.median, deltaWords),
        numeric(ours?.median ? `${deltaWords(ours.median.median)}${deltaInterval(ours.median.interval)}` : '–'),
        String(ours?.distribution.sites ?? 0),
      ];
    }),
  );
  return section(
    'Figure 8: H3-Delta of onLoad by provider',
    shown.length === 0
      ? `Neither ${scenarios.join(' nor ')} is in this campaign.`
      : 'The provider of the main document, by names, headers and addresses; the paper’s Facebook is Meta. Unknown providers are Other, and so are all pages of a lab.',
    shown.length > 0 && legend([...paperProviders.map((provider) => ({ tone: providerTones[provider], words: provider })), theirMark]),
    charts.length > 0 && panels(charts),
    rows.length > 0 && tableOf({ head: ['', 'faster: paper', 'here', 'median: paper', 'here', 'sites'], rows }),
  );
}

const classTitles = { below: 'HTTP/3 faster', within: 'alike', above: 'HTTP/2 faster' } as const;
const featureTitles: Record<Characteristic, string> = {
  connections: 'connections',
  hosts: 'domains',
  requests: 'requests',
  transferBytes: 'page size',
  h3Share: 'objects on HTTP/3',
  h3ByteShare: 'bytes on HTTP/3',
  largestConnectionShare: 'largest connection',
};

function figure9(findings: PaperFindings): Markup {
  const shown = conditionsOf(findings, 'onLoad', scenarios);
  const charts = shown.flatMap(({ condition, byClass }) => {
    if (byClass.every(({ sites }) => sites === 0)) return [];
    const groups = trevisan.features.map(({ characteristic }) => ({
      name: featureTitles[characteristic],
      boxes: byClass.map(({ class: name, sites, characteristics }) => ({
        name: `${classTitles[name]}, ${counted(sites, 'site')}`,
        tone: name,
        box: characteristics[characteristic]?.standardised ?? null,
      })),
    }));
    return [
      panel(
        condition,
        boxRows({
          title: `Page features by class, ${condition}`,
          x: { label: 'standard deviations from the mean of all sites', from: -3, to: 3 },
          groups,
        }),
      ),
    ];
  });
  const classRows = shown.flatMap(({ condition, classes }): HtmlCell[][] => {
    const theirs = trevisan.classes[condition];
    if (classes === null || theirs === undefined) return [];
    return siteClasses.map((name) => [
      `${condition}, ${classTitles[name]}`,
      ...shareCells({ id: theirs.id, value: theirs[name], words: '' }, classes[name]),
    ]);
  });
  const signWords = (sign: 1 | -1 | null) =>
    sign === null ? 'hardly any' : sign > 0 ? 'sites that gain have less' : 'sites that gain have more';
  const featureRows = shown.flatMap(({ condition, correlations }) =>
    trevisan.features.map(({ id, characteristic, ...signs }): HtmlCell[] => {
      const sign = signs[condition as keyof typeof signs];
      const ours = correlations[characteristic];
      return [
        `${condition}, ${featureTitles[characteristic]}`,
        `${signWords(sign)} [${id}]`,
        numeric(ours === null ? '–' : deltaWords(ours)),
        soft(
          ours === null ? 'does not vary, or too few sites' : sign === null ? '' : Math.sign(ours) === sign ? 'same sign' : 'other sign',
        ),
      ];
    }),
  );
  const { value, id } = trevisan.connectionsAndDomains;
  return section(
    'Figure 9: what pages that gain have in common',
    shown.length === 0
      ? `Neither ${scenarios.join(' nor ')} is in this campaign.`
      : 'Sites by class of their onLoad’s H3-Delta: below −0.1 “HTTP/3 faster”, above 0.1 “HTTP/2 faster”. The paper names no scenario for this figure; going by Figure 8 they are these. Its boxes are not available as numbers; the table shows how features relate to H3-Delta, ours as Spearman’s correlation over sites (above 0: sites that gain have less of it).',
    shown.length > 0 && legend(siteClasses.map((name) => ({ tone: name, words: classTitles[name], kind: 'box' as const }))),
    charts.length > 0 && panels(charts),
    classRows.length > 0 && tableOf({ head: ['share of sites', 'paper', 'here', ''], rows: classRows }),
    featureRows.length > 0 && tableOf({ head: ['feature', 'paper', 'correlation with H3-Delta here', ''], rows: featureRows }),
    html`<p>Pearson’s correlation of connections and domains over sites: ${value} [${id}] in the paper, ${findings.connectionsAndHosts === null ? 'none (too few sites, or all alike)' : deltaWords(findings.connectionsAndHosts)} here.</p>`,
  );
}

function siteTable({ campaign }: Measured, { sites, providerOf }: PaperFindings): Markup {
  const [first] = campaign.spec.conditions;
  const conditions = campaign.spec.conditions.map(({ name }) => name);
  const nameOf = new Map(campaign.sites.map(({ id, name }) => [id, name]));
  const requested = protocols.filter((protocol) => campaign.spec.protocols.includes(protocol));
  return html`<p>Medians of onLoad under ${first?.name ?? ''}, and H3-Delta of onLoad under each condition. –: no number.</p>${tableOf({
    head: ['site', 'provider', ...requested.map(protocolName), ...conditions, 'failed loads'],
    rows: sites.map(({ siteId, medians, deltas, failed }) => [
      nameOf.get(siteId) ?? siteId,
      providerOf.get(siteId) ?? 'not discovered',
      ...requested.map((protocol): HtmlCell => {
        const median = medians[protocol];
        return numeric(median === undefined ? '–' : timeOrFailed(median));
      }),
      ...conditions.map((name): HtmlCell => {
        const delta = deltas[name] ?? null;
        return numeric(delta === null ? '–' : deltaWords(delta));
      }),
      numeric(String(failed)),
    ]),
  })}`;
}
