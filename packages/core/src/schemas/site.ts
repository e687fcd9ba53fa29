// Sites across campaigns, and the trends of their numbers.
import Type, { type Static } from 'typebox';
import { engines, isolations } from '../vocabulary/engine.ts';
import { metricNames } from '../vocabulary/metric.ts';
import { gateOutcomes } from '../vocabulary/verdict.ts';
import { Since } from './alert.ts';
import { Annotations, CampaignSpec, CampaignState, Site } from './campaign.ts';
import { Comparison, VerdictOutcome } from './comparison.ts';
import { count, numberOrNull, orNull, Time, TimeOrNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Page, pageQuery, timeQuery } from './page.ts';
import { Regression } from './schedule.ts';
import { Protocol, View } from './vocabulary.ts';

export const Tag = Type.String({
  ...{ minLength: 1, maxLength: 30, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
  description: 'Lower-case letters and digits, joined by hyphens: checkout, team-b.',
});

/** How people group sites. */
export const SiteTags = Type.Object(
  { tags: Type.Array(Tag, { maxItems: 10, uniqueItems: true, description: 'At most ten; in alphabetical order when read.' }) },
  { additionalProperties: false },
);
export type SiteTags = Static<typeof SiteTags>;

export const UsedTag = Type.Object({ tag: Tag, sites: count('Sites with this tag.') });
export type UsedTag = Static<typeof UsedTag>;

export const KnownSite = Type.Object({
  ...Site.properties,
  name: Type.String({ description: 'Name in its newest campaign.' }),
  campaigns: Type.Integer({ description: 'Campaigns that include it.' }),
  newestCampaignId: Type.String(),
  engine: Type.Enum([...engines], { description: 'Engine of its newest campaign: whether pages are loaded or REST calls sent.' }),
  lastMeasuredAt: TimeOrNull('ISO 8601: when its newest visit began. Null: never.'),
  ...SiteTags.properties,
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

const statusQuery = {
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 400, description: 'How far back `points` go; default 30.' })),
  metric: Type.Optional(
    Type.Enum([...metricNames], { description: 'Only campaigns with this primary metric: status has no other one. Default: any.' }),
  ),
  condition: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Default: the first of the newest campaign.' })),
};

export const OneSiteStatusQuery = Type.Object(statusQuery, { additionalProperties: false });
export type OneSiteStatusQuery = Static<typeof OneSiteStatusQuery>;

export const SiteStatusQuery = Type.Object(
  {
    ...statusQuery,
    search: SiteQuery.properties.search,
    tag: Type.Optional(Tag),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Sites on a page; default 50.' })),
    cursor: pageQuery.cursor,
  },
  { additionalProperties: false },
);
export type SiteStatusQuery = Static<typeof SiteStatusQuery>;

const { shift, shiftAtMedian } = Comparison.properties;

/** How a site does: its newest result, those before it, and what is wrong. */
export const SiteStatus = Type.Object({
  siteId: Type.String(),
  url: Type.String(),
  name: Type.String({ description: 'Name in its newest campaign.' }),
  ...SiteTags.properties,
  engine: KnownSite.properties.engine,
  now: orNull(
    Type.Object({
      campaignId: Type.String(),
      doneAt: Time('ISO 8601: when the campaign was done.'),
      condition: Type.String(),
      view: View,
      metric: MetricName,
      medians: Type.Record(Type.String(), numberOrNull('Null: it lies among failed loads.'), {
        description: 'By protocol; absent without a value.',
      }),
      failures: Type.Record(
        Type.String(),
        Type.Object({ failed: count('Failed loads.'), loads: count('Loads that count, including failed ones.') }),
        {
          description: 'By protocol, over all conditions and views of the site in this campaign, or those under `condition`.',
        },
      ),
      otherCells: Type.Array(
        Type.Object({
          condition: Type.String(),
          view: View,
          words: Type.String({ description: 'In short: HTTP/2 faster; HTTP/3 fails; does not load.' }),
          lost: Type.Boolean({ description: 'No visit loaded the page, or none over one of the protocols.' }),
        }),
        { description: 'The other ones of these, as far as they say something else: those that are lost first.' },
      ),
      comparison: orNull(
        Type.Object({
          outcome: VerdictOutcome,
          unfinished: Type.Boolean({ description: 'Inconclusive because rounds were cancelled.' }),
          words: Type.String({ description: 'The verdict with its numbers, in a sentence or two.' }),
          difference: orNull(Type.String(), 'As in a campaign’s summary: 96 ms (9.2 %) sooner; 95 % sure it is 4.2 to 11 %.'),
          shift,
          shiftAtMedian,
        }),
        'h3 against h2 on the primary metric; null if the campaign doesn’t compare them.',
      ),
    }),
    'Result of its newest finished campaign, of those that measure what is published: started by a schedule, or without a pull request and on no branch but main or master. Of these, one that compares h3 with h2 or is of a schedule goes before others. If there is none: of any. Null: none is done.',
  ),
  notLoaded: orNull(Type.String(), 'Why no visit of `now` loaded the page, as a phrase to follow its name. Null: one did.'),
  points: Type.Array(
    Type.Object({
      campaignId: Type.String(),
      at: Time('ISO 8601: creation of the campaign.'),
      h2: numberOrNull('Median; null: none, or it lies among failed loads.'),
      h3: numberOrNull('See h2.'),
    }),
    {
      maxItems: 30,
      description:
        'Campaigns with the setup of `now` (condition and its numbers, view, metric, visitor, engine, discovery, location), oldest first. Of more than 30 in the range, the newest of each thirtieth of it.',
    },
  ),
  change: orNull(
    Type.Object({
      state: Type.Enum(['worse', 'steady', 'not-compared'], {
        description:
          'worse: a regression was found and the level is not back; steady: the newest campaign of its schedule compared it under the condition of `now`, and found none.',
      }),
      words: Type.String({ description: 'Summary in a sentence.' }),
      at: TimeOrNull('ISO 8601: when the campaign of its schedule was done that compared it. Null: none did.'),
      compared: Type.Array(Type.String(), {
        description: 'The conditions under which that campaign compared it, if `now` measured it there in the same way.',
      }),
      worse: Type.Array(Type.Pick(Regression, ['condition', 'view', 'protocol', 'metric', 'before', 'level', 'failing', 'words']), {
        description: 'The medians that are worse now, the worst first.',
      }),
      condition: orNull(Type.String(), 'Of the worst regression, like all below; null: there is none.'),
      protocol: orNull(Protocol),
      share: numberOrNull('How much slower than before, as a share. Null while worse: half of the loads fail or more.'),
      ms: numberOrNull('The same in the unit of the metric.'),
      since: orNull(Since),
    }),
    'How it compares with the campaigns of its schedule before. Null: no schedule measures it.',
  ),
  gate: orNull(
    Type.Object({
      gateId: orNull(Type.String(), 'Null: it was deleted, or the rules came with the question.'),
      name: orNull(Type.String(), 'Null: the rules came with the question.'),
      outcome: Type.Enum([...gateOutcomes]),
      campaignId: Type.String(),
    }),
    'The newest answer of a gate, as far as it is about this site. Null: none.',
  ),
  alerts: count('Open alerts about it.'),
  active: orNull(
    Type.Object({
      campaignId: Type.String(),
      state: Type.Enum(['queued', 'running']),
      roundsDone: count('Finished rounds of the campaign.'),
      rounds: count('Its rounds.'),
    }),
    'Its newest campaign that is not done. Null: none.',
  ),
  schedule: orNull(Type.Object({ id: Type.String(), name: Type.String() }), 'The schedule that measures it. Null: none.'),
});
export type SiteStatus = Static<typeof SiteStatus>;

export const SiteStatusPage = Type.Object({
  ...Page(SiteStatus).properties,
  sites: count('Sites that match, on all pages.'),
  conditions: Type.Array(Type.String(), { description: 'Conditions of the newest campaigns of all sites, for `condition`.' }),
  metrics: Type.Array(MetricName, { description: 'Their primary metrics, for `metric`.' }),
});
export type SiteStatusPage = Static<typeof SiteStatusPage>;
