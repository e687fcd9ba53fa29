// The difference between two campaigns in a sentence or two: never more than the test shows.

import type { CampaignComparison, ChangeOutcome, LeadChange, ProtocolChange } from '../schemas/campaign-comparison.ts';
import type { Estimate } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import { changeWords, confidenceWords, counted, endsOf, estimatedValue, grouped, intervalWords, protocolName, pWords } from './numbers.ts';

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
