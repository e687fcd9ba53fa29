// A named network condition: what the link does to packets in each direction.
import Type, { type Static } from 'typebox';
import { numberOrNull, OneLine, orNull, share } from './fields.ts';

export const delayDistributions = ['uniform', 'normal', 'pareto', 'paretonormal'] as const;

export const Jitter = Type.Object(
  {
    ms: Type.Number({
      exclusiveMinimum: 0,
      maximum: 10_000,
      description:
        'Spread around the delay: half width of uniform, standard deviation of the others. Packets overtake each other where it is longer than the time between them.',
    }),
    correlation: Type.Optional(
      share(
        'How much each packet’s delay follows the one before; default 0. netem’s spread shrinks with it, to √((1 − ρ) ÷ (1 + ρ)) of what is asked for.',
      ),
    ),
    distribution: Type.Optional(Type.Enum([...delayDistributions], { description: 'Default uniform.' })),
  },
  { additionalProperties: false },
);
export type Jitter = Static<typeof Jitter>;

export const IndependentLoss = Type.Object(
  { model: Type.Literal('independent'), share: share('Of packets.') },
  { additionalProperties: false },
);

/** Two states, good and bad (Gilbert 1960, Elliott 1963), as tc-netem(8) has it. */
export const GilbertElliottLoss = Type.Object(
  {
    model: Type.Literal('gilbert-elliott'),
    p: share('Chance to go from good to bad with a packet.'),
    r: share('Chance to go from bad to good with a packet.'),
    lossBad: Type.Optional(share('Loss in the bad state (1 − h); default 1.')),
    lossGood: Type.Optional(share('Loss in the good state (1 − k); default 0.')),
  },
  { additionalProperties: false },
);

export const Loss = Type.Union([IndependentLoss, GilbertElliottLoss]);
export type Loss = Static<typeof Loss>;

/** What happens to packets in one direction; what is absent doesn't happen. */
export const Shape = Type.Object(
  {
    delayMs: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000, description: 'Added to every packet.' })),
    jitter: Type.Optional(Jitter),
    loss: Type.Optional(Loss),
    rateKbps: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 10_000_000, description: 'Thousands of bits a second, on the wire.' }),
    ),
    queueBytes: Type.Optional(
      Type.Integer({
        minimum: 1_600,
        maximum: 100_000_000,
        description: 'Of the bottleneck; default: 100 ms at the rate, at least 32 KB.',
      }),
    ),
    reorder: Type.Optional(
      Type.Object(
        {
          share: share('Of packets: sent at once, before the delayed ones.'),
          correlation: Type.Optional(share('With the packet before; default 0.')),
        },
        { additionalProperties: false },
      ),
    ),
    duplicateShare: Type.Optional(share('Of packets.')),
  },
  { additionalProperties: false },
);
export type Shape = Static<typeof Shape>;

export const conditionNamePattern = '^[a-z0-9][a-z0-9.-]{0,62}$';

export const Condition = Type.Object(
  {
    name: Type.String({ pattern: conditionNamePattern, description: 'Lower-case letters, digits, dots and hyphens.' }),
    description: Type.Optional(OneLine({ minLength: 0, maxLength: 500 })),
    source: Type.Optional(OneLine({ minLength: 0, maxLength: 500, description: 'Where the numbers come from.' })),
    baseRttMs: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10_000,
        description: 'Of the path itself, half in each direction, beside the delays below: loss without it measures the CPU, not recovery.',
      }),
    ),
    up: Shape,
    down: Shape,
  },
  { additionalProperties: false, description: 'Directions as seen by the visit: up is what it sends. native has two empty shapes.' },
);
export type Condition = Static<typeof Condition>;

const DirectionNumbers = Type.Object({
  delayMs: Type.Number({ description: 'Added to every packet, half of the base RTT included.' }),
  jitterMs: numberOrNull('Null: none.'),
  lossShare: Type.Number({ description: 'Of packets; of bursts the mean.' }),
  rateKbps: numberOrNull('Null: no bottleneck.'),
  queueBytes: Type.Integer({ description: 'Before the bottleneck; 0 without one.' }),
});

/** A condition's numbers, those that it leaves open filled in. */
export const ConditionNumbers = Type.Object({
  rttMs: Type.Number({ description: 'What it adds to the round trip, base RTT included, jitter aside.' }),
  up: DirectionNumbers,
  down: DirectionNumbers,
});
export type ConditionNumbers = Static<typeof ConditionNumbers>;

/** A condition as it is listed: a preset, or one that a user stored. */
export const KnownCondition = Type.Object({
  ...Condition.properties,
  preset: Type.Boolean({ description: 'Whether it is one of Pronghorn’s own, which nobody can change.' }),
  words: Type.String({ description: 'What it does, in one line.' }),
  numbers: ConditionNumbers,
});
export type KnownCondition = Static<typeof KnownCondition>;

/** A condition that is not stored: what it would do, and what is wrong with it. */
export const ConditionPreview = Type.Object({
  words: orNull(Type.String(), 'What it does, in one line. Null: it does not fit its schema.'),
  numbers: orNull(ConditionNumbers, 'Null as `words`.'),
  problems: Type.Array(Type.Object({ pointer: Type.String({ description: 'JSON pointer into the body.' }), detail: Type.String() }), {
    description: 'Why it would not be stored; empty: it would be.',
  }),
  stored: Type.Boolean({ description: 'Whether another of its name is stored, in whose place it would come.' }),
});
export type ConditionPreview = Static<typeof ConditionPreview>;
