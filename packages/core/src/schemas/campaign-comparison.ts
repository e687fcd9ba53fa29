// Two campaigns held against one another: what was set up differently, what each protocol's visits differ by, and whether HTTP/3's
// lead did.
import Type, { type Static } from 'typebox';
import { effectCategories } from '../vocabulary/verdict.ts';
import { Estimate } from './comparison.ts';
import { orNull } from './fields.ts';
import { gateReasons } from './gate-answer.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

export const differenceKinds = [
  'sites',
  'conditions',
  'views',
  'protocols',
  'rounds',
  'engine',
  'discovery',
  'isolation',
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

/** What the two were set up with, or ran in, that is not the same. */
export const CampaignDifference = Type.Object({
  what: Type.Enum([...differenceKinds]),
  campaign: Type.String({ description: 'Of the campaign, in words.' }),
  baseline: Type.String({ description: 'Of the baseline, in words.' }),
  consequence: Type.Enum(['left-out', 'confounded', 'precision'], {
    description:
      'left-out: what only one of them has is not compared; confounded: the numbers may differ by this alone; precision: one of them is known better.',
  }),
  words: Type.String({ description: 'What that means, in a sentence.' }),
});
export type CampaignDifference = Static<typeof CampaignDifference>;

const ends = {
  low: orNull(Type.Number(), 'Null where too few values reach the confidence, and where it lies among loads that failed.'),
  high: orNull(Type.Number(), 'As low.'),
};

const MeasuredSide = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Visits that count, failed ones among them.' }),
  failed: Type.Integer({ minimum: 0, description: 'Of them, those that failed because of the page or its protocol.' }),
  median: orNull(Type.Number(), 'Null: it lies among loads that failed.'),
  ...ends,
});

const RankTest = Type.Object({
  p: Type.Number({ description: 'Two-sided, by itself.' }),
  adjustedP: Type.Number({ description: 'Corrected for all of this kind between the two campaigns (Holm).' }),
  rankBiserial: Type.Number({ description: 'In [−1, 1]; negative where the campaign’s values are the lower ones.' }),
  category: Type.Enum([...effectCategories]),
  method: Type.Enum(['exact', 'normal']),
});

export const changeOutcomes = ['lower', 'higher', 'undecided'] as const;
const Outcome = Type.Enum([...changeOutcomes], {
  description: 'Of the campaign against the baseline. undecided: the test does not tell them apart, or something speaks against naming it.',
});
export type ChangeOutcome = (typeof changeOutcomes)[number];

/** no-ratio: a value is 0, and nothing is a share of it. */
export const changeDoubts = [...gateReasons, 'no-ratio'] as const;
const Doubts = Type.Array(Type.Object({ campaignId: Type.String(), reason: Type.Enum([...changeDoubts]), words: Type.String() }), {
  description: 'With any of them no difference is named.',
});

/** One protocol's visits in both campaigns. */
export const ProtocolChange = Type.Object({
  protocol: Protocol,
  campaign: orNull(MeasuredSide, 'Null: no visit has a number. The interval is of the median, by order statistics.'),
  baseline: orNull(MeasuredSide, 'As campaign.'),
  difference: orNull(
    Estimate,
    'Campaign − baseline, typically (Hodges–Lehmann), in the unit of the metric; interval of the test. Null too where failures leave nothing to compare.',
  ),
  shift: orNull(Estimate, 'The same as a share of the baseline, by logarithms. Null where a value is 0.'),
  mannWhitney: orNull(RankTest, 'Of the two samples. Null where one of them is empty.'),
  outcome: Outcome,
  doubts: Doubts,
  words: Type.String(),
});
export type ProtocolChange = Static<typeof ProtocolChange>;

/** HTTP/3 against HTTP/2 in both campaigns. */
export const LeadChange = Type.Object({
  campaign: orNull(Estimate, 'H3-Delta; its interval by bootstrap of whole rounds. Null where there is none.'),
  baseline: orNull(Estimate, 'As campaign.'),
  rounds: Type.Array(Type.Integer(), {
    minItems: 2,
    maxItems: 2,
    description: 'That have both protocols: of the campaign, of the baseline.',
  }),
  change: orNull(
    Estimate,
    'How much HTTP/3’s time, as a share of HTTP/2’s in the same round, is above what it was in the baseline: −0.05 is 5 % lower.',
  ),
  mannWhitney: orNull(RankTest, 'Of the rounds’ ratios. Null where one campaign has none.'),
  outcome: Outcome,
  doubts: Doubts,
  words: Type.String(),
});
export type LeadChange = Static<typeof LeadChange>;

export const ComparedPlace = Type.Object({
  siteId: Type.String({ description: 'Of the campaign.' }),
  siteName: Type.String(),
  baselineSiteId: Type.String({ description: 'The same page, or one of the same name.' }),
  condition: Type.String(),
  view: View,
  protocols: Type.Array(ProtocolChange, { description: 'Those that both measured.' }),
  lead: orNull(LeadChange, 'Null unless both measured HTTP/3 and HTTP/2.'),
});
export type ComparedPlace = Static<typeof ComparedPlace>;

export const CampaignComparison = Type.Object({
  campaignId: Type.String(),
  baselineId: Type.String(),
  metric: MetricName,
  confidence: Type.Number({ description: 'Of each interval, by itself.' }),
  comparisons: Type.Object(
    { protocols: Type.Integer(), leads: Type.Integer() },
    { description: 'How many of each kind there are: what their p-values are corrected for, whatever was filtered.' },
  ),
  differences: Type.Array(CampaignDifference),
  cautions: Type.Array(Type.String(), { description: 'What these tests can’t tell, in words.' }),
  sites: Type.Array(Type.Object({ siteId: Type.String(), siteName: Type.String() }), {
    description: 'Those of the campaign that both measured, whatever was filtered.',
  }),
  conditions: Type.Array(Type.String(), { description: 'As sites.' }),
  views: Type.Array(View, { description: 'As sites.' }),
  places: Type.Array(ComparedPlace, { description: 'What both measured, in the order of the campaign.' }),
});
export type CampaignComparison = Static<typeof CampaignComparison>;

const count = Type.Integer({ minimum: 0 });
const counts = { lower: count, higher: count, undecided: count };

/** A page of places; all else is of the whole comparison, on each page. */
export const CampaignComparisonPage = Type.Object({
  ...CampaignComparison.properties,
  outcomes: Type.Object(
    {
      protocols: Type.Object({
        ...counts,
        tooFew: Type.Integer({ minimum: 0, description: 'Of the undecided those that too few visits keep from reaching the level.' }),
      }),
      leads: Type.Object(counts),
    },
    { description: 'Of all places of the site, condition and view asked for, on this page or not.' },
  ),
  nextCursor: orNull(Type.String(), 'Ask for the next places with it; null on the last page.'),
});
export type CampaignComparisonPage = Static<typeof CampaignComparisonPage>;
