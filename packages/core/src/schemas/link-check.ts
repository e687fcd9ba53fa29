// What a link was measured to do, and what its condition demands: the proof stored with a round.
import Type, { type Static } from 'typebox';
import { linkBackends } from '../vocabulary/choices.ts';
import { orNull, Time } from './fields.ts';

/** What shapes the packets: nothing, a plain pair of devices, netem in this kernel, netem in a guest kernel. */
export const LinkBackend = Type.Enum([...linkBackends], {
  description:
    'direct: the machine’s own network; veth: a visit namespace without shaping; netem: shaped by this kernel; guest: shaped by the kernel of a User-Mode Linux guest.',
});
export type LinkBackend = (typeof linkBackends)[number];

export const MeasuredDelay = Type.Object({
  requestedMs: Type.Number(),
  meanMs: Type.Number(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
  toleranceMs: Type.Number(),
  packets: Type.Integer({ description: 'Packets that arrived and were timed.' }),
  within: Type.Boolean(),
});
export type MeasuredDelay = Static<typeof MeasuredDelay>;

export const MeasuredLoss = Type.Object({
  requestedShare: Type.Number(),
  sent: Type.Integer(),
  lost: Type.Integer(),
  low: Type.Integer({ description: 'Lower end of the 99.9 % interval of the requested loss.' }),
  high: Type.Integer({ description: 'Upper end of that interval.' }),
  duplicates: Type.Integer(),
  reordered: Type.Integer({ description: 'Packets that arrived after one sent later.' }),
  within: Type.Boolean(),
});
export type MeasuredLoss = Static<typeof MeasuredLoss>;

export const MeasuredRate = Type.Object({
  transport: Type.Enum(['udp', 'tcp']),
  requestedKbps: orNull(Type.Number({ description: 'On the wire; null if the condition has no rate.' })),
  measuredKbps: Type.Number({ description: 'On the wire, headers included.' }),
  within: orNull(Type.Boolean({ description: 'Null if there is no target: no rate, or TCP slowed down by loss.' })),
});
export type MeasuredRate = Static<typeof MeasuredRate>;

export const MeasuredDirection = Type.Object({
  delay: orNull(MeasuredDelay, 'Null if no packet arrived.'),
  loss: MeasuredLoss,
  rates: Type.Array(MeasuredRate),
});
export type MeasuredDirection = Static<typeof MeasuredDirection>;

export const LinkCheck = Type.Object({
  id: Type.String({ format: 'uuid' }),
  checkedAt: Time(),
  condition: Type.String(),
  backend: LinkBackend,
  kernel: Type.String({ description: 'Kernel that shapes the packets.' }),
  tcLines: Type.Array(Type.String(), { description: 'Arguments given to tc, for both directions.' }),
  rtt: orNull(MeasuredDelay, 'Null if no ping came back.'),
  up: orNull(MeasuredDirection),
  down: orNull(MeasuredDirection),
  faults: Type.Array(Type.String(), {
    description: 'What is out of tolerance, in words; empty when the link does what the condition says.',
  }),
});
export type LinkCheck = Static<typeof LinkCheck>;

/** A link check with the round that it belongs to. */
export const RoundLinkCheck = Type.Object({
  ...LinkCheck.properties,
  campaignId: Type.String(),
  roundId: Type.String(),
  attempt: Type.Integer({ minimum: 1, description: 'The round’s attempt that it was made for.' }),
});
export type RoundLinkCheck = Static<typeof RoundLinkCheck>;
