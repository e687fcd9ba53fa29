// Campaigns to compare, and a comparison as lines of a table and rows of a chart. Pure.
import type {
  Campaign,
  CampaignComparisonPage,
  CampaignDifference,
  CellComparison,
  ChangeOutcome,
  ProtocolChange,
} from '@pronghorn/core/schemas';
import type { DeltaRow } from '../../charts/delta/rows.ts';
import { many, time } from '../../text/format.ts';

export type ChangeLine = { cell: CellComparison; change: ProtocolChange };

export const changeLines = (cells: readonly CellComparison[]): ChangeLine[] =>
  cells.flatMap((cell) => cell.protocols.map((change) => ({ cell, change })));

/** Such as: shop, 4g; with its view where there are several. */
export const cellName = ({ siteName, condition, view }: CellComparison, hasViews: boolean): string =>
  `${siteName}, ${condition}${hasViews ? `, ${view} view` : ''}`;

export const outcomeWords: Readonly<Record<ChangeOutcome, string>> = { lower: 'lower', higher: 'higher', undecided: 'unclear' };

/** The number that the API counted, on this page or not. */
export const countAll = ({ lower, higher, undecided }: Readonly<Record<ChangeOutcome, number>>): number => lower + higher + undecided;

/** Such as: 12 comparisons of onLoad: 3 lower, 1 higher, 8 unclear. Counts what the API decided. */
export function countWords(counts: Readonly<Record<ChangeOutcome, number>>, what: string): string {
  const all = countAll(counts);
  if (all === 0) return 'Nothing was measured in both campaigns.';
  const parts = (['lower', 'higher', 'undecided'] as const).flatMap((outcome) =>
    counts[outcome] === 0 ? [] : [`${counts[outcome]} ${outcomeWords[outcome]}`],
  );
  return `${many(all, 'comparison')} of ${what}: ${parts.join(', ')}.`;
}

/** `clear`: only cells with a clear difference. */
export type Shown = 'all' | 'clear';

/**
 * Stands below a list that has fewer than the API counted; empty where it has all.
 * @param isLeftOut whether the others are not shown because they have no clear difference
 */
export function othersWords(here: number, all: number, isLeftOut = false): string {
  if (here >= all) return '';
  const why = isLeftOut
    ? 'show all above, not only clear differences, for the others'
    : 'choose a site or a condition above for the others';
  return `${here === 0 ? 'None' : here} of ${all} ${here === 0 || here === 1 ? 'is' : 'are'} shown here: ${why}.`;
}

/** H3-Delta of both campaigns in these cells, one below the other. */
export function leadRows(
  cells: readonly CellComparison[],
  { campaignId, baselineId, metric }: Pick<CampaignComparisonPage, 'campaignId' | 'baselineId' | 'metric'>,
  hasViews: boolean,
): DeltaRow[] {
  return cells.flatMap((cell) => {
    if (cell.lead === null) return [];
    const row = (side: 'campaign' | 'baseline', id: string, siteId: string): DeltaRow => ({
      label: `${side === 'baseline' ? 'A' : 'B'}: campaign ${id}`,
      group: cellName(cell, hasViews),
      value: cell.lead?.[side]?.value ?? null,
      low: cell.lead?.[side]?.low ?? null,
      high: cell.lead?.[side]?.high ?? null,
      href: `#/campaigns/${encodeURIComponent(id)}?${new URLSearchParams({ site: siteId, condition: cell.condition, view: cell.view, metric })}`,
    });
    return [row('baseline', baselineId, cell.baselineSiteId), row('campaign', campaignId, cell.siteId)];
  });
}

export const differenceNames: Readonly<Record<CampaignDifference['what'], string>> = {
  sites: 'Sites',
  conditions: 'Conditions',
  views: 'Views',
  protocols: 'Protocols',
  rounds: 'Rounds',
  engine: 'Engine',
  discovery: 'How HTTP/3 is found',
  isolation: 'Isolation of visits',
  browser: 'Browser',
  location: 'Location',
  visitor: 'Visitor',
  workload: 'Workload of a run',
  limits: 'Limits of a visit',
  link: 'Link',
  chrome: 'Chrome’s version',
  machine: 'Machine',
  release: 'Pronghorn’s release',
  origin: 'Origin',
};

/** Such as: 7 · shop at night · 1 Mar 2026, 02:30 · 82e4eca. */
export function campaignLabel({ id, spec, createdAt, annotations }: Pick<Campaign, 'id' | 'spec' | 'createdAt' | 'annotations'>): string {
  const name = spec.name.length > 60 ? `${spec.name.slice(0, 59)}…` : spec.name;
  return [id, name, time(createdAt), ...(annotations.commit === undefined ? [] : [annotations.commit.slice(0, 10)])].join(' · ');
}

/** Campaigns that share a site with the other one come first; each part starts with the newest. */
export function forChoice<C extends Pick<Campaign, 'id' | 'sites'>>(
  campaigns: readonly C[],
  other: Pick<Campaign, 'id' | 'sites'> | undefined,
): { alike: C[]; others: C[] } {
  const urls = new Set(other?.sites.map(({ url }) => url));
  const [alike, others]: [C[], C[]] = [[], []];
  for (const campaign of campaigns) {
    if (campaign.id === other?.id) continue;
    (campaign.sites.some(({ url }) => urls.has(url)) ? alike : others).push(campaign);
  }
  return { alike, others };
}

type Comparable = Pick<Campaign, 'createdBy' | 'createdByKind' | 'progress' | 'sites' | 'spec'>;

/**
 * The earlier campaign to compare with: the last of the same schedule, else the last of the same pages and conditions; undefined where there is none.
 * @param older earlier campaigns, the newest first
 */
export function campaignBefore<Older extends Comparable>(campaign: Comparable, older: readonly Older[]): Older | undefined {
  const measured = older.filter(({ progress }) => progress.visitsValid > 0);
  const isOfSchedule = ({ createdBy, createdByKind }: Comparable) => createdByKind === 'schedule' && createdBy === campaign.createdBy;
  return (
    (campaign.createdByKind === 'schedule' ? measured.find(isOfSchedule) : undefined) ??
    measured.find((one) => question(one) === question(campaign))
  );
}

const question = ({ sites, spec }: Comparable): string =>
  JSON.stringify([sites.map(({ url }) => url).sort(), spec.conditions.map(({ name }) => name).sort()]);
