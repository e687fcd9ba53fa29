// A campaign's results as text: for each site, condition and view, each protocol's numbers and the H3-Delta.
import { styleText } from 'node:util';
import { type Campaign, type CampaignResults, type GroupResults, invalidReasons, type SiteDiscovery, type Summary } from '@pronghorn/core';
import { table } from './terminal.ts';

/** The metrics that a terminal shows; the page, the exports and the API have all. */
const shown = [
  ['onLoad', 'onLoad'],
  ['speedIndex', 'SpeedIndex'],
] as const;

export function report(campaign: Campaign, results: CampaignResults, discoveries: readonly SiteDiscovery[]): string {
  const groups = results.groups.map((group) => {
    const site = campaign.sites.find(({ id }) => id === group.siteId);
    const discovery = discoveries.findLast(({ siteId }) => siteId === group.siteId);
    return [
      styleText('bold', `${site?.name ?? group.siteId}`) + styleText('dim', `  ${site?.url ?? ''}  ${group.condition}, ${group.view}`),
      numbers(group),
      deltas(group),
      noise(group),
      coverageNote(campaign, discovery),
      invalids(group),
    ]
      .filter((part) => part !== '')
      .join('\n');
  });
  return [...groups, forcedNote(campaign)].filter((part) => part !== '').join('\n\n');
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

function deltas({ h3Delta, slots }: GroupResults): string {
  if (!slots.some(({ protocol }) => protocol === 'h3') || !slots.some(({ protocol }) => protocol === 'h2')) return '';
  const parts = shown.map(([metric, title]) => {
    const delta = h3Delta[metric];
    if (delta === undefined || delta === null) return `${title} –`;
    const lower = delta === 0 ? '' : delta < 0 ? ' (HTTP/3 lower)' : ' (HTTP/2 lower)';
    return `${title} ${signed(delta)}${lower}`;
  });
  return `H3-Delta  ${parts.join('   ')}`;
}

/** A/A: what two slots of one protocol differ by is noise. */
function noise({ selfComparisons }: GroupResults): string {
  return selfComparisons
    .map(({ protocol, metric, delta, p, rounds }) => {
      const title = shown.find(([name]) => name === metric)?.[1] ?? metric;
      return `A/A  ${protocol} against ${protocol}, ${title}: ${delta === null ? '–' : signed(delta)}, p = ${p.toFixed(3)} (${rounds} rounds, paired permutation test)`;
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
  return styleText(
    'dim',
    `Forced to HTTP/3: ${discovery.forced.length} of ${discovery.hosts.length} hosts, ${percent(discovery.objectCoverage)} of objects, ${percent(discovery.byteCoverage)} of bytes.`,
  );
}

function invalids({ slots }: GroupResults): string {
  return slots
    .flatMap(({ protocol, invalid }) =>
      invalid.map(({ reason, count }) => styleText('yellow', `${count} invalid over ${protocol}: ${invalidReasons[reason]} (${reason})`)),
    )
    .join('\n');
}

function forcedNote({ spec }: Campaign): string {
  if (!spec.protocols.includes('h3') || spec.discovery !== 'forced') return '';
  return styleText(
    'dim',
    'HTTP/3 was forced from the first request: the best case, not what a first visitor gets (--discovery alt-svc shows that).',
  );
}

function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
