// A comparison of two campaigns as rows of a plot, and in words. Pure.
import type {
  CampaignComparisonPage,
  CampaignDifference,
  CellComparison,
  ChangeOutcome,
  Estimate,
  LeadChange,
  ProtocolChange,
} from '@pronghorn/core/schemas';
import { changeSides } from '@pronghorn/core/text';
import type { MetricName } from '@pronghorn/core/vocabulary';
import { domain, type Range } from '../../charts/axis/scale.ts';
import { percent, signedNumber, signedPercent, unitNames } from '../../text/format.ts';
import type { Unit } from '../../text/vocabulary.ts';

/** `clear`: only cells with a clear difference. */
export type Shown = 'all' | 'clear';

/** Such as: shop, 4g; with its view where there are several. */
export const cellName = ({ siteName, condition, view }: CellComparison, hasViews: boolean): string =>
  `${siteName}, ${condition}${hasViews ? `, ${view} view` : ''}`;

/** Faster and slower for times; lower and higher for the rest. */
export function outcomeWords(outcome: ChangeOutcome, metric: MetricName): string {
  const [below, above] = changeSides(metric);
  return outcome === 'undecided' ? 'unclear' : outcome === 'lower' ? below : above;
}

/** The number that the API counted, on this page or not. */
export const countAll = ({ lower, higher, undecided }: Readonly<Record<ChangeOutcome, number>>): number => lower + higher + undecided;

/** One axis for all medians; from 0 on where that costs less than half of the room. */
export function medianRange(cells: readonly CellComparison[]): Range | null {
  const medians = cells.flatMap(({ protocols }) =>
    protocols.flatMap(({ baseline, campaign }) => [baseline?.median, campaign?.median].filter((median) => typeof median === 'number')),
  );
  const range = domain(medians);
  return range === null || range[0] > range[1] / 2 ? range : [0, range[1]];
}

/** Such as −96 ms (−9 %). */
export function sizeWords({ difference, shift }: Pick<ProtocolChange, 'difference' | 'shift'>, unit: Unit): string {
  const inUnit = typeof difference?.value === 'number' ? `${signedNumber(difference.value, unit)} ${unitNames[unit]}`.trim() : null;
  const share = typeof shift?.value === 'number' ? signedPercent(shift.value) : null;
  if (inUnit === null) return share ?? (difference === null && shift === null ? '–' : 'no bound');
  return share === null ? inUnit : `${inUnit} (${share})`;
}

/** Such as −8 to −11 %; in the metric's unit where there is no share. */
export function intervalText({ difference, shift }: Pick<ProtocolChange, 'difference' | 'shift'>, unit: Unit): string {
  if (shift !== null) return shift.low === null || shift.high === null ? '' : `${signedPercent(shift.low)} to ${signedPercent(shift.high)}`;
  if (difference === null || difference.low === null || difference.high === null) return '';
  return `${signedNumber(difference.low, unit)} to ${signedNumber(difference.high, unit)} ${unitNames[unit]}`.trim();
}

/**
 * Whose median is lower in one campaign, by H3-Delta, whose share is of the higher one. It names no winner: its interval stands alone,
 * while the campaign's own verdict is corrected for all of its comparisons and weighs its doubts.
 */
export function medianWords(delta: Estimate | null): string {
  if (typeof delta?.value !== 'number') return 'not measured';
  if (delta.value === 0) return 'equal medians';
  const isClear = delta.low !== null && delta.high !== null && (delta.low > 0 || delta.high < 0);
  return `${delta.value < 0 ? 'HTTP/3' : 'HTTP/2'}’s median ${percent(Math.abs(delta.value))} lower${isClear ? '' : ', unclear'}`;
}

export const leadOutcomes: Readonly<Record<ChangeOutcome, string>> = {
  lower: 'HTTP/3 gained',
  higher: 'HTTP/3 lost',
  undecided: 'unclear',
};

/** HTTP/3 gained on HTTP/2 in 3 of 8 cells, and lost in 1. */
export function leadAnswer({ lower, higher, undecided }: CampaignComparisonPage['outcomes']['leads']): string {
  const all = lower + higher + undecided;
  if (lower + higher === 0) return 'The difference between HTTP/3 and HTTP/2 has not clearly changed.';
  const where = (count: number) => (count === all ? (all === 1 ? '' : ' everywhere') : ` in ${count} of ${all}`);
  const parts = [
    ...(lower === 0 ? [] : [`gained on HTTP/2${where(lower)}`]),
    ...(higher === 0 ? [] : [`lost ground to HTTP/2${where(higher)}`]),
  ];
  return `HTTP/3 ${parts.join(' and ')}.`;
}

/** Cells whose winner is another one than before, or whose lead clearly changed, come first. */
export const leadsOf = (cells: readonly CellComparison[]): { cell: CellComparison; lead: LeadChange }[] => {
  const leads = cells.flatMap((cell) => (cell.lead === null ? [] : [{ cell, lead: cell.lead }]));
  const isClear = ({ lead }: (typeof leads)[number]) => lead.outcome !== 'undecided';
  return [...leads.filter(isClear), ...leads.filter((one) => !isClear(one))];
};

/** One line: the same settings, or what differs. */
export function setupWords(differences: readonly Pick<CampaignDifference, 'what' | 'consequence'>[]): string {
  const of = (consequence: CampaignDifference['consequence']) =>
    differences.filter((one) => one.consequence === consequence).map(({ what }) => differenceNames[what].toLowerCase());
  const [confounded, others] = [of('confounded'), [...of('left-out'), ...of('precision')]];
  if (confounded.length > 0) return `Different ${confounded.join(', ')}: this alone may explain the numbers`;
  return others.length > 0 ? `Same settings, except ${others.join(', ')}` : 'Same settings in both';
}

export const differenceNames: Readonly<Record<CampaignDifference['what'], string>> = {
  sites: 'Sites',
  conditions: 'Conditions',
  views: 'Views',
  protocols: 'Protocols',
  rounds: 'Rounds',
  engine: 'Engine',
  discovery: 'HTTP/3 discovery',
  isolation: 'Isolation of visits',
  prime: 'Load before each round',
  browser: 'Browser',
  location: 'Location',
  visitor: 'Visitor',
  workload: 'Workload',
  limits: 'Limits of a visit',
  link: 'Link',
  chrome: 'Chrome version',
  machine: 'Machine',
  release: 'Pronghorn release',
  origin: 'Origin',
};
