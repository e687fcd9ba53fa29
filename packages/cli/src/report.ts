// A campaign's results as text: for each site, condition and view, each protocol's numbers and the H3-Delta, beside what the link did.
import { styleText } from 'node:util';
import {
  type Campaign,
  type CampaignResults,
  type ConditionResults,
  type Environment,
  type GroupResults,
  type InvalidReason,
  invalidReasons,
  type Protocol,
  type SiteDiscovery,
  type SlotResults,
  type Summary,
  type VerdictOutcome,
} from '@pronghorn/core';
import { counted, table, wrap } from './terminal.ts';

/** The metrics that a terminal shows; the page, the exports and the API have all. */
const shown = [
  ['onLoad', 'onLoad'],
  ['speedIndex', 'SpeedIndex'],
] as const;

/** @param environment of one of its visits; undefined when none has run */
export function report(
  campaign: Campaign,
  results: CampaignResults,
  discoveries: readonly SiteDiscovery[],
  environment?: Environment,
): string {
  const groups = results.groups.map((group) => {
    const site = campaign.sites.find(({ id }) => id === group.siteId);
    const discovery = discoveries.findLast(({ siteId }) => siteId === group.siteId);
    const heading =
      styleText('bold', site?.name ?? group.siteId) + styleText('dim', `  ${site?.url ?? ''}  ${group.condition}, ${group.view}`);
    const under = conditionLines(results.conditions.find(({ condition }) => condition === group.condition));
    if (group.slots.every(({ valid }) => valid === 0)) {
      const failure = discovery?.failure ? [wrap(discovery.failure.detail)] : [];
      return [heading, ...under, 'Nothing valid was measured.', ...invalidLines(group.slots), ...failure].join('\n');
    }
    const notes = [verdictLines(group), lookNote(group), deltas(group), noise(group), coverageNote(campaign, discovery)].filter(
      (part) => part !== '',
    );
    return [heading, ...under, numbers(group), ...notes, ...dropLines(group.slots), ...invalidLines(group.slots)].join('\n');
  });
  const ran = environment === undefined ? [] : [styleText('dim', wrap(environmentWords(environment)))];
  return [...groups, ...overview(campaign, results), ...closingNotes(campaign, results), ...ran].join('\n\n');
}

/** A finding about a protocol may be one about a server or a link: both are named. */
export function environmentWords({ browser, link, origin }: Environment): string {
  const path = link.backend === 'direct' ? 'on the machine’s own network' : `behind the link ${link.backend} (kernel ${link.kernel})`;
  const server = origin === null ? '' : `, served by ${origin.server} ${origin.version}`;
  return `${browser.product} ${path}, TCP ${link.congestionControl ?? 'of unknown congestion control'}${server}.`;
}

/** What the link was asked to do and what it was measured to do; nothing where neither is worth a line. */
export function conditionLines(results: ConditionResults | undefined): string[] {
  if (results === undefined) return [];
  const { words, link } = results;
  const lines = [...(words === 'nothing added' ? [] : [`Link: ${words}.`]), ...(link ? [`Measured: ${link.words}.`] : [])];
  return lines.map((line) => styleText('dim', wrap(line)));
}

/** Many groups at a glance: medians and H3-Delta, a line for each. */
function overview(campaign: Campaign, { groups }: CampaignResults): string[] {
  const [first] = groups;
  if (first === undefined || groups.length < groupsForOverview) return [];
  const hasSites = campaign.sites.length > 1;
  const hasViews = campaign.spec.views.length > 1;
  const isCompared = groups.some(({ h3Delta }) => shown.some(([metric]) => typeof h3Delta[metric] === 'number'));
  const place = (group: GroupResults) => [
    ...(hasSites ? [campaign.sites.find(({ id }) => id === group.siteId)?.name ?? group.siteId] : []),
    group.condition,
    ...(hasViews ? [group.view] : []),
  ];
  const header = [
    ...[...(hasSites ? ['site'] : []), 'condition', ...(hasViews ? ['view'] : [])],
    ...shown.flatMap(([, title]) => [
      ...first.slots.map(({ protocol }, index) => (index === 0 ? `${title}, ms: ${protocol}` : protocol)),
      ...(isCompared ? ['H3-Delta'] : []),
    ]),
    ...(isCompared ? ['verdict'] : []),
  ];
  const rows = groups.map((group) => [
    ...place(group),
    ...shown.flatMap(([metric]) => [
      ...group.slots.map(({ metrics }) => (metrics[metric] ? ms(metrics[metric].median) : '–')),
      ...(isCompared ? [deltaOf(group, metric)] : []),
    ]),
    ...(isCompared ? [shortVerdict(group)] : []),
  ]);
  return [
    `${styleText('bold', 'Medians by condition')}\n${table(
      header,
      rows,
      place(first).map((_, column) => column),
    )}`,
  ];
}

/** Of the primary metric. */
function shortVerdict({ comparisons }: GroupResults): string {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (question === undefined) return '–';
  return question.verdict.outcome === 'inconclusive' ? '?' : question.verdict.outcome;
}

/** Fewer are read at a glance without one. */
const groupsForOverview = 3;

function deltaOf({ h3Delta }: GroupResults, metric: (typeof shown)[number][0]): string {
  const delta = h3Delta[metric];
  return delta === undefined || delta === null ? '–' : signed(delta);
}

function numbers(group: GroupResults): string {
  const rows = shown.flatMap(([metric, title]) =>
    group.slots.map((slot, index) => {
      const summary = slot.metrics[metric];
      return [
        index === 0 ? title : '',
        slot.protocol,
        String(summary?.n ?? 0),
        ...columns.map(([, of]) => (summary === undefined ? '–' : ms(of(summary)))),
      ];
    }),
  );
  return table(['ms', '', 'n', ...columns.map(([title]) => title)], rows, [0, 1]);
}

const columns: [string, (summary: Summary) => number][] = [
  ['median', ({ median }) => median],
  ['p75', ({ p75 }) => p75],
  ['p90', ({ p90 }) => p90],
  ['p99', ({ p99 }) => p99],
  ['min', ({ min }) => min],
  ['max', ({ max }) => max],
];

/** The answer to the campaign's question, in the words that the page has too. */
function verdictLines({ comparisons }: GroupResults): string {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (question === undefined) return '';
  const { outcome, words, moreRounds } = question.verdict;
  const more = moreRounds === null ? '' : ` About ${counted(moreRounds, 'more round')} would settle it.`;
  return styleText(verdictStyles[outcome], wrap(`${words}${more}`));
}

/** Where the numbers above and the verdict are not of the same rounds. */
const lookNote = ({ sinceLook }: GroupResults): string => (sinceLook === null ? '' : styleText('dim', wrap(sinceLook.words)));

const verdictStyles: Record<VerdictOutcome, 'green' | 'magenta' | 'cyan' | 'yellow'> = {
  'h3-faster': 'green',
  'h2-faster': 'magenta',
  'h1-faster': 'magenta',
  equivalent: 'cyan',
  inconclusive: 'yellow',
};

/** Without intervals where those of the comparisons are of fewer rounds. */
function deltas({ h3Delta, comparisons, slots, sinceLook }: GroupResults): string {
  if (!slots.some(({ protocol }) => protocol === 'h3') || !slots.some(({ protocol }) => protocol === 'h2')) return '';
  const parts = shown.map(([metric, title]) => {
    const delta = h3Delta[metric];
    if (delta === undefined || delta === null) return `${title} –`;
    const interval = comparisons.find((one) => one.metric === metric && one.candidate === 'h3' && one.baseline === 'h2')?.delta;
    const known = sinceLook === null && interval && interval.low !== null && interval.high !== null;
    return `${title} ${signed(delta)}${known ? ` (${signed(interval.low as number)} to ${signed(interval.high as number)})` : ''}`;
  });
  return wrap(`H3-Delta: ${parts.join('; ')}`);
}

/** A/A: what two slots of one protocol differ by is noise. */
function noise({ selfComparisons }: GroupResults): string {
  return selfComparisons
    .map(({ protocol, metric, delta, p, rounds }) => {
      const title = shown.find(([name]) => name === metric)?.[1] ?? metric;
      const found = `${delta === null ? '–' : signed(delta)}, p = ${p.toFixed(3)}`;
      return wrap(`A/A ${protocol} against ${protocol}, ${title}: ${found} (${counted(rounds, 'round')}, signed-rank test)`);
    })
    .join('\n');
}

function signed(delta: number): string {
  return `${delta < 0 ? '−' : '+'}${Math.abs(delta).toFixed(3)}`;
}

function coverageNote({ spec }: Campaign, discovery: SiteDiscovery | undefined): string {
  if (discovery === undefined || discovery.failure !== null || !spec.protocols.includes('h3') || spec.discovery !== 'forced') return '';
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  if (discovery.forced.length === 0) return '';
  const hosts = `${discovery.forced.length} of ${counted(discovery.hosts.length, 'host')}`;
  const covered = `${percent(discovery.objectCoverage)} of objects, ${percent(discovery.byteCoverage)} of bytes`;
  return styleText('dim', wrap(`Forced to HTTP/3: ${hosts}, ${covered}.`));
}

export function dropLines(slots: readonly SlotResults[]): string[] {
  return slots.flatMap(({ receiveDrops }) => (receiveDrops === null ? [] : [styleText('yellow', wrap(receiveDrops.words))]));
}

/** Every reason with its visits of each protocol; a visit that was tried again counts each time. */
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
    return styleText('yellow', wrap(`${counted(visits, 'invalid visit')} (${where}): ${reason}, ${invalidReasons[reason]}`));
  });
}

function closingNotes({ spec }: Campaign, { groups }: CampaignResults): string[] {
  const slots = groups.flatMap((group) => group.slots);
  const notes: string[] = [];
  if (slots.some(({ invalid }) => invalid.some(({ reason }) => reason === 'busy-machine'))) {
    const percent = Math.round(spec.limits.foreignCpuShare * 100);
    notes.push(
      `Other work took more than ${percent} % of the CPU: end it, or allow it more with --busy, at the cost of noisier numbers. ` +
        'Or a limit on CPU time stopped the runner: take it away. Each visit says which.',
    );
  }
  if (spec.protocols.includes('h3') && spec.discovery === 'forced' && slots.some(({ protocol, valid }) => protocol === 'h3' && valid > 0)) {
    const how = '--discovery alt-svc shows that';
    notes.push(`HTTP/3 was forced from the first request: the best case, not what a first visitor gets (${how}).`);
  }
  if (slots.some(({ receiveDrops }) => receiveDrops !== null))
    notes.push('Receive buffers are as large as the kernel allows: ./pronghorn doctor says what Chrome asks for and what it gets.');
  return notes.map((note) => styleText('dim', wrap(note)));
}

function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
