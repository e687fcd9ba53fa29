// What a user asks for: sites × conditions × protocols × views, a number of rounds, an engine.
import Type, { type Static } from 'typebox';
import { adjustments } from '../vocabulary/choices.ts';
import { browsers, engines, isolations } from '../vocabulary/engine.ts';
import { discoveries } from '../vocabulary/protocol.ts';
import { Condition } from './condition.ts';
import { EngineOptions } from './engine-options.ts';
import { EvidencePolicy } from './evidence.ts';
import { Levels } from './factorial.ts';
import { OneLine, orNull, Time, TimeOrNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Visitor } from './visitor.ts';
import { Protocol, View } from './vocabulary.ts';
import { Workload } from './workload.ts';

export const SiteRequest = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'http or https URL of the page under test.' }),
    name: Type.Optional(OneLine({ maxLength: 200, description: 'Default: host and path.' })),
    expectStatus: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'Status that the main document must have; default 200.' }),
    ),
    visitor: Type.Optional(Visitor),
    workload: Type.Optional(Workload),
    levels: Type.Optional(Levels),
  },
  { additionalProperties: false },
);
export type SiteRequest = Static<typeof SiteRequest>;

/** Bounds of one visit, so that every page ends in its time. */
export const Limits = Type.Object(
  {
    loadTimeoutMs: Type.Integer({ minimum: 100, maximum: 600_000, description: 'From navigation to the load event.' }),
    quietMs: Type.Integer({
      minimum: 0,
      maximum: 30_000,
      description: 'After load, the visit ends when nothing was requested, worked or painted for so long.',
    }),
    settleMaxMs: Type.Integer({ minimum: 0, maximum: 120_000, description: 'The visit ends at most so long after load.' }),
    retries: Type.Integer({ minimum: 0, maximum: 10, description: 'Further tries after an invalid visit whose reason may pass.' }),
    foreignCpuShare: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of the machine’s CPU time that other work than the visit’s may take; of more than five cores, the share of five. 1: no limit.',
    }),
    maxRequests: Type.Integer({ minimum: 1, maximum: 100_000 }),
    maxTransferBytes: Type.Integer({ minimum: 1, maximum: 100_000_000_000 }),
  },
  { additionalProperties: false },
);
export type Limits = Static<typeof Limits>;

export const defaultLimits: Limits = {
  loadTimeoutMs: 60_000,
  quietMs: 500,
  settleMaxMs: 15_000,
  retries: 2,
  foreignCpuShare: 0.2,
  maxRequests: 10_000,
  maxTransferBytes: 500_000_000,
};

/** Of all visits of a campaign: the time limit may follow each visit's condition and page. */
export const CampaignLimits = Type.Object(
  {
    ...Limits.properties,
    loadTimeoutMs: Type.Union([Type.Literal('auto'), Limits.properties.loadTimeoutMs], {
      description:
        'From navigation to the load event, milliseconds. auto, the default: as long as the page’s bytes at discovery can take under the condition, three times over; at least a minute, at most ten.',
    }),
  },
  { additionalProperties: false },
);
export type CampaignLimits = Static<typeof CampaignLimits>;

const campaignProperties = {
  name: OneLine({ maxLength: 200 }),
  conditions: Type.Array(Condition, {
    minItems: 1,
    maxItems: 100,
    description: 'Whole, so that the campaign can be repeated whatever becomes of a stored condition; each name once.',
  }),
  protocols: Type.Array(Protocol, {
    minItems: 1,
    maxItems: 6,
    description: 'The slots of every round. A protocol that stands twice is compared with itself (A/A).',
  }),
  views: Type.Array(View, { minItems: 1, uniqueItems: true }),
  rounds: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Rounds for each site, condition and view.' }),
  engine: Type.Enum([...engines], {
    description:
      'What performs visits: puppeteer and browsertime drive Chrome, firefox Firefox; transaction sends REST calls, and its visit is a run of a workload.',
  }),
  engineOptions: Type.Optional(EngineOptions),
  discovery: Type.Enum([...discoveries], { description: 'forced: HTTP/3 from the first request; alt-svc: as Chrome finds it.' }),
  isolation: Type.Enum([...isolations], {
    description:
      'What separates visits: a fresh browser context, a fresh Chrome, or a fresh container. auto: a context, but a Chrome for pages with preconnect, dns-prefetch or speculation rules, which do nothing in a context.',
  }),
  browser: Type.Enum([...browsers], {
    description:
      'Full headless Chrome, the headless shell, Firefox, or none: the engine transaction’s own client. By default the first that the engine drives.',
  }),
  primaryMetric: MetricName,
  margin: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    description: 'Relative difference between protocols that counts as none: 0.05 for 5 %. Fixed before the campaign, as the metric is.',
  }),
  adjustment: Type.Enum([...adjustments], {
    description:
      'For the number of comparisons. hommel: the chance of any false winner is kept, by the independent random orders of rounds; holm: the same without them, and weaker; benjamini-hochberg: the share of false ones among the winners, on average. Default: hommel, from 100 sites × conditions × views on benjamini-hochberg.',
  }),
  maximumRounds: orNull(
    Type.Integer({ minimum: 1, maximum: 10_000 }),
    'Until settled: rounds are added to each site, condition and view, by a rule that keeps the error rate, until h3 against h2 is settled on the primary metric or there are so many. Null: `rounds` and no more.',
  ),
  seed: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Decides every random order.' }),
  limits: CampaignLimits,
  evidence: Type.Optional(EvidencePolicy),
  netlogs: Type.Optional(
    Type.Boolean({
      description:
        'Whether the first round of each site, condition and view ends with an extra visit of each protocol that records Chrome’s network log, or over HTTP/3 Firefox’s qlog. Extra visits never count. Of the engines puppeteer and firefox; default false.',
    }),
  ),
  visitor: Type.Optional(Visitor),
  workload: Type.Optional(Workload),
};

/** A campaign as it is run: every choice made that holds for all of its sites. */
export const CampaignSpec = Type.Object(campaignProperties, { additionalProperties: false });
export type CampaignSpec = Static<typeof CampaignSpec>;

/** A condition by its name, or whole. */
export const ConditionRequest = Type.Union([
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Name of a preset or a stored condition; NAME.rtt-MS of a lossy one sets its base RTT.',
  }),
  Condition,
]);
export type ConditionRequest = Static<typeof ConditionRequest>;

export const priorities = ['interactive', 'ci', 'schedule'] as const;
/** Which rounds are leased first: those that a person waits for, then a pipeline's, then a schedule's. */
export const Priority = Type.Enum([...priorities]);
export type Priority = (typeof priorities)[number];

export const pipelineEvents = ['push', 'tag', 'pull-request', 'merge-queue', 'deployment', 'schedule', 'manual'] as const;
/** What made a pipeline run. */
export type PipelineEvent = (typeof pipelineEvents)[number];

/** Which state of the measured pages a campaign belongs to. */
export const Annotations = Type.Object(
  {
    commit: Type.Optional(OneLine({ maxLength: 100, description: 'Hash of the commit that was deployed.' })),
    branch: Type.Optional(
      OneLine({
        maxLength: 200,
        description: 'Of a pull request the one it comes from; from a fork with its owner in front, such as octocat:main.',
      }),
    ),
    event: Type.Optional(
      Type.Enum([...pipelineEvents], { description: 'What made the pipeline run. Of a pull request the campaign is no baseline.' }),
    ),
    pullRequest: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'Number of the pull or merge request; its campaigns are no baseline.',
      }),
    ),
    buildUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        pattern: '^https?://[^\\x00-\\x20\\x7f-\\x9f]*$',
        description: 'Address of the pipeline’s run, with http:// or https://, without spaces.',
      }),
    ),
    repeats: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,14}$',
        description: 'Id of the campaign of which this one is the second run: gates confirm by it what looks worse, and it is no baseline.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Annotations = Static<typeof Annotations>;

/** What is said of a campaign beside what it measures. */
const circumstances = {
  priority: Priority,
  location: OneLine({ maxLength: 100, description: 'Only runners there perform it.' }),
  annotations: Annotations,
};

/** A campaign as it is asked for: only the sites are needed. */
export const CampaignRequest = Type.Object(
  {
    ...Type.Partial(Type.Object(circumstances)).properties,
    ...Type.Partial(Type.Object(campaignProperties)).properties,
    sites: Type.Array(SiteRequest, { minItems: 1, maxItems: 1000 }),
    conditions: Type.Optional(Type.Array(ConditionRequest, { minItems: 1, maxItems: 100, description: 'Default: native.' })),
    limits: Type.Optional(Type.Partial(CampaignLimits, { additionalProperties: false })),
  },
  { additionalProperties: false, description: 'Only the sites are needed; all else has a default.' },
);
export type CampaignRequest = Static<typeof CampaignRequest>;

export const campaignStates = ['queued', 'running', 'done', 'cancelled'] as const;
export const CampaignState = Type.Enum([...campaignStates]);
export type CampaignState = (typeof campaignStates)[number];

/** A site of a campaign as stored: with its id, the URL as Chrome will write it, and what it has of its own. */
export const Site = Type.Object({
  id: Type.String(),
  url: Type.String(),
  name: Type.String(),
  expectStatus: Type.Integer(),
  visitor: SiteRequest.properties.visitor,
  workload: SiteRequest.properties.workload,
  levels: SiteRequest.properties.levels,
});
export type Site = Static<typeof Site>;

export const Campaign = Type.Object({
  id: Type.String(),
  createdAt: Time(),
  finishedAt: TimeOrNull('ISO 8601; when it became done. Null: it is not, or nobody wrote it down.'),
  createdBy: orNull(Type.String(), 'Name of the token, or of the schedule. Null: this machine’s own command.'),
  createdByKind: orNull(Type.Enum(['token', 'schedule']), 'Whose name createdBy is: a schedule may be named like a token. Null: nobody’s.'),
  ...circumstances,
  location: orNull(circumstances.location, 'Null: any.'),
  state: CampaignState,
  spec: CampaignSpec,
  sites: Type.Array(Site, { description: 'In the order of the request, each with what it has of its own.' }),
  progress: Type.Object({
    rounds: Type.Integer(),
    roundsDone: Type.Integer({ description: 'Finished, given up and cancelled rounds.' }),
    visitsValid: Type.Integer(),
    visitsInvalid: Type.Integer(),
  }),
});
export type Campaign = Static<typeof Campaign>;
