// Sites across campaigns, and the trends of their numbers.
import Type, { type Static } from 'typebox';
import { engines, isolations } from '../vocabulary/engine.ts';
import { Annotations, CampaignSpec, CampaignState, Site } from './campaign.ts';
import { orNull, Time, TimeOrNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { pageQuery, timeQuery } from './page.ts';
import { Protocol, View } from './vocabulary.ts';

export const KnownSite = Type.Object({
  ...Site.properties,
  name: Type.String({ description: 'Name in its newest campaign.' }),
  campaigns: Type.Integer({ description: 'Campaigns that include it.' }),
  newestCampaignId: Type.String(),
  engine: Type.Enum([...engines], { description: 'Engine of its newest campaign: whether pages are loaded or REST calls sent.' }),
  lastMeasuredAt: TimeOrNull('ISO 8601: when its newest visit began. Null: never.'),
});
export type KnownSite = Static<typeof KnownSite>;

/** A page of an origin that runs beside the service. */
export const OfferedSite = Type.Object({
  name: Type.String(),
  title: Type.String(),
  url: Type.String(),
  standsFor: Type.String({ description: 'The kind of real page that it represents.' }),
});
export type OfferedSite = Static<typeof OfferedSite>;

export const SiteQuery = Type.Object(
  {
    ...pageQuery,
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'Sites whose URL or name contains this text, in any case.' }),
    ),
  },
  { additionalProperties: false },
);
export type SiteQuery = Static<typeof SiteQuery>;

/** Selects a trend. */
export const trendQuery = {
  ...timeQuery,
  metric: Type.Optional(MetricName),
  condition: Type.Optional(Type.String({ description: 'Name of the condition.' })),
  protocol: Type.Optional(Protocol),
  view: Type.Optional(View),
  branch: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Branch annotation of the campaigns.' })),
  campaigns: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'Number of newest campaigns of each site; default 100.' }),
  ),
};

export const TrendPoint = Type.Object({
  campaignId: Type.String(),
  createdAt: Time('ISO 8601: creation of the campaign.'),
  state: CampaignState,
  annotations: Annotations,
  n: Type.Integer({ minimum: 1, description: 'Visits that count, including failed ones.' }),
  failed: Type.Integer({ minimum: 0, description: 'Visits that failed because of the page or its protocol.' }),
  atLeastMs: Type.Number({ description: 'Lower bound of the time that a failed load would have taken.' }),
  median: orNull(Type.Number(), 'Null: it lies among failed loads.'),
  p75: orNull(Type.Number(), 'Null: it lies among failed loads.'),
  interval: orNull(
    Type.Object({
      low: orNull(Type.Number(), 'Null: it lies among failed loads.'),
      high: orNull(Type.Number(), 'Null: it lies among failed loads.'),
    }),
    '95 % interval of the median, by order statistics; null with fewer than 6 visits.',
  ),
  regression: orNull(
    Type.String(),
    'How it is worse here than in earlier campaigns of its schedule, in words. Null: no regression found, or not checked.',
  ),
});
export type TrendPoint = Static<typeof TrendPoint>;

const { discovery, browser } = CampaignSpec.properties;

/** What two campaigns must have in common to be compared. */
const comparable = {
  condition: Type.String({ description: 'Its name.' }),
  words: Type.String({ description: 'Effect of the condition: a condition of the same name with other numbers is another series.' }),
  view: View,
  engine: Type.String({ description: 'Engine with its chosen options, in words.' }),
  discovery,
  isolation: Type.Enum([...isolations], { description: 'For `auto`, the isolation that it resolved to, if known.' }),
  browser,
  location: orNull(Type.String(), 'Location of the campaigns; null: any.'),
  visitor: Type.String({ description: 'Visitor of the page, in words.' }),
  ends: Type.String({ description: 'When a visit ends, in words.' }),
};

export const TrendSeries = Type.Object({
  ...comparable,
  protocol: Protocol,
  points: Type.Array(TrendPoint, { minItems: 1, description: 'One for each campaign, oldest first.' }),
  trend: orNull(
    Type.Object({
      tau: Type.Number({ description: 'Kendall’s τ-b; positive if the metric grows.' }),
      p: Type.Number({ description: 'Mann–Kendall, two-sided; not corrected for other series.' }),
      slope: orNull(
        Type.Number(),
        'Theil–Sen slope from campaign to campaign, in the unit of the metric. Null: unbounded, because medians lie among failed loads.',
      ),
      autocorrelation: orNull(
        Type.Object({ coefficient: Type.Number(), p: Type.Number() }),
        'Autocorrelation of successive medians: if they resemble each other, p of the trend is too small.',
      ),
      words: Type.String(),
    }),
    'Trend of the medians, with those among failed loads as the largest; null with fewer than 10 points, or if all are equal.',
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
        'Interval of H3-Delta, from the campaign’s own comparison. Null if fewer than 5 rounds have both protocols, if rounds were added after the last planned look (for good if the campaign was then cancelled), for points beyond the newest 25,000 rounds of the answer (each point counts as ten more), and always in `GET /trends`.',
      ),
    }),
    { minItems: 1, description: 'One for each campaign in which both protocols have a value, oldest first.' },
  ),
});
export type DeltaSeries = Static<typeof DeltaSeries>;

export const SiteTrends = Type.Object({
  siteId: Type.String(),
  url: Type.String(),
  metric: MetricName,
  series: Type.Array(TrendSeries, { description: 'Series of campaigns that can be compared.' }),
  deltas: Type.Array(DeltaSeries, { description: 'H3-Delta of the medians; empty if one protocol was requested.' }),
});
export type SiteTrends = Static<typeof SiteTrends>;
