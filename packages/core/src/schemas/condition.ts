// A named network condition: what the link does to packets in each direction.
import Type, { type Static } from 'typebox';
import { numberOrNull, OneLine, orNull, share } from './fields.ts';

const delayDistributions = ['uniform', 'normal', 'pareto', 'paretonormal'] as const;

export const Jitter = Type.Object(
  {
    ms: Type.Number({
      exclusiveMinimum: 0,
      maximum: 10_000,
      description:
        'Spread around the delay: half width for uniform, standard deviation for the others. Packets overtake each other if it exceeds the time between them.',
    }),
    correlation: Type.Optional(
      share(
        'Correlation of each packet’s delay with the previous one; default 0. It shrinks netem’s spread to √((1 − ρ) ÷ (1 + ρ)) of the requested one.',
      ),
    ),
    distribution: Type.Optional(Type.Enum([...delayDistributions], { description: 'Default uniform.' })),
  },
  { additionalProperties: false },
);
export type Jitter = Static<typeof Jitter>;

export const IndependentLoss = Type.Object(
  { model: Type.Literal('independent'), share: share('Share of packets, 0 to 1.') },
  { additionalProperties: false },
);

/** Two states, good and bad (Gilbert 1960, Elliott 1963), as in tc-netem(8). */
export const GilbertElliottLoss = Type.Object(
  {
    model: Type.Literal('gilbert-elliott'),
    p: share('Probability of a change from good to bad at each packet.'),
    r: share('Probability of a change from bad to good at each packet.'),
    lossBad: Type.Optional(share('Loss in the bad state (1 − h); default 1.')),
    lossGood: Type.Optional(share('Loss in the good state (1 − k); default 0.')),
  },
  { additionalProperties: false },
);

export const Loss = Type.Union([IndependentLoss, GilbertElliottLoss]);
export type Loss = Static<typeof Loss>;

/** What happens to packets in one direction; anything absent doesn't happen. */
export const Shape = Type.Object(
  {
    delayMs: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000, description: 'Added to every packet.' })),
    jitter: Type.Optional(Jitter),
    loss: Type.Optional(Loss),
    rateKbps: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000_000, description: 'Kilobits per second, on the wire.' })),
    queueBytes: Type.Optional(
      Type.Integer({
        minimum: 1_600,
        maximum: 100_000_000,
        description: 'Queue of the bottleneck; default: 100 ms at the rate, at least 32 KB.',
      }),
    ),
    reorder: Type.Optional(
      Type.Object(
        {
          share: share('Share of packets that are sent at once, ahead of delayed ones.'),
          correlation: Type.Optional(share('Correlation with the previous packet; default 0.')),
        },
        { additionalProperties: false },
      ),
    ),
    duplicateShare: Type.Optional(share('Share of packets, 0 to 1.')),
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
        description:
          'Round-trip time of the path itself, half in each direction, besides the delays below. Loss without it measures the CPU, not recovery.',
      }),
    ),
    up: Shape,
    down: Shape,
  },
  { additionalProperties: false, description: 'Directions as seen by the visit: up is what it sends. native has two empty shapes.' },
);
export type Condition = Static<typeof Condition>;

const DirectionNumbers = Type.Object({
  delayMs: Type.Number({ description: 'Added to every packet, including half of the base RTT.' }),
  jitterMs: numberOrNull('Null: none.'),
  lossShare: Type.Number({ description: 'Share of packets; for bursts, the mean.' }),
  rateKbps: numberOrNull('Null: no bottleneck.'),
  queueBytes: Type.Integer({ description: 'Queue of the bottleneck; 0 without one.' }),
});

/** A condition's numbers, with defaults filled in. */
export const ConditionNumbers = Type.Object({
  rttMs: Type.Number({ description: 'Added round-trip time, including the base RTT, without jitter.' }),
  up: DirectionNumbers,
  down: DirectionNumbers,
});
export type ConditionNumbers = Static<typeof ConditionNumbers>;

/** A condition in a list: a preset, or one that a user stored. */
export const KnownCondition = Type.Object({
  ...Condition.properties,
  preset: Type.Boolean({ description: 'Whether it is one of Pronghorn’s presets, which can’t be changed.' }),
  words: Type.String({ description: 'Its effect, in one line.' }),
  numbers: ConditionNumbers,
});
export type KnownCondition = Static<typeof KnownCondition>;

/** A named set of conditions. */
export const ConditionSet = Type.Object({
  name: Type.String({ description: 'Stands for its conditions wherever a campaign’s request names conditions.' }),
  title: Type.String(),
  description: Type.String(),
  conditions: Type.Array(Type.String(), { description: 'Names of presets.' }),
});
export type ConditionSet = Static<typeof ConditionSet>;

/** A condition that is not stored: its effect, and its problems. */
export const ConditionPreview = Type.Object({
  words: orNull(Type.String(), 'Its effect, in one line. Null: it does not match its schema.'),
  details: orNull(Type.String(), 'Its effect in full, with queues and the side of each delay. Null as `words`.'),
  numbers: orNull(ConditionNumbers, 'Null as `words`.'),
  problems: Type.Array(Type.Object({ pointer: Type.String({ description: 'JSON pointer into the body.' }), detail: Type.String() }), {
    description: 'Why it would not be stored; empty: it would be.',
  }),
  stored: Type.Boolean({ description: 'Whether it would replace a stored condition of the same name.' }),
});
export type ConditionPreview = Static<typeof ConditionPreview>;
