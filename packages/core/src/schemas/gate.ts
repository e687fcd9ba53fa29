// What a pipeline asks of a campaign's results: assertions that pass, fail, can't be told, or were not measured.
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
  description: 'Of the visits of one site, condition, view and protocol: mean, median, or a percentile such as p75 or p99.9.',
});

const pattern = (what: string) => Type.String({ minLength: 1, maxLength: 2048, description: `${what}; * stands for any text.` });

export const GateMetric = Type.Enum([...gateMetrics], {
  description: 'A metric of a page; failedShare: the share of its loads that fail, which has no statistic.',
});
export type GateMetric = (typeof gateMetrics)[number];

/** Where an assertion holds; what is left out means each one of the campaign. */
const places = {
  site: oneOrMore(pattern('Name or URL of a site'), 'At which sites; default: each.'),
  condition: oneOrMore(pattern('Name of a condition'), 'Under which conditions; default: each.'),
  view: oneOrMore(View, 'In which views; default: each.'),
};
const ofProtocols = { protocol: oneOrMore(Protocol, 'Over which protocols; default: each.') };
const margin = Type.Number({
  minimum: 0,
  maximum: 10,
  description: 'Relative difference that is still allowed: 0.05 for 5 %.',
});
const not = Type.Optional(
  Type.Enum(['above', 'below'], {
    description: 'Which side is worse; default above, as of times and bytes. below: of what should be high, such as h3Share.',
  }),
);

export const BoundAssertion = Type.Object(
  {
    kind: Type.Literal('bound'),
    metric: GateMetric,
    statistic: Type.Optional(Statistic),
    max: Type.Optional(Type.Number({ description: 'In the unit of the metric; may be reached.' })),
    min: Type.Optional(Type.Number({ description: 'In the unit of the metric; may be reached.' })),
    ...ofProtocols,
    ...places,
  },
  {
    additionalProperties: false,
    description: 'A budget: the statistic (default: p75, of rates p25) is at most max, at least min, or both.',
  },
);
export type BoundAssertion = Static<typeof BoundAssertion>;

export const ProtocolsAssertion = Type.Object(
  {
    kind: Type.Literal('protocols'),
    metric: MetricName,
    statistic: Type.Optional(
      Type.Union([Type.Literal('shift'), Statistic], {
        description: 'shift (the default): the typical ratio of both protocols within a round. Else that of their percentiles or means.',
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
  { additionalProperties: false, description: 'Not worse than campaigns before it by more than a margin; statistic: default median.' },
);
export type BaselineAssertion = Static<typeof BaselineAssertion>;

/** What is asserted, complete. */
export const Assertion = Type.Union([BoundAssertion, ProtocolsAssertion, BaselineAssertion]);
export type Assertion = Static<typeof Assertion>;

/** The same in one line. */
export const AssertionText = Type.String({
  minLength: 1,
  maxLength: 1000,
  description:
    'METRIC [STATISTIC] [PROTOCOL] <= (or >=) NUMBER [UNIT] | PROTOCOL + PERCENT % | baseline + PERCENT % [on CONDITION] [VIEW] [at SITE]; such as "onLoad p75 h3 <= 2.5 s on 4g", "onLoad h3 <= h2 + 5 % on latency-100", "speedIndex <= baseline + 10 %".',
});
export const AssertionRequest = Type.Union([AssertionText, Assertion]);
export type AssertionRequest = Static<typeof AssertionRequest>;

export const baselineKinds = ['passed', 'all'] as const;
export type BaselineKind = (typeof baselineKinds)[number];

/** Which campaigns came before. */
export const BaselineChoice = Type.Object(
  {
    branch: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Of the campaigns; default main, or the branch of `campaign`.' }),
    ),
    campaign: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,14}$',
        description: 'Id of the reference: the newest campaign that counts, with those before it, so the baseline does not move.',
      }),
    ),
    only: Type.Optional(
      Type.Enum([...baselineKinds], {
        description: 'passed (the default): without those whose own gate failed. all: with them.',
      }),
    ),
    campaigns: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'The latest so many; default 10.' })),
  },
  { additionalProperties: false },
);
export type BaselineChoice = Static<typeof BaselineChoice>;

export const decisions = ['interval', 'point'] as const;

/** Of GateRules; for what has them among others. */
export const gateRuleProperties = {
  assertions: Type.Array(AssertionRequest, { minItems: 1, maxItems: 200 }),
  baseline: Type.Optional(BaselineChoice),
  confidence: Type.Optional(
    Type.Number({
      minimum: 0.8,
      maximum: 0.9999,
      description: 'The gate passes or fails wrongly with a chance of at most 1 less this; default 0.95.',
    }),
  ),
  decide: Type.Optional(
    Type.Enum([...decisions], {
      description:
        'interval (the default): by what the visits show for certain. point: by the number that was measured, however few visits it is made of.',
    }),
  ),
};

/** What decides a gate. */
export const GateRules = Type.Object(gateRuleProperties, { additionalProperties: false });
export type GateRules = Static<typeof GateRules>;

// A gate needs a number of rounds that was fixed before the first one: those that are added until something is settled depend on what was seen.
const { maximumRounds: _, sites, ...campaignProperties } = CampaignRequest.properties;

/** The campaign that a gate asks for. */
export const GateCampaign = Type.Object({ ...campaignProperties, sites }, { additionalProperties: false });
export type GateCampaign = Static<typeof GateCampaign>;

/** A page of the world, or of a folder that is not deployed yet: that one the machine with the folder measures. */
export const GateSite = Type.Object(
  {
    ...SiteRequest.properties,
    url: Type.Optional(SiteRequest.properties.url),
    folder: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'In place of url: what the build wrote, from the folder of this file.' }),
    ),
    page: Type.Optional(
      Type.String({ pattern: '^/', maxLength: 2048, description: 'Of the folder, as a URL has it, such as /pricing/; default: /.' }),
    ),
    fallback: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Page of the folder for paths that it does not have, such as index.html.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type GateSite = Static<typeof GateSite>;

/** The file of `pronghorn gate`, by its name pronghorn.json. */
export const GateFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Of this file; for editors.' })),
    ...gateRuleProperties,
    ...campaignProperties,
    sites: Type.Optional(
      Type.Array(GateSite, {
        minItems: 1,
        maxItems: 1000,
        description: 'Each with a url or a folder. --url takes the place of these, one by one.',
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
          description: 'Default: pass 0, fail 1, inconclusive 3, unmeasured 5, error 4. --exit-on takes their place.',
        },
      ),
    ),
  },
  {
    title: 'pronghorn.json',
    description: 'What is measured and what must hold of it: a campaign with assertions, for `pronghorn gate`.',
    additionalProperties: false,
  },
);
export type GateFile = Static<typeof GateFile>;
