// Two campaigns compared: differences in setup, differences in each protocol's visits, and changes in HTTP/3's lead.
import Type, { type Static } from 'typebox';
import { effectCategories } from '../vocabulary/verdict.ts';
import { Estimate } from './comparison.ts';
import { orNull } from './fields.ts';
import { gateReasons } from './gate-answer.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

const differenceKinds = [
  'sites',
  'conditions',
  'views',
  'protocols',
  'rounds',
  'engine',
  'discovery',
  'isolation',
  'prime',
  'browser',
  'location',
  'visitor',
  'workload',
  'limits',
  'link',
  'chrome',
  'machine',
  'release',
  'origin',
] as const;

/** A difference in what the two campaigns were set up with, or ran in. */
export const CampaignDifference = Type.Object({
  what: Type.Enum([...differenceKinds]),
  campaign: Type.String({ description: 'The campaign’s value, in words.' }),
  baseline: Type.String({ description: 'The baseline’s value, in words.' }),
  consequence: Type.Enum(['left-out', 'confounded', 'precision'], {
    description:
      'left-out: what only one of them has is not compared; confounded: this alone may explain a difference; precision: one of them is measured more precisely.',
  }),
  words: Type.String({ description: 'What it means, in a sentence.' }),
});
export type CampaignDifference = Static<typeof CampaignDifference>;

const ends = {
  low: orNull(Type.Number(), 'Null if there are too few values for the confidence level, or it lies among failed loads.'),
  high: orNull(Type.Number(), 'See low.'),
};

const MeasuredSide = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Visits that count, including failed ones.' }),
  failed: Type.Integer({ minimum: 0, description: 'Visits that failed because of the page or its protocol.' }),
  median: orNull(Type.Number(), 'Null: it lies among failed loads.'),
  ...ends,
});

const RankTest = Type.Object({
  p: Type.Number({ description: 'Two-sided, uncorrected.' }),
  adjustedP: Type.Number({ description: 'Holm-corrected over all tests of this kind between the two campaigns.' }),
  rankBiserial: Type.Number({ description: 'In [−1, 1]; negative if the campaign’s values are lower.' }),
  category: Type.Enum([...effectCategories]),
  method: Type.Enum(['exact', 'normal']),
});

const changeOutcomes = ['lower', 'higher', 'undecided'] as const;
const Outcome = Type.Enum([...changeOutcomes], {
  description: 'The campaign against the baseline. undecided: the test finds no clear difference, or a doubt prevents naming one.',
});
export type ChangeOutcome = (typeof changeOutcomes)[number];

/** no-ratio: a value is 0, so a ratio is undefined. */
const changeDoubts = [...gateReasons, 'no-ratio'] as const;
const Doubts = Type.Array(Type.Object({ campaignId: Type.String(), reason: Type.Enum([...changeDoubts]), words: Type.String() }), {
  description: 'If there are any, no difference is named.',
});

/** One protocol's visits in both campaigns. */
export const ProtocolChange = Type.Object({
  protocol: Protocol,
  campaign: orNull(MeasuredSide, 'Null: no visit has a value. The interval is that of the median, by order statistics.'),
  baseline: orNull(MeasuredSide, 'See campaign.'),
  difference: orNull(
    Estimate,
    'Campaign − baseline (Hodges–Lehmann), in the unit of the metric, with the interval of the test. Also null if failures leave nothing to compare.',
  ),
  shift: orNull(Estimate, 'The difference as a share of the baseline, on logarithms. Null if a value is 0.'),
  mannWhitney: orNull(RankTest, 'Test of the two samples. Null if one is empty.'),
  outcome: Outcome,
  doubts: Doubts,
  words: Type.String(),
});
export type ProtocolChange = Static<typeof ProtocolChange>;

/** HTTP/3 against HTTP/2 in both campaigns. */
export const LeadChange = Type.Object({
  campaign: orNull(Estimate, 'H3-Delta, with a bootstrap interval over whole rounds. Null if there is none.'),
  baseline: orNull(Estimate, 'See campaign.'),
  rounds: Type.Array(Type.Integer(), {
    minItems: 2,
    maxItems: 2,
    description: 'Rounds that have both protocols: in the campaign, in the baseline.',
  }),
  change: orNull(
    Estimate,
    'Change of HTTP/3’s time as a share of HTTP/2’s in the same round, relative to the baseline: −0.05 is 5 % lower.',
  ),
  mannWhitney: orNull(RankTest, 'Test of the rounds’ ratios. Null if one campaign has none.'),
  outcome: Outcome,
  doubts: Doubts,
  words: Type.String(),
});
export type LeadChange = Static<typeof LeadChange>;

export const CellComparison = Type.Object({
  siteId: Type.String({ description: 'Id in the campaign.' }),
  siteName: Type.String(),
  baselineSiteId: Type.String({ description: 'Id in the baseline, of the same page or one with the same name.' }),
  condition: Type.String(),
  view: View,
  protocols: Type.Array(ProtocolChange, { description: 'Protocols that both measured.' }),
  lead: orNull(LeadChange, 'Null unless both measured HTTP/3 and HTTP/2.'),
});
export type CellComparison = Static<typeof CellComparison>;

export const CampaignComparison = Type.Object({
  campaignId: Type.String(),
  baselineId: Type.String(),
  metric: MetricName,
  confidence: Type.Number({ description: 'Confidence of each interval by itself.' }),
  comparisons: Type.Object(
    { protocols: Type.Integer(), leads: Type.Integer() },
    { description: 'Number of tests of each kind, which p-values are corrected for, regardless of filters.' },
  ),
  differences: Type.Array(CampaignDifference),
  cautions: Type.Array(Type.String(), { description: 'Limits of these tests, in words.' }),
  sites: Type.Array(Type.Object({ siteId: Type.String(), siteName: Type.String() }), {
    description: 'Sites of the campaign that both measured, regardless of filters.',
  }),
  conditions: Type.Array(Type.String(), { description: 'Conditions that both measured, regardless of filters.' }),
  views: Type.Array(View, { description: 'Views that both measured, regardless of filters.' }),
  cells: Type.Array(CellComparison, { description: 'Cells (site × condition × view) that both measured, in the order of the campaign.' }),
});
export type CampaignComparison = Static<typeof CampaignComparison>;

const count = Type.Integer({ minimum: 0 });
const counts = { lower: count, higher: count, undecided: count };

const clearChanges = (description: string) =>
  orNull(
    Type.Object({
      cells: Type.Integer({ minimum: 1 }),
      least: orNull(Type.Number(), 'The smallest change as a share of the baseline. Null if no cell has a bounded one.'),
      most: orNull(Type.Number(), 'The largest one.'),
      largest: Type.Object(
        {
          ...{ siteId: Type.String(), condition: Type.String(), view: View },
          difference: orNull(Type.Number(), 'In the unit of the metric.'),
          share: orNull(Type.Number(), 'As a share of the baseline.'),
        },
        { description: 'The cell with the largest difference.' },
      ),
    }),
    description,
  );

/** What became of one protocol over all cells. */
export const ProtocolOutcomes = Type.Object({
  protocol: Protocol,
  lower: clearChanges('Cells in which the campaign is clearly lower. Null: none.'),
  higher: clearChanges('Cells in which it is clearly higher. Null: none.'),
  undecided: count,
});
export type ProtocolOutcomes = Static<typeof ProtocolOutcomes>;

/** A page of cells; all other fields describe the whole comparison, on every page. */
export const CampaignComparisonPage = Type.Object({
  ...CampaignComparison.properties,
  outcomes: Type.Object(
    {
      protocols: Type.Object({
        ...counts,
        tooFew: Type.Integer({ minimum: 0, description: 'Undecided cells with too few visits to reach the level.' }),
      }),
      leads: Type.Object(counts),
      byProtocol: Type.Array(ProtocolOutcomes, { description: 'In the order of the campaign; protocols that both measured.' }),
    },
    { description: 'Counts over all cells of the requested site, condition and view, on this page or not.' },
  ),
  nextCursor: orNull(Type.String(), 'Cursor of the next page; null on the last page.'),
});
export type CampaignComparisonPage = Static<typeof CampaignComparisonPage>;

/** What a campaign is compared with when nobody names another one. */
export const PreviousCampaign = Type.Object({
  campaign: orNull(
    Type.Object({
      ...{ id: Type.String(), name: Type.String(), createdAt: Type.String({ format: 'date-time' }) },
      isSameSetup: Type.Boolean({ description: 'Whether its visits are performed in the same way and from the same place.' }),
    }),
    'Null: no earlier campaign measured any of its pages under any of its conditions.',
  ),
});
export type PreviousCampaign = Static<typeof PreviousCampaign>;
