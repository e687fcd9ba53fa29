// What Chrome's network log says of a visit that was loaded once more to record it. docs/netlog.md says how each finding is made.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';
import { Protocol } from './vocabulary.ts';

/** What was found, or why nothing was: what is not understood accuses nobody. */
export type Finding<T> = { found: T } | { unknown: string };
const findingOf = <T extends Type.TSchema>(found: T, description: string) =>
  Type.Union([Type.Object({ found }), Type.Object({ unknown: Type.String({ description: 'Why, in words.' }) })], { description });

const Stream = Type.Integer({ minimum: 0, description: 'Number of the QUIC stream.' });
const Bytes = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });

export const Handshake = Type.Object({
  ms: Type.Number(),
  roundTrips: Type.Number({
    description: 'To one decimal: 1 for QUIC, 2 for TCP with TLS 1.3, 0 where the first request went out with the first packet.',
  }),
});
export type Handshake = Static<typeof Handshake>;

export const Hole = Type.Object({
  stream: Stream,
  offset: Type.Integer({ minimum: 0, description: 'First missing byte of the stream.' }),
  length: Type.Integer({ minimum: 0, description: 'How many are missing.' }),
  ms: Type.Number({ description: 'From the first later byte to the last missing one.' }),
  foreignBytes: Type.Integer({ minimum: 0, description: 'Bytes of other streams that came in that time.' }),
});
export type Hole = Static<typeof Hole>;

/**
 * RFC 9218 §10. `urgency`: a less urgent response was sent. `order`: of two equally urgent ones that are both not incremental, the one with the later
 * request was sent. `sharing`: of equally urgent incremental ones, others were sent for more than a turn.
 */
export const priorityRules = ['urgency', 'order', 'sharing'] as const;
export type PriorityRule = (typeof priorityRules)[number];

export const PassedResponse = Type.Object({
  stream: Stream,
  value: Type.String({ description: 'What was signalled, such as `u=2, i`.' }),
  passedBytes: Type.Integer({ minimum: 0, description: 'Of other responses, when this one was to go first, while it was under way.' }),
  passedBeforeBytes: Type.Integer({ minimum: 0, description: 'The same before it began.' }),
  rule: Type.Enum([...priorityRules], { description: 'That most of these bytes broke: urgency, order or sharing (RFC 9218, 10).' }),
});
export type PassedResponse = Static<typeof PassedResponse>;

export const PriorityOrder = Type.Object({
  signals: Type.Integer({
    minimum: 0,
    description: 'Those of `priority` headers and PRIORITY_UPDATE frames; one that repeats what was said of its response is the same.',
  }),
  notFollowed: Type.Integer({ minimum: 0, description: 'Signals whose responses others passed while they were under way.' }),
  passedBefore: Type.Integer({
    minimum: 0,
    description: 'Others whose responses were passed before they began: the server may not have had what to answer yet.',
  }),
  followed: Type.Integer({ minimum: 0, description: 'Signals by which a response went before another one that had been asked for.' }),
  undecided: Type.Integer({ minimum: 0, description: 'Signals of responses that never certainly competed with another.' }),
  worst: Type.Array(PassedResponse, { description: 'The responses that were passed by the most bytes, at most five.' }),
});
export type PriorityOrder = Static<typeof PriorityOrder>;

export const CappedStream = Type.Object({
  stream: Stream,
  windowBytes: Type.Integer({ minimum: 0, description: 'What comes in each round trip.' }),
  roundTrips: Type.Integer({ minimum: 0, description: 'How many in a row were alike.' }),
});
export type CappedStream = Static<typeof CappedStream>;

export const QuicFindings = Type.Object({
  urls: Type.Record(Type.String(), Type.String(), { description: 'What the streams are, by their numbers.' }),
  holes: findingOf(
    Type.Object({ count: Count, longest: Type.Array(Hole, { description: 'At most five.' }) }),
    'Bytes of a stream that were missing while later ones were there.',
  ),
  priorities: findingOf(PriorityOrder, 'Whether the server sent in the order that Chrome had signalled.'),
  capped: findingOf(Type.Array(CappedStream), 'Streams that got the same bytes in each round trip, and nothing in between.'),
});
export type QuicFindings = Static<typeof QuicFindings>;

export const ConnectionFindings = Type.Object({
  host: Type.String({ description: 'With its port.' }),
  protocol: findingOf(Protocol, 'What it speaks.'),
  rttMs: findingOf(Type.Number(), 'Its shortest round trip, milliseconds.'),
  handshake: findingOf(Handshake, 'From the first packet until a request could be sent.'),
  bytesByRoundTrip: findingOf(Type.Array(Bytes), 'What came in each round trip since the first byte of a response.'),
  quic: orNull(QuicFindings, 'Null over TCP, where the kernel hides all of this.'),
});
export type ConnectionFindings = Static<typeof ConnectionFindings>;

/**
 * `cached`: it came from a cache. `not-offered`: no response of its host offers HTTP/3. `not-known-yet`: none had come with the offer when it began.
 * `broken`: Chrome had given its host's HTTP/3 up, after a connection that failed. `race-lost`: the other connection was there first. `quic-failed`: no
 * QUIC connection came about.
 */
export const whysNotH3 = ['cached', 'not-offered', 'not-known-yet', 'broken', 'race-lost', 'quic-failed'] as const;
export type WhyNotH3 = (typeof whysNotH3)[number];

export const NotOverH3 = Type.Object({
  url: Type.String(),
  protocol: orNull(Type.String()),
  why: findingOf(Type.Enum([...whysNotH3]), 'Why HTTP/3 was not used.'),
});
export type NotOverH3 = Static<typeof NotOverH3>;

export const NetlogFindings = Type.Object({
  connections: Type.Array(ConnectionFindings, {
    description: 'In the order in which they began; those of other hosts than the page’s are left out.',
  }),
  notOverH3: Type.Array(NotOverH3, { description: 'Requests of a visit that may use HTTP/3 and did not, else empty.' }),
});
export type NetlogFindings = Static<typeof NetlogFindings>;

/** Of an extra visit, which was loaded to record the log: recording slows a load, so that it never counts. Other visits have none. */
export const VisitNetlog = Type.Object(
  {
    findings: orNull(NetlogFindings, 'Null: there is no log: nothing was loaded, Chrome gave none, or lost some of it.'),
  },
  {
    description:
      'Of an extra visit that was loaded to record Chrome’s network log, what that says. Recording slows a load: such a visit never counts, and is in no result. Absent: any other visit.',
  },
);
export type VisitNetlog = Static<typeof VisitNetlog>;
