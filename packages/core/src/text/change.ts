// The difference between two campaigns in a sentence or two: never more than the test shows.

import type {
  CampaignComparison,
  CampaignComparisonPage,
  ChangeOutcome,
  LeadChange,
  ProtocolChange,
  ProtocolOutcomes,
} from '../schemas/campaign-comparison.ts';
import type { Estimate } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { isTime, metricTitle } from '../vocabulary/metric.ts';
import {
  changeWords,
  confidenceWords,
  counted,
  endsOf,
  estimatedValue,
  grouped,
  intervalWords,
  listed,
  protocolName,
  pWords,
  quantityWords,
  type Sides,
  shareWords,
} from './numbers.ts';

type Doubts = ProtocolChange['doubts'];
/** The context of every sentence, besides its numbers. */
export interface ComparisonTerms {
  metric: MetricName;
  baselineId: string;
  confidence: number;
  level: number;
  /** Number of comparisons that the p-value is corrected for. */
  comparisons: number;
}

export function protocolWords(change: Omit<ProtocolChange, 'words'>, sizes: readonly [number, number], terms: ComparisonTerms): string {
  const subject = `${metricTitle(terms.metric)} over ${protocolName(change.protocol)}`;
  return sentence(subject, change, `${grouped(sizes[0])} and ${counted(sizes[1], 'visit')}`, terms);
}

export function leadWords(change: Omit<LeadChange, 'words'>, terms: ComparisonTerms): string {
  const subject = `${metricTitle(terms.metric)} over HTTP/3 as a share of HTTP/2’s`;
  const [campaign = 0, baseline = 0] = change.rounds;
  return sentence(subject, { ...change, shift: change.change }, `${grouped(campaign)} and ${counted(baseline, 'round')}`, terms);
}

type Sentenced = { outcome: ChangeOutcome; doubts: Doubts; shift: Estimate | null; mannWhitney: ProtocolChange['mannWhitney'] };

function sentence(subject: string, { outcome, doubts, shift, mannWhitney }: Sentenced, sizes: string, terms: ComparisonTerms): string {
  const reasons = [...new Set(doubts.map(({ words }) => words))];
  if (mannWhitney === null) return [`${subject} can’t be compared.`, ...reasons].join(' ');
  const numbers = numbersOf(shift, mannWhitney.adjustedP, sizes, terms);
  const side = mannWhitney.rankBiserial < 0 ? 'lower' : 'higher';
  const differs = `${subject} is ${shift === null || Math.sign(estimatedValue(shift)) !== Math.sign(mannWhitney.rankBiserial) ? side : changeWords(estimatedValue(shift))} than in campaign ${terms.baselineId}`;
  if (outcome !== 'undecided') {
    return `These visits differ: ${differs} (${numbers}).${shift?.value === 0 ? ' The typical difference is 0 all the same: many values are equal.' : ''}`;
  }
  if (reasons.length > 0 && mannWhitney.adjustedP <= terms.level)
    return [`No difference is named, although ${differs} (${numbers}).`, ...reasons].join(' ');
  return [`No clear difference in ${subject} (${numbers}).`, ...reasons].join(' ');
}

function numbersOf(shift: Estimate | null, p: number, sizes: string, { confidence, level, comparisons }: ComparisonTerms): string {
  const interval =
    shift === null || endsOf(shift) === null
      ? ''
      : `${confidenceWords(confidence)} interval: ${intervalWords(...(endsOf(shift) as [number, number]))}; `;
  return `${interval}${sizes}, ${pWords(p, level)}${comparisons > 1 ? ` corrected for ${counted(comparisons, 'comparison')}` : ''}`;
}

/** Cautions that apply to every comparison of two campaigns. */
export function cautionsOf(confounded: boolean, cut: readonly { campaignId: string; rounds: number }[]): CampaignComparison['cautions'] {
  return [
    'The tests tell whether the visits of the two campaigns differ, not whether the page changed. Two campaigns of a page that did not change differ too, by the day, the server and the machine, and more rounds show that more often; from five earlier campaigns on, gates and schedules know by how much.',
    'What a day does to HTTP/3 and HTTP/2 alike cancels in HTTP/3’s lead. What it does to one of them, by round trip, loss or load, does not: where days move their ratio by 3 %, leads of a page that did not change differ in 14 % of pairs of campaigns with 20 rounds and in 24 % with 50.',
    ...(confounded ? ['The campaigns were not set up alike: what differs between them may be that.'] : []),
    ...cut.map(
      ({ campaignId, rounds }) =>
        `Of campaign ${campaignId} only the first ${counted(rounds, 'round')} of each cell count: their results decided whether more were measured.`,
    ),
  ];
}

/** A time that is lower is faster; other metrics are lower or higher. */
export const changeSides = (metric: MetricName): Sides => (isTime(metric) ? ['faster', 'slower'] : ['lower', 'higher']);

type Answered = Pick<CampaignComparisonPage, 'metric' | 'outcomes' | 'sites' | 'conditions' | 'views'>;

/**
 * What changed from A to B, in one sentence: B’s onLoad is 8 to 11 % faster everywhere, by up to 96 ms (shop, latency-100, HTTP/3). Clear differences only.
 */
export function changeAnswer(compared: Answered): string {
  const { outcomes, metric } = compared;
  const { byProtocol } = outcomes;
  const title = metricTitle(metric);
  const { lower, higher, undecided } = outcomes.protocols;
  const all = lower + higher + undecided;
  if (all === 0) return 'Nothing was measured in both campaigns.';
  if (lower + higher === 0) return `No clear difference in ${title}.`;
  const clear = ([below, above]: Sides) =>
    [clearWords(compared, 'lower', below), clearWords(compared, 'higher', above)].filter((words) => words !== null).join('; ');
  const words = clear(changeSides(metric));
  // In one direction, and protocols as a whole: that is said without counting.
  const changed = byProtocol.filter(({ lower, higher }) => lower !== null || higher !== null);
  if ((lower > 0 && higher > 0) || changed.some((one) => one.undecided > 0)) {
    return `B’s ${title} is ${words}${undecided === 0 ? '' : `; unclear in ${grouped(undecided)} of ${grouped(all)}`}.`;
  }
  const same = byProtocol.filter((one) => !changed.includes(one)).map(({ protocol }) => protocolName(protocol));
  return `B’s ${title} is ${words}${same.length === 0 ? '' : `; no clear difference over ${listed(same)}`}.`;
}

/** 8 to 11 % faster over HTTP/3 in 3 of 8 cells, by up to 96 ms (latency-100). */
function clearWords({ outcomes, metric, sites, conditions, views }: Answered, outcome: 'lower' | 'higher', side: string): string | null {
  const of = outcomes.byProtocol.flatMap(({ protocol, undecided, ...one }) => {
    const changes = one[outcome];
    return changes === null ? [] : [{ protocol, changes, all: undecided + (one.lower?.cells ?? 0) + (one.higher?.cells ?? 0) }];
  });
  if (of.length === 0) return null;
  const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
  const [cells, all] = [sum(of.map(({ changes }) => changes.cells)), sum(of.map((one) => one.all))];
  const shares = of.flatMap(({ changes: { least, most } }) => (least === null || most === null ? [] : [Math.abs(least), Math.abs(most)]));
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(shareWords) as [string, string];
  const range = shares.length === 0 ? '' : least === most ? `${most} ` : `${least.replace(' %', '')} to ${most} `;
  const isEach = outcomes.byProtocol.length === of.length;
  const where = isEach ? '' : ` over ${listed(of.map(({ protocol }) => protocolName(protocol)))}`;
  const extent = cells < all ? ` in ${grouped(cells)} of ${grouped(all)}` : all > of.length ? ' everywhere' : '';
  const { protocol, changes } = of.toSorted((one, other) => sizeOf(other.changes) - sizeOf(one.changes))[0] as (typeof of)[number];
  const { difference, siteId, condition, view } = changes.largest;
  const place = [
    ...(sites.length > 1 ? [sites.find((site) => site.siteId === siteId)?.siteName ?? ''] : []),
    ...(conditions.length > 1 ? [condition] : []),
    ...(views.length > 1 ? [`${view} view`] : []),
    ...(of.length > 1 ? [protocolName(protocol)] : []),
  ].join(', ');
  const by = difference === null ? '' : `, by ${cells > 1 ? 'up to ' : ''}${quantityWords(metric, Math.abs(difference))}`;
  return `${range}${side}${where}${extent}${by}${by !== '' && place !== '' ? ` (${place})` : ''}`;
}

const sizeOf = ({ largest }: NonNullable<ProtocolOutcomes['lower']>) => Math.abs(largest.difference ?? 0);
