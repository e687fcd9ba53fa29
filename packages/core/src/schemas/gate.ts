// The rules of a gate: assertions about a campaign's results.
import Type, { type Static } from 'typebox';
import { gateMetrics } from '../vocabulary/metric.ts';
import { type GateOutcome, gateOutcomes } from '../vocabulary/verdict.ts';
import { CampaignRequest, SiteRequest } from './campaign.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

const oneOrMore = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Array(schema, { minItems: 1, maxItems: 50 })], { description }));

/** p75, p99.9, median or mean. */
export const Statistic = Type.String({
  pattern: '^(mean|median|p([1-9]\\d?|0)(\\.\\d{1,3})?)$',
  description: 'Statistic over the visits of one site, condition, view and protocol: mean, median, or a percentile such as p75 or p99.9.',
});

const pattern = (what: string) => Type.String({ minLength: 1, maxLength: 2048, description: `${what}; * matches any text.` });

export const GateMetric = Type.Enum([...gateMetrics], {
  description: 'A metric of a page; failedShare: the share of its loads that fail, which has no statistic.',
});
export type GateMetric = (typeof gateMetrics)[number];

/** Where an assertion applies; a field that is left out means all of the campaign. */
const places = {
  site: oneOrMore(pattern('Name or URL of a site'), 'Sites; default: all.'),
  condition: oneOrMore(pattern('Name of a condition'), 'Conditions; default: all.'),
  view: oneOrMore(View, 'Views; default: all.'),
};
const ofProtocols = { protocol: oneOrMore(Protocol, 'Protocols; default: all.') };
const margin = Type.Number({
  minimum: 0,
  maximum: 10,
  description: 'Allowed relative difference: 0.05 is 5 %.',
});
const not = Type.Optional(
  Type.Enum(['above', 'below'], {
    description: 'Which side is worse. Default above, as for times and bytes; below: for values that should be high, such as h3Share.',
  }),
);

export const BoundAssertion = Type.Object(
  {
    kind: Type.Literal('bound'),
    metric: GateMetric,
    statistic: Type.Optional(Statistic),
    max: Type.Optional(Type.Number({ description: 'In the unit of the metric, inclusive.' })),
    min: Type.Optional(Type.Number({ description: 'In the unit of the metric, inclusive.' })),
    ...ofProtocols,
    ...places,
  },
  {
    additionalProperties: false,
    description: 'A budget: the statistic (default p75, for rates p25) is at most max, at least min, or both.',
  },
);
export type BoundAssertion = Static<typeof BoundAssertion>;

export const ProtocolsAssertion = Type.Object(
  {
    kind: Type.Literal('protocols'),
    metric: MetricName,
    statistic: Type.Optional(
      Type.Union([Type.Literal('shift'), Statistic], {
        description:
          'shift (default): the typical ratio of both protocols within a round. Otherwise the ratio of their percentiles or means.',
      }),
    ),
    candidate: Protocol,
    baseline: Protocol,
    margin,
    not,
    ...places,
  },
  { additionalProperties: false, description: 'One protocol is not worse than another by more than a margin.' },
);
export type ProtocolsAssertion = Static<typeof ProtocolsAssertion>;

export const BaselineAssertion = Type.Object(
  {
    kind: Type.Literal('baseline'),
    metric: MetricName,
    statistic: Type.Optional(Statistic),
    margin,
    not,
    ...ofProtocols,
    ...places,
  },
  { additionalProperties: false, description: 'Not worse than earlier campaigns by more than a margin; statistic: default median.' },
);
export type BaselineAssertion = Static<typeof BaselineAssertion>;

/** A complete assertion. */
export const Assertion = Type.Union([BoundAssertion, ProtocolsAssertion, BaselineAssertion]);
export type Assertion = Static<typeof Assertion>;

/** An assertion in one line. */
export const AssertionText = Type.String({
  minLength: 1,
  maxLength: 1000,
  description:
    'METRIC [STATISTIC] [PROTOCOL] <= (or >=) NUMBER [UNIT] | PROTOCOL + PERCENT % | baseline + PERCENT % [on CONDITION] [VIEW] [at SITE]; such as "onLoad p75 h3 <= 2.5 s on 4g", "onLoad h3 <= h2 + 5 % on latency-100", "speedIndex <= baseline + 10 %".',
});
export const AssertionRequest = Type.Union([AssertionText, Assertion]);
export type AssertionRequest = Static<typeof AssertionRequest>;

const baselineKinds = ['passed', 'all'] as const;
export type BaselineKind = (typeof baselineKinds)[number];

/** The earlier campaigns to compare with. */
export const BaselineChoice = Type.Object(
  {
    branch: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Branch of the campaigns; default main, or the branch of `campaign`.' }),
    ),
    campaign: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,14}$',
        description: 'Id of the newest campaign in the baseline: only it and earlier ones count, so the baseline does not move.',
      }),
    ),
    only: Type.Optional(
      Type.Enum([...baselineKinds], {
        description: 'passed (default): campaigns whose own gate did not fail. all: every campaign.',
      }),
    ),
    campaigns: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Number of latest campaigns; default 10.' })),
  },
  { additionalProperties: false },
);
export type BaselineChoice = Static<typeof BaselineChoice>;

export const decisions = ['interval', 'point'] as const;

/** Properties of GateRules, for schemas that contain them among others. */
export const gateRuleProperties = {
  assertions: Type.Array(AssertionRequest, { minItems: 1, maxItems: 200 }),
  baseline: Type.Optional(BaselineChoice),
  confidence: Type.Optional(
    Type.Number({
      minimum: 0.8,
      maximum: 0.9999,
      description: 'The gate passes or fails wrongly with a probability of at most 1 minus this; default 0.95.',
    }),
  ),
  decide: Type.Optional(
    Type.Enum([...decisions], {
      description:
        'interval (default): decides by what the visits show for certain. point: decides by the measured value, however few visits it is based on.',
    }),
  ),
};

/** The rules of a gate. */
export const GateRules = Type.Object(gateRuleProperties, { additionalProperties: false });
export type GateRules = Static<typeof GateRules>;

// A gate needs a number of rounds that is fixed before the first one: rounds added until something is settled depend on the results.
const { maximumRounds: _, precision: __, sites, ...withRounds } = CampaignRequest.properties;
const precision = Type.Enum(['quick', 'normal', 'precise'], {
  description: 'Instead of rounds. quick: 10 rounds; normal: 20; precise: 40.',
});
const campaignProperties = { ...withRounds, precision: Type.Optional(precision) };

/** The campaign that a gate measures. */
export const GateCampaign = Type.Object({ ...campaignProperties, sites }, { additionalProperties: false });
export type GateCampaign = Static<typeof GateCampaign>;

/** A page on the network, or in a folder that is not deployed yet, which the machine that has the folder measures. */
export const GateSite = Type.Object(
  {
    ...SiteRequest.properties,
    url: Type.Optional(SiteRequest.properties.url),
    folder: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'Folder of the build’s output, instead of url; relative to this file.' }),
    ),
    page: Type.Optional(
      Type.String({ pattern: '^/', maxLength: 2048, description: 'Page in the folder as a URL path, such as /pricing/; default /.' }),
    ),
    fallback: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Page of the folder that is served for missing paths, such as index.html.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type GateSite = Static<typeof GateSite>;

/** The file that `pronghorn gate` reads: pronghorn.json. */
export const GateFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Schema of this file, for editors.' })),
    ...gateRuleProperties,
    ...campaignProperties,
    sites: Type.Optional(
      Type.Array(GateSite, {
        minItems: 1,
        maxItems: 1000,
        description: 'Each with a url or a folder. --url replaces them, one by one.',
      }),
    ),
    exitCodes: Type.Optional(
      Type.Partial(
        Type.Object(
          Object.fromEntries(
            [...gateOutcomes, 'error' as const].map((outcome) => [outcome, Type.Integer({ minimum: 0, maximum: 125 })]),
          ) as Record<GateOutcome | 'error', Type.TInteger>,
        ),
        {
          additionalProperties: false,
          description: 'Default: pass 0, fail 1, inconclusive 3, unmeasured 5, error 4. --exit-on overrides them.',
        },
      ),
    ),
  },
  {
    title: 'pronghorn.json',
    description: 'What `pronghorn gate` measures and checks: a campaign with assertions.',
    additionalProperties: false,
  },
);
export type GateFile = Static<typeof GateFile>;
