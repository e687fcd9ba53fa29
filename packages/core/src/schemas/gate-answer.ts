// The answers of gates, and stored gates.
import Type, { type Static } from 'typebox';
import { gateOutcomes } from '../vocabulary/verdict.ts';
import { Campaign } from './campaign.ts';
import { Caveats } from './caveat.ts';
import { MoreRounds } from './comparison.ts';
import { NameBesideId, orNull, Time, TimeOrNull } from './fields.ts';
import { Assertion, decisions, GateCampaign, GateMetric, GateRules, gateRuleProperties } from './gate.ts';
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

/** One assertion in one cell, over one protocol. */
export const GateCheck = Type.Object({
  assertion: Type.Integer({ description: 'Index in the assertions.' }),
  words: Type.String({ description: 'The result with its numbers, in a sentence or two.' }),
  outcome: Outcome,
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  protocol: Protocol,
  metric: GateMetric,
  value: orNull(
    Type.Number(),
    'Measured value, in the unit of the metric; for a relation, the difference as a share. Null: nothing was measured, or it lies among failed loads.',
  ),
  low: orNull(Type.Number(), 'One-sided bound at the confidence level; null if there are too few rounds, or it lies among failed loads.'),
  high: orNull(Type.Number(), 'See low.'),
  max: orNull(Type.Number(), 'Upper limit.'),
  min: orNull(Type.Number(), 'Lower limit.'),
  rounds: Type.Integer({ description: 'Rounds that have the values, or failed.' }),
  failures: FailureRate,
  pPass: Type.Number({ description: 'Probability of visits this good or better, if the assertion does not hold.' }),
  pFail: Type.Number({
    description:
      'Probability of visits this bad or worse, if the assertion holds; corrected for all checks of the gate. Against a baseline: that both runs are; 1 while there is one run.',
  }),
  reasons: Type.Array(Type.Object({ reason: Type.Enum([...gateReasons]), words: Type.String() }), {
    description: 'Why it is inconclusive or unmeasured.',
  }),
  caution: orNull(Type.String(), 'Known limits of this outcome.'),
  moreRounds: orNull(Type.Omit(MoreRounds, ['givenUp']), 'How many more rounds would decide it. Null: it is decided, or this is unknown.'),
});
export type GateCheck = Static<typeof GateCheck>;

/** The answer of a gate. */
export const GateResult = Type.Object({
  campaignId: Type.String(),
  state: Type.String({ description: 'State of the campaign.' }),
  outcome: Type.Enum([...gateOutcomes], {
    description:
      'fail: an assertion does not hold; pass: all hold. Otherwise unmeasured (the page was down, blocked or hardly ever valid) or inconclusive (neither is shown).',
  }),
  words: Type.String({ description: 'Summary in a sentence.' }),
  decide: Type.Enum([...decisions]),
  confidence: Type.Number(),
  counts: Type.Object(
    { pass: Type.Integer(), fail: Type.Integer(), inconclusive: Type.Integer(), unmeasured: Type.Integer() },
    { description: 'Number of checks by outcome.' },
  ),
  assertions: Type.Array(Type.String(), { description: 'The assertions in words, in the order of the rules.' }),
  checks: Type.Array(GateCheck),
  caveats: Type.Optional(Caveats),
  baseline: orNull(
    Type.Object({
      branch: Type.String(),
      campaigns: Type.Array(
        Type.Object({ campaignId: Type.String(), createdAt: Time(), commit: orNull(Type.String(), 'Null: unknown.') }),
        { description: 'Newest first.' },
      ),
      otherRun: orNull(
        Type.String(),
        'Id of the other run of the page, which a failure requires: the campaign that this one repeats, or the previous one of their schedule.',
      ),
    }),
    'Null if no assertion needs one.',
  ),
});
export type GateResult = Static<typeof GateResult>;

/** The output of `pronghorn gate --json`. */
export const GateReport = Type.Object(
  {
    outcome: Outcome,
    exitCode: Type.Integer({ minimum: 0, maximum: 125, description: 'Exit code of the command.' }),
    url: orNull(Type.String(), 'Page that shows the campaign. Null: no permanent one.'),
    result: GateResult,
    campaign: Campaign,
  },
  { title: 'The report of a gate', description: 'Output of `pronghorn gate --json`.' },
);
export type GateReport = Static<typeof GateReport>;

/** A gate stored under a name. */
export const GateRequest = Type.Object(
  {
    name: NameBesideId({ maxLength: 200, description: 'Unique.' }),
    campaign: orNull(GateCampaign, 'What to measure when a check names no campaign. Null: the gate judges campaigns that others create.'),
    rules: GateRules,
  },
  { additionalProperties: false },
);
export type GateRequest = Static<typeof GateRequest>;

export const Gate = Type.Object({
  id: Type.String(),
  createdAt: Time(),
  changedAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token. Null: a command on this machine.'),
  ...GateRequest.properties,
});
export type Gate = Static<typeof Gate>;
/** Rules being edited: read and checked like those of a gate, but not stored. */
export const GateDraft = Type.Omit(GateRequest, ['name'], { additionalProperties: false });
export type GateDraft = Static<typeof GateDraft>;

export const ReadRules = Type.Object({
  assertions: Type.Array(
    orNull(
      Type.Object({ assertion: Assertion, line: Type.String({ description: 'The assertion in one line.' }) }),
      'Null: it can’t be read.',
    ),
    { description: 'In the order of the rules.' },
  ),
  problems: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
    description: 'Why a gate with these rules would be rejected; empty: it would be accepted.',
  }),
  warnings: Type.Array(Type.String(), { description: 'Assertions that the campaign’s number of rounds can never pass, or never fail.' }),
});
export type ReadRules = Static<typeof ReadRules>;

/** The check of a campaign by a gate: stored, with its result once the campaign is done or cancelled. */
export const GateAnswer = Type.Object({
  id: Type.String(),
  campaignId: Type.String(),
  gateId: orNull(Type.String(), 'Null: the rules were part of the request, or the gate was deleted.'),
  gate: orNull(Type.String(), 'Name of the gate at that time.'),
  askedAt: Time(),
  askedBy: orNull(Type.String(), 'Name of the token or schedule.'),
  checkedAt: TimeOrNull('ISO 8601. Null: the campaign is neither done nor cancelled, or was resumed since.'),
  outcome: orNull(Outcome, 'Null: not checked yet.'),
  result: orNull(GateResult, 'Null: not checked yet.'),
});
export type GateAnswer = Static<typeof GateAnswer>;

/** Asks for a check: rules or a stored gate, and an existing campaign or a new one. */
export const GateQuestion = Type.Object(
  {
    ...Type.Partial(Type.Object(gateRuleProperties)).properties,
    gateId: Type.Optional(Type.String({ description: 'A stored gate, instead of assertions.' })),
    campaignId: Type.Optional(Type.String({ description: 'Id of an existing campaign.' })),
    campaign: Type.Optional(GateCampaign),
  },
  { additionalProperties: false },
);
export type GateQuestion = Static<typeof GateQuestion>;
