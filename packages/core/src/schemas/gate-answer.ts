// What a gate answers, how questions and answers are stored, and gates under a name.
import Type, { type Static } from 'typebox';
import { gateOutcomes } from '../vocabulary/verdict.ts';
import { Campaign } from './campaign.ts';
import { MoreRounds } from './comparison.ts';
import { NameBesideId, orNull, Time, TimeOrNull } from './fields.ts';
import { Assertion, decisions, GateCampaign, GateMetric, GateRules, gateRuleProperties } from './gate.ts';
import { Page } from './page.ts';
import { FailureRate } from './results.ts';
import { Protocol, View } from './vocabulary.ts';

const Outcome = Type.Enum([...gateOutcomes]);

/** Why an assertion neither passes nor fails. */
export const gateReasons = [
  'unmeasured',
  'unfinished',
  'nothing-measured',
  'too-few-rounds',
  'undecided',
  'invalid-visits',
  'link',
  'receive-drops',
  'parity',
  'little-h3',
  'saturated',
  'refused',
  'censored',
  'no-baseline',
  'few-baselines',
  'second-run',
] as const;

/** One assertion at one site, under one condition, in one view, over one protocol. */
export const GateCheck = Type.Object({
  assertion: Type.Integer({ description: 'Place in the assertions.' }),
  words: Type.String({ description: 'What came of it with its numbers, in a sentence or two.' }),
  outcome: Outcome,
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  protocol: Protocol,
  metric: GateMetric,
  value: orNull(
    Type.Number(),
    'Measured: in the unit of the metric; of a relation, the difference as a share. Null: nothing was, or it lies among loads that failed.',
  ),
  low: orNull(
    Type.Number(),
    'One-sided bound at the confidence; null where too few rounds have one, and where it lies among loads that failed.',
  ),
  high: orNull(Type.Number(), 'As low.'),
  max: orNull(Type.Number(), 'What it is held against: at most this.'),
  min: orNull(Type.Number(), 'At least this.'),
  rounds: Type.Integer({ description: 'That have the numbers, or failed.' }),
  failures: FailureRate,
  pPass: Type.Number({ description: 'That the visits look so good or better, if it does not hold.' }),
  pFail: Type.Number({
    description:
      'That the visits look so bad or worse, if it holds; corrected for all checks of the gate. Against a baseline: that both runs do; 1 while there is one run.',
  }),
  reasons: Type.Array(Type.Object({ reason: Type.Enum([...gateReasons]), words: Type.String() }), {
    description: 'Why it is inconclusive or unmeasured.',
  }),
  caution: orNull(Type.String(), 'What to know of this outcome.'),
  moreRounds: orNull(
    Type.Omit(MoreRounds, ['givenUp']),
    'How many more rounds would decide it. Null: it is decided, or nothing can be said.',
  ),
});
export type GateCheck = Static<typeof GateCheck>;

/** The answer of a gate. */
export const GateResult = Type.Object({
  campaignId: Type.String(),
  state: Type.String({ description: 'Of the campaign.' }),
  outcome: Type.Enum([...gateOutcomes], {
    description:
      'fail: an assertion does not hold; pass: all hold. Else unmeasured: the page was down, blocked or hardly ever valid; or inconclusive: neither is shown.',
  }),
  words: Type.String({ description: 'In a sentence.' }),
  decide: Type.Enum([...decisions]),
  confidence: Type.Number(),
  counts: Type.Object(
    { pass: Type.Integer(), fail: Type.Integer(), inconclusive: Type.Integer(), unmeasured: Type.Integer() },
    { description: 'Of the checks.' },
  ),
  assertions: Type.Array(Type.String(), { description: 'In words, in the order of the rules.' }),
  checks: Type.Array(GateCheck),
  baseline: orNull(
    Type.Object({
      branch: Type.String(),
      campaigns: Type.Array(
        Type.Object({ campaignId: Type.String(), createdAt: Time(), commit: orNull(Type.String(), 'Null: not told.') }),
        { description: 'Newest first.' },
      ),
      otherRun: orNull(
        Type.String(),
        'Id of the campaign that is the other run of the page, which a failure takes: the one that this one repeats, or the one before it of their schedule.',
      ),
    }),
    'Null where no assertion asks for one.',
  ),
});
export type GateResult = Static<typeof GateResult>;

/** What `pronghorn gate --json` writes. */
export const GateReport = Type.Object(
  {
    outcome: Outcome,
    exitCode: Type.Integer({ minimum: 0, maximum: 125, description: 'Of the command.' }),
    url: orNull(Type.String(), 'Where the campaign is looked at. Null: nowhere that lasts.'),
    result: GateResult,
    campaign: Campaign,
  },
  { title: 'The report of a gate', description: 'What `pronghorn gate --json` writes.' },
);
export type GateReport = Static<typeof GateReport>;

/** A gate as it is stored under a name. */
export const GateRequest = Type.Object(
  {
    name: NameBesideId({ maxLength: 200, description: 'Unique.' }),
    campaign: orNull(GateCampaign, 'What is measured when somebody asks without a campaign. Null: it judges campaigns that others make.'),
    rules: GateRules,
  },
  { additionalProperties: false },
);
export type GateRequest = Static<typeof GateRequest>;

export const Gate = Type.Object({
  id: Type.String(),
  createdAt: Time(),
  changedAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token. Null: this machine’s own command.'),
  ...GateRequest.properties,
});
export type Gate = Static<typeof Gate>;
export const GatePage = Page(Gate);

/** Rules that are being written: read and checked as those of a gate, and not stored. */
export const GateDraft = Type.Omit(GateRequest, ['name'], { additionalProperties: false });
export type GateDraft = Static<typeof GateDraft>;

export const ReadRules = Type.Object({
  assertions: Type.Array(
    orNull(Type.Object({ assertion: Assertion, line: Type.String({ description: 'The same in one line.' }) }), 'Null: it can’t be read.'),
    { description: 'In the order of the rules.' },
  ),
  problems: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
    description: 'Why a gate of it would be refused; empty: it would be taken.',
  }),
});
export type ReadRules = Static<typeof ReadRules>;

/** A gate asked of a campaign: stored, with its answer once the campaign is done or cancelled. */
export const GateAnswer = Type.Object({
  id: Type.String(),
  campaignId: Type.String(),
  gateId: orNull(Type.String(), 'Null: its rules came with the question, or the gate was deleted.'),
  gate: orNull(Type.String(), 'Its name then.'),
  askedAt: Time(),
  askedBy: orNull(Type.String(), 'Name of the token, or of the schedule.'),
  checkedAt: TimeOrNull('ISO 8601. Null: the campaign is neither done nor cancelled yet, or was resumed since.'),
  outcome: orNull(Outcome, 'Null: not checked yet.'),
  result: orNull(GateResult, 'Null: not checked yet.'),
});
export type GateAnswer = Static<typeof GateAnswer>;

/** What is asked: rules, or a stored gate; of a campaign that is there, or of one that is to be made. */
export const GateQuestion = Type.Object(
  {
    ...Type.Partial(Type.Object(gateRuleProperties)).properties,
    gateId: Type.Optional(Type.String({ description: 'A stored gate, in place of assertions.' })),
    campaignId: Type.Optional(Type.String({ description: 'Of a campaign that is there.' })),
    campaign: Type.Optional(GateCampaign),
  },
  { additionalProperties: false },
);
export type GateQuestion = Static<typeof GateQuestion>;
