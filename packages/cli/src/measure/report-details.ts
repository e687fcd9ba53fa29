// A campaign’s results in full: for each cell, each protocol’s percentiles and the H3-Delta, beside what the link did.

import { styleText } from 'node:util';
import { caveatsAt } from '@pronghorn/core/answer';
import {
  type Campaign,
  type CampaignResults,
  type Caveat,
  type CellResults,
  type ConditionResults,
  currentDiscoveries,
  type Environment,
  forceListChanges,
  type MetricName,
  type Site,
  type SiteDiscovery,
  type SlotResults,
  type Summary,
  type VerdictOutcome,
} from '@pronghorn/core/schemas';
import { afterWords, counted, visitorWords } from '@pronghorn/core/text';
import { mainMetrics } from '@pronghorn/core/verdict';
import { visitorOf } from '@pronghorn/core/visitor';
import { caveatKinds, type InvalidReason, invalidReasons, metricTitle, type Protocol } from '@pronghorn/core/vocabulary';
import { unavailable } from '@pronghorn/runner';
import { dim, plain, table, wrap, yellow } from '../program/terminal.ts';

/** The metrics that a terminal shows; dashboard, exports and API have all. */
export const shownMetrics = (spec: Campaign['spec']): readonly MetricName[] =>
  spec.engine === 'transaction' ? mainMetrics(spec) : ['onLoad', 'speedIndex'];

/** A block for each site, condition and view. */
export function details(
  campaign: Campaign,
  results: CampaignResults,
  discoveries: readonly SiteDiscovery[],
  caveats: readonly Caveat[],
): string {
  const blocks = results.cells.map((group) => {
    const site = campaign.sites.find(({ id }) => id === group.siteId);
    const ofSite = discoveries.filter(({ siteId }) => siteId === group.siteId);
    const discovery = currentDiscoveries(ofSite).get(group.siteId);
    const heading =
      styleText('bold', plain(site?.name ?? group.siteId)) +
      styleText('dim', plain(`  ${site?.url ?? ''}  ${group.condition}, ${group.view}`));
    const under = [
      ...visitorLines(campaign, site, group),
      ...conditionLines(results.conditions.find(({ condition }) => condition === group.condition)),
    ];
    if (group.slots.every(({ valid }) => valid === 0)) {
      const failure = discovery?.failure ? [wrap(discovery.failure.detail)] : [];
      const lines = [...invalidLines(group.slots), ...failure, ...unavailableLines(campaign, discovery)];
      return [heading, ...under, 'Nothing valid was measured.', ...lines].join('\n');
    }
    const notes = [
      verdictLines(group),
      lookNote(group),
      deltas(group, campaign.spec),
      ...quantileLines(group),
      ...noiseLines(group.selfComparisons),
      coverageNote(campaign, discovery, group),
    ].filter((part) => part !== '');
    return [
      heading,
      ...under,
      numbers(group, campaign.spec),
      ...notes,
      ...forceListLines(campaign, ofSite),
      ...dropLines(group.slots),
      ...orderLines(group),
      ...caveatLinesAt(caveats, group),
      ...invalidLines(group.slots),
      ...unavailableLines(campaign, discovery),
    ].join('\n');
  });
  return blocks.join('\n\n');
}

/** The visitor, unless it is the usual one, and what a warm view follows, unless it is the page itself. */
export function visitorLines({ spec }: Campaign, site: Site | undefined, { view }: CellResults): string[] {
  const visitor = visitorOf(spec, site);
  const { after: _, ...without } = visitor;
  const words = view === 'warm' ? afterWords(visitor) : undefined;
  return [
    ...(Object.keys(without).length === 0 ? [] : [`Visited with: ${visitorWords(without)}.`]),
    ...(words === undefined ? [] : [`Its warm view: ${words}.`]),
  ].map(dim);
}

/** A finding about a protocol may really be one about a server or a link, so both are named. */
export function environmentWords({ browser, link, cpuSlowdown, origin }: Environment): string {
  const path = link.backend === 'direct' ? 'on the machine’s own network' : `behind the link ${link.backend} (kernel ${link.kernel})`;
  const quic = origin?.quicGo ? ` (quic-go ${origin.quicGo})` : '';
  const server = origin === null ? '' : `, served by ${origin.server} ${origin.version}${quic}`;
  return `${browser.product}${driverWords(browser)} ${path}, ${tcpWords(link.congestionControl, origin !== null)}${server}.${cpuWords(cpuSlowdown)}`;
}

/** The driver, where it is another program. */
function driverWords({ driver, speedIndexFrom }: Environment['browser']): string {
  if (driver === undefined) return '';
  return ` by ${driver.name} ${driver.version}${speedIndexFrom === undefined ? '' : ', SpeedIndex from video,'}`;
}

/** How much the CPU was slowed down; nothing where it was not. */
function cpuWords(slowdown: Environment['cpuSlowdown']): string {
  if (slowdown === undefined) return '';
  const { factor, machineIndex } = slowdown;
  const from =
    machineIndex === null
      ? 'as the campaign says'
      : `from this machine’s benchmark index ${machineIndex.toLocaleString('en')}, in steps of a half`;
  return ` The CPU was ${factor === 1 ? 'not slowed down' : `slowed down ${factor} times`}, ${from}.`;
}

/** The sender's congestion control decides how fast TCP sends a page; for servers elsewhere it is unknown here. */
function tcpWords(congestionControl: string | null, isServedHere: boolean): string {
  if (congestionControl === null) return 'TCP of unknown congestion control';
  return isServedHere ? `TCP ${congestionControl} at both ends` : `TCP ${congestionControl} at the browser’s end (servers use their own)`;
}

/** The condition and the measured link; nothing where neither is worth a line. */
export function conditionLines(results: ConditionResults | undefined): string[] {
  if (results === undefined) return [];
  const { words, link } = results;
  const lines = [...(words === 'nothing added' ? [] : [`Link: ${words}.`]), ...(link ? [`Measured: ${link.words}.`] : [])];
  return lines.map(dim);
}

function numbers(group: CellResults, spec: Campaign['spec']): string {
  const rows = shownMetrics(spec).flatMap((metric) =>
    group.slots.map((slot, index) => {
      const summary = slot.metrics[metric];
      return [
        index === 0 ? metricTitle(metric, spec) : '',
        slot.protocol,
        String(summary?.n ?? 0),
        failureCell(slot),
        ...columns.map(([, of]) => numberCell(summary, of)),
      ];
    }),
  );
  return table(['ms', '', 'n', 'failed', ...columns.map(([title]) => title)], rows, [0, 1]);
}

/** A number among failed loads is only known to be at least their time limit. */
function numberCell(summary: Summary | undefined, of: (summary: Summary) => number | null): string {
  if (summary === undefined) return '–';
  const value = of(summary);
  if (value !== null) return ms(value);
  return summary.censored?.atLeastMs ? `≥ ${ms(summary.censored.atLeastMs)}` : '–';
}

const failureCell = ({ failures: { failed, share } }: SlotResults): string =>
  failed === 0 || share === null ? '–' : `${failed} (${Number((100 * share).toPrecision(2))} %)`;

const columns: [string, (summary: Summary) => number | null][] = [
  ['median', ({ median }) => median],
  ['p75', ({ p75 }) => p75],
  ['p90', ({ p90 }) => p90],
  ['p99', ({ p99 }) => p99],
  ['min', ({ min }) => min],
  ['max', ({ max }) => max],
];

/** The answer to the campaign's question, as the dashboard words it. */
function verdictLines({ comparisons }: CellResults): string {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (question === undefined) return '';
  const { outcome, words, moreRounds } = question.verdict;
  const more = moreRounds?.words ? ` ${moreRounds.words}` : '';
  return styleText(verdictStyles[outcome], wrap(`${words}${more}`));
}

/** Says so where the numbers above and the verdict are from different rounds. */
const lookNote = ({ sinceLook }: CellResults): string => (sinceLook === null ? '' : dim(sinceLook.words));

export const verdictStyles: Record<VerdictOutcome, 'green' | 'magenta' | 'cyan' | 'yellow'> = {
  'h3-faster': 'green',
  'h2-faster': 'magenta',
  'h1-faster': 'magenta',
  equivalent: 'cyan',
  'not-shown-yet': 'yellow',
  inconclusive: 'yellow',
};

/** Without intervals where the comparisons used fewer rounds. */
function deltas({ h3Delta, comparisons, slots, sinceLook }: CellResults, spec: Campaign['spec']): string {
  if (!slots.some(({ protocol }) => protocol === 'h3') || !slots.some(({ protocol }) => protocol === 'h2')) return '';
  const parts = shownMetrics(spec).map((metric) => {
    const title = metricTitle(metric, spec);
    const delta = h3Delta[metric];
    if (delta === undefined || delta === null) return `${title} –`;
    const interval = comparisons.find((one) => one.metric === metric && one.candidate === 'h3' && one.baseline === 'h2')?.delta;
    const known = sinceLook === null && interval && interval.low !== null && interval.high !== null;
    return `${title} ${signed(delta)}${known ? ` (${signed(interval.low as number)} to ${signed(interval.high as number)})` : ''}`;
  });
  return wrap(`H3-Delta: ${parts.join('; ')}`);
}

/** A/A: the difference between two slots of one protocol is noise. @param where prefix that names the cell */
export function noiseLines(selfComparisons: CellResults['selfComparisons'], where = ''): string[] {
  return selfComparisons.map(({ protocol, metric, delta, p, rounds }) => {
    const difference = `${delta === null ? '–' : signed(delta)}, p = ${p.toFixed(3)}`;
    return wrap(
      `${where}A/A ${protocol} against ${protocol}, ${metricTitle(metric)}: ${difference} (${counted(rounds, 'round')}, signed-rank test)`,
    );
  });
}

function signed(delta: number): string {
  return `${delta < 0 ? '−' : '+'}${Math.abs(delta).toFixed(3)}`;
}

/** The coverage planned at discovery, beside the measured one. */
function coverageNote({ spec }: Campaign, discovery: SiteDiscovery | undefined, { slots }: CellResults): string {
  if (discovery === undefined || discovery.failure !== null || !spec.protocols.includes('h3') || spec.discovery !== 'forced') return '';
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  if (discovery.forced.length === 0) return '';
  const hosts = `${discovery.forced.length} of ${counted(discovery.hosts.length, 'host')}`;
  const covered = `${percent(discovery.objectCoverage)} of objects, ${percent(discovery.byteCoverage)} of bytes at discovery`;
  const measured = slots.find(({ protocol }) => protocol === 'h3')?.metrics;
  const [objects, bytes] = [measured?.h3Share?.median, measured?.h3ByteShare?.median];
  const came =
    objects == null || bytes == null
      ? ''
      : ` Over HTTP/3 in the visits: ${percent(objects)} of objects, ${percent(bytes)} of bytes (medians).`;
  return dim(`Forced to HTTP/3: ${hosts}, ${covered}.${came}`);
}

/** Rounds before and after a change have different force lists. */
export function forceListLines({ spec }: Campaign, ofSite: readonly SiteDiscovery[]): string[] {
  if (!spec.protocols.includes('h3') || spec.discovery !== 'forced') return [];
  return forceListChanges(ofSite).map(({ discoveredAt, added, removed }) => {
    const parts = [
      ...(removed.length === 0 ? [] : [`left to HTTP/2 ${removed.join(', ')}`]),
      ...(added.length === 0 ? [] : [`also forced ${added.join(', ')}`]),
    ];
    const words = `The hosts forced to HTTP/3 changed within this campaign: from ${discoveredAt} on ${parts.join('; ')}.`;
    return yellow(words);
  });
}

export function dropLines(slots: readonly SlotResults[]): string[] {
  return slots.flatMap(({ receiveDrops }) => (receiveDrops === null ? [] : [yellow(receiveDrops.words)]));
}

/** Says so where the place of a visit in its round decides its value. */
export const orderLines = ({ orderEffect }: CellResults): string[] => (orderEffect?.words ? [yellow(orderEffect.words)] : []);

/** What its numbers depend on besides the protocols; warnings stand above. */
const caveatLinesAt = (caveats: readonly Caveat[], cell: CellResults): string[] =>
  caveatsAt(caveats, cell).flatMap(({ code, words }) => (caveatKinds[code].isWarning ? [] : [dim(wrap(words))]));

/** Every reason with its visits of each protocol; a repeated visit counts each time. */
export function invalidLines(slots: readonly SlotResults[]): string[] {
  const byReason = new Map<InvalidReason, Map<Protocol, number>>();
  for (const { protocol, invalid } of slots) {
    for (const { reason, count } of invalid) {
      const counts = byReason.get(reason) ?? new Map<Protocol, number>();
      byReason.set(reason, counts.set(protocol, (counts.get(protocol) ?? 0) + count));
    }
  }
  return [...byReason].map(([reason, counts]) => {
    const visits = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const where = [...counts].map(([protocol, count]) => `${protocol} ${count}`).join(', ');
    return yellow(`${counted(visits, 'invalid visit')} (${where}): ${reason} (${invalidReasons[reason]})`);
  });
}

/** Why discovery rules a protocol out, with its proof: the reason alone doesn’t say if it is missing or fails. */
export function unavailableLines({ spec }: Campaign, discovery: SiteDiscovery | undefined, where = ''): string[] {
  if (discovery === undefined || discovery.failure !== null) return [];
  const faults = [...new Set(spec.protocols)].flatMap((protocol) => unavailable(protocol, discovery, spec.discovery) ?? []);
  return [...new Set(faults.map(({ detail }) => yellow(plain(`${where}${detail}`))))];
}

function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

/** The sentence, and each quantile's difference with its band; nothing where the rounds are too few. */
export function quantileLines({ comparisons }: Pick<CellResults, 'comparisons'>): string[] {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (!question?.byQuantile) return [];
  const { quantiles } = question.byQuantile;
  const cells = quantiles.map(({ p, value, low, high }) =>
    value === null || low === null || high === null ? [name(p), '–', '', ''] : [name(p), percent(value), percent(low), percent(high)],
  );
  const title = `${question.candidate} against ${question.baseline}, %`;
  return [...quantileSentence({ comparisons }), table([title, 'value', 'low', 'high'], cells, [0])];
}

export function quantileSentence({ comparisons }: Pick<CellResults, 'comparisons'>): string[] {
  const words = comparisons.find(({ confirmatory }) => confirmatory)?.byQuantile?.words;
  return words === undefined ? [] : [wrap(`By quantile (exploratory): ${words}`)];
}

const name = (p: number): string => `p${Math.round(100 * p)}`;

const percent = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;
