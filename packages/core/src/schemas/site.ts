// Sites as they are known over campaigns, and what became of their numbers from campaign to campaign.
import Type, { type Static } from 'typebox';
import { engines, isolations } from '../vocabulary/engine.ts';
import { Annotations, CampaignSpec, CampaignState, Site } from './campaign.ts';
import { orNull, Time, TimeOrNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { pageQuery, timeQuery } from './page.ts';
import { Protocol, View } from './vocabulary.ts';

export const KnownSite = Type.Object({
  ...Site.properties,
  name: Type.String({ description: 'What its newest campaign calls it.' }),
  campaigns: Type.Integer({ description: 'That have it.' }),
  newestCampaignId: Type.String(),
  engine: Type.Enum([...engines], { description: 'Of its newest campaign: whether pages are loaded or REST calls sent.' }),
  lastMeasuredAt: TimeOrNull('ISO 8601: when its newest visit began. Null: never.'),
});
export type KnownSite = Static<typeof KnownSite>;

/** A page of an origin beside the service. */
export const OfferedSite = Type.Object({
  name: Type.String(),
  title: Type.String(),
  url: Type.String(),
  standsFor: Type.String({ description: 'Among real pages.' }),
});
export type OfferedSite = Static<typeof OfferedSite>;

export const SiteQuery = Type.Object(
  {
    ...pageQuery,
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'Whose URL or name has this somewhere, in any case.' }),
    ),
  },
  { additionalProperties: false },
);
export type SiteQuery = Static<typeof SiteQuery>;

/** What a trend is of. */
export const trendQuery = {
  ...timeQuery,
  metric: Type.Optional(MetricName),
  condition: Type.Optional(Type.String({ description: 'Its name.' })),
  protocol: Type.Optional(Protocol),
  view: Type.Optional(View),
  branch: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Of the campaigns’ annotations.' })),
  campaigns: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'The newest so many of each site; default 100.' })),
};

export const TrendPoint = Type.Object({
  campaignId: Type.String(),
  createdAt: Time('ISO 8601, of the campaign.'),
  state: CampaignState,
  annotations: Annotations,
  n: Type.Integer({ minimum: 1, description: 'Visits that count, failed ones among them.' }),
  failed: Type.Integer({ minimum: 0, description: 'Of them, those that failed because of the page or its protocol.' }),
  atLeastMs: Type.Number({ description: 'What a load that failed would have taken at least.' }),
  median: orNull(Type.Number(), 'Null: it lies among loads that failed.'),
  p75: orNull(Type.Number(), 'As median.'),
  interval: orNull(
    Type.Object({
      low: orNull(Type.Number(), 'Null: among loads that failed.'),
      high: orNull(Type.Number(), 'Null: among loads that failed.'),
    }),
    'Of the median, 95 %, by order statistics; null with fewer than 6 visits.',
  ),
  regression: orNull(
    Type.String(),
    'In words: worse here than in the campaigns of its schedule before. Null: not found to be, or not looked at.',
  ),
});
export type TrendPoint = Static<typeof TrendPoint>;

const { discovery, browser } = CampaignSpec.properties;

/** What can be compared from campaign to campaign. */
const comparable = {
  condition: Type.String({ description: 'Its name.' }),
  words: Type.String({ description: 'What the condition does: one of the same name with other numbers is another series.' }),
  view: View,
  engine: Type.String({ description: 'With what was chosen of its options, in words.' }),
  discovery,
  isolation: Type.Enum([...isolations], { description: 'Of `auto` what it came to, where that is known.' }),
  browser,
  location: orNull(Type.String(), 'Of the campaigns; null: any.'),
  visitor: Type.String({ description: 'Who visited the page, in words.' }),
  ends: Type.String({ description: 'When a visit ends, in words.' }),
};

export const TrendSeries = Type.Object({
  ...comparable,
  protocol: Protocol,
  points: Type.Array(TrendPoint, { minItems: 1, description: 'One for each campaign, the oldest first.' }),
  trend: orNull(
    Type.Object({
      tau: Type.Number({ description: 'Kendall’s τ-b; positive where the metric grows.' }),
      p: Type.Number({ description: 'Mann–Kendall, two-sided; by itself, not corrected for other series.' }),
      slope: orNull(
        Type.Number(),
        'Theil–Sen: from campaign to campaign, in the unit of the metric. Null: unbounded, since medians lie among loads that failed.',
      ),
      autocorrelation: orNull(
        Type.Object({ coefficient: Type.Number(), p: Type.Number() }),
        'Of neighbouring medians: where they resemble one another, p of the trend is too small.',
      ),
      words: Type.String(),
    }),
    'Of the medians, of which those among loads that failed are the largest; null with fewer than 10 points, or where all are equal.',
  ),
});
export type TrendSeries = Static<typeof TrendSeries>;

export const DeltaSeries = Type.Object({
  ...comparable,
  points: Type.Array(
    Type.Object({
      ...Type.Pick(TrendPoint, ['campaignId', 'createdAt', 'state', 'annotations']).properties,
      delta: Type.Number(),
      interval: orNull(
        Type.Object({ low: Type.Number(), high: Type.Number() }),
        'Of H3-Delta, as the campaign’s own comparison has it. Null where that has none (fewer than 5 rounds with both), where rounds were measured after the last planned look (`delta` knows them, the comparison does not; of a campaign that was cancelled then it stays null), before the newest points of the answer that have 25,000 rounds in all (each point counting ten more), and in `GET /trends`.',
      ),
    }),
    { minItems: 1, description: 'One for each campaign in which both protocols have a number, the oldest first.' },
  ),
});
export type DeltaSeries = Static<typeof DeltaSeries>;

export const SiteTrends = Type.Object({
  siteId: Type.String(),
  url: Type.String(),
  metric: MetricName,
  series: Type.Array(TrendSeries, { description: 'What can be compared from campaign to campaign.' }),
  deltas: Type.Array(DeltaSeries, { description: 'H3-Delta of the medians; none where one protocol was asked for.' }),
});
export type SiteTrends = Static<typeof SiteTrends>;
