// A campaign: sites × conditions × protocols × views, a number of rounds, an engine.
import Type, { type Static } from 'typebox';
import { views } from '../vocabulary/cell.ts';
import { adjustments, defaultLimits, precisions } from '../vocabulary/choices.ts';
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
      Type.Integer({ minimum: 200, maximum: 599, description: 'Expected status of the main document; default 200.' }),
    ),
    visitor: Type.Optional(Visitor),
    workload: Type.Optional(Workload),
    levels: Type.Optional(Levels),
  },
  { additionalProperties: false },
);
export type SiteRequest = Static<typeof SiteRequest>;

/** Limits of one visit, so that it ends in bounded time. */
export const Limits = Type.Object(
  {
    loadTimeoutMs: Type.Integer({ minimum: 100, maximum: 600_000, description: 'From navigation to the load event.' }),
    quietMs: Type.Integer({
      minimum: 0,
      maximum: 30_000,
      description: 'After load, the visit ends once nothing was requested, run or painted for this long.',
    }),
    settleMaxMs: Type.Integer({ minimum: 0, maximum: 120_000, description: 'Maximum time from load to the end of the visit.' }),
    retries: Type.Integer({ minimum: 0, maximum: 10, description: 'Retries after an invalid visit whose cause may be temporary.' }),
    foreignCpuShare: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Maximum share of the machine’s CPU time that other work may use; with more than five cores, the share of five. 1: no limit.',
    }),
    maxRequests: Type.Integer({ minimum: 1, maximum: 100_000 }),
    maxTransferBytes: Type.Integer({ minimum: 1, maximum: 100_000_000_000 }),
  },
  { additionalProperties: false },
);
export type Limits = Static<typeof Limits>;

export { defaultLimits };

/** Limits of all visits of a campaign; the time limit may depend on each visit's condition and page. */
export const CampaignLimits = Type.Object(
  {
    ...Limits.properties,
    loadTimeoutMs: Type.Union([Type.Literal('auto'), Limits.properties.loadTimeoutMs], {
      description:
        'From navigation to the load event, milliseconds. auto (default): three times as long as the page’s bytes at discovery can take under the condition, between one and ten minutes.',
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
    description: 'Stored in full, so that the campaign can be repeated even if a stored condition changes. Names are unique.',
  }),
  protocols: Type.Array(Protocol, {
    minItems: 1,
    maxItems: 6,
    description: 'The slots of every round. A protocol listed twice is compared with itself (A/A).',
  }),
  views: Type.Array(View, { minItems: 1, maxItems: views.length, uniqueItems: true }),
  rounds: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Rounds for each site, condition and view.' }),
  engine: Type.Enum([...engines], {
    description:
      'What performs visits: puppeteer and browsertime drive Chrome, firefox drives Firefox; transaction sends REST calls, and its visit is one run of a workload.',
  }),
  engineOptions: Type.Optional(EngineOptions),
  discovery: Type.Enum([...discoveries], { description: 'forced: HTTP/3 from the first request; alt-svc: as Chrome discovers it.' }),
  isolation: Type.Enum([...isolations], {
    description:
      'What separates visits: a fresh browser context, a fresh Chrome process, or a fresh container. auto: a context, but a process for pages with preconnect, dns-prefetch or speculation rules, which have no effect in a context.',
  }),
  browser: Type.Enum([...browsers], {
    description:
      'Full headless Chrome, the headless shell, Firefox, or none (the engine transaction’s own client). Default: the first that the engine can drive.',
  }),
  primaryMetric: MetricName,
  margin: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    description: 'Relative difference between protocols that counts as none: 0.05 is 5 %. Fixed before the campaign, like the metric.',
  }),
  adjustment: Type.Enum([...adjustments], {
    description:
      'Correction for multiple comparisons. hommel: limits the chance of any false winner, relying on the independent random orders of rounds; holm: the same without that assumption, but weaker; benjamini-hochberg: limits the average share of false winners. Default: hommel; from 100 sites × conditions × views, benjamini-hochberg.',
  }),
  maximumRounds: orNull(
    Type.Integer({ minimum: 1, maximum: 10_000 }),
    'Runs until settled: rounds are added to each site, condition and view, by a rule that keeps the error rate, until h3 against h2 is settled on the primary metric or this maximum is reached. Null: exactly `rounds`.',
  ),
  seed: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Determines every random order.' }),
  limits: CampaignLimits,
  evidence: Type.Optional(EvidencePolicy),
  netlogs: Type.Optional(
    Type.Boolean({
      description:
        'Whether the first round of each site, condition and view ends with an extra visit of each protocol that records Chrome’s network log, or Firefox’s qlog over HTTP/3. Extra visits never count. Engines puppeteer and firefox only; default false.',
    }),
  ),
  prime: Type.Optional(
    Type.Boolean({
      description:
        'Whether each round begins with one load of the page that does not count, so that no visit of the round is the first to meet the server’s caches. Not for REST calls; default false.',
    }),
  ),
  visitor: Type.Optional(Visitor),
  workload: Type.Optional(Workload),
};

/** A campaign as it runs: every choice that applies to all of its sites. */
export const CampaignSpec = Type.Object(campaignProperties, { additionalProperties: false });
export type CampaignSpec = Static<typeof CampaignSpec>;

/** A condition by its name, in full, or those of a set by its name. */
export const ConditionRequest = Type.Union([
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Name of a preset, a stored condition or a set of conditions; NAME.rtt-MS sets the base RTT of a lossy one.',
  }),
  Condition,
]);
export type ConditionRequest = Static<typeof ConditionRequest>;

export const priorities = ['interactive', 'ci', 'schedule'] as const;
/** Which rounds are leased first: those that a person waits for, then a pipeline's, then a schedule's. */
export const Priority = Type.Enum([...priorities]);
export type Priority = (typeof priorities)[number];

const pipelineEvents = ['push', 'tag', 'pull-request', 'merge-queue', 'deployment', 'schedule', 'manual'] as const;
/** What started a pipeline. */
export type PipelineEvent = (typeof pipelineEvents)[number];

/** The state of the measured pages that a campaign belongs to. */
export const Annotations = Type.Object(
  {
    commit: Type.Optional(OneLine({ maxLength: 100, description: 'Hash of the deployed commit.' })),
    branch: Type.Optional(
      OneLine({
        maxLength: 200,
        description: 'For a pull request, its source branch; from a fork with the owner in front, such as octocat:main.',
      }),
    ),
    event: Type.Optional(
      Type.Enum([...pipelineEvents], { description: 'What started the pipeline. A pull request’s campaigns are never a baseline.' }),
    ),
    pullRequest: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'Number of the pull or merge request; its campaigns are never a baseline.',
      }),
    ),
    buildUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        pattern: '^https?://[^\\x00-\\x20\\x7f-\\x9f]*$',
        description: 'URL of the pipeline run, with http:// or https://, without spaces.',
      }),
    ),
    repeats: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,14}$',
        description: 'Id of the campaign that this one repeats: gates use the second run to confirm a failure, and it is never a baseline.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Annotations = Static<typeof Annotations>;

/** Properties of a campaign besides what it measures. */
const circumstances = {
  priority: Priority,
  location: OneLine({ maxLength: 100, description: 'Only runners at this location perform it.' }),
  annotations: Annotations,
};

const precision = Type.Enum([...precisions], {
  description:
    'Instead of rounds and maximumRounds. quick: 10 rounds; normal: 20; precise: 40; until-clear: until settled, at most 60. The campaign stores these numbers.',
});

/** A request for a campaign: only the sites are required. */
export const CampaignRequest = Type.Object(
  {
    ...Type.Partial(Type.Object(circumstances)).properties,
    ...Type.Partial(Type.Object(campaignProperties)).properties,
    sites: Type.Array(SiteRequest, { minItems: 1, maxItems: 1000 }),
    conditions: Type.Optional(
      Type.Array(ConditionRequest, {
        minItems: 1,
        maxItems: 100,
        description: 'Default: native. A set’s name, such as typical, stands for its conditions; each is measured once.',
      }),
    ),
    precision: Type.Optional(precision),
    limits: Type.Optional(Type.Partial(CampaignLimits, { additionalProperties: false })),
  },
  { additionalProperties: false, description: 'Only the sites are required; everything else has a default.' },
);
export type CampaignRequest = Static<typeof CampaignRequest>;

const campaignStates = ['queued', 'running', 'done', 'cancelled'] as const;
export const CampaignState = Type.Enum([...campaignStates]);
export type CampaignState = (typeof campaignStates)[number];

/** A site of a campaign as stored: with its id, its URL as Chrome writes it, and its own settings. */
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
  finishedAt: TimeOrNull('ISO 8601; when it became done. Null: it is not, or the time was not recorded.'),
  createdBy: orNull(Type.String(), 'Name of the token or schedule. Null: a command on this machine.'),
  createdByKind: orNull(
    Type.Enum(['token', 'schedule']),
    'Kind of the name in createdBy, since a schedule and a token may share one. Null as createdBy.',
  ),
  ...circumstances,
  location: orNull(circumstances.location, 'Null: any.'),
  state: CampaignState,
  spec: CampaignSpec,
  sites: Type.Array(Site, { description: 'In the order of the request, each with its own settings.' }),
  progress: Type.Object({
    rounds: Type.Integer(),
    roundsDone: Type.Integer({ description: 'Finished, abandoned and cancelled rounds.' }),
    visitsValid: Type.Integer(),
    visitsInvalid: Type.Integer(),
  }),
});
export type Campaign = Static<typeof Campaign>;

export const CampaignSetup = Type.Object(
  {
    browsers: Type.Array(Type.String(), { description: 'Such as Chrome/156.0.8078.79.' }),
    runners: Type.Array(Type.String(), { description: 'Versions of the runners.' }),
    links: Type.Array(Type.String(), { description: 'What shaped the network.' }),
  },
  { description: 'What measured the visits so far, each once.' },
);
export type CampaignSetup = Static<typeof CampaignSetup>;
