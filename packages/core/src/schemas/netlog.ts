// Findings in Chrome's network log, from a visit that was loaded once more to record it. docs/netlog.md says how each finding is made.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';
import { Protocol } from './vocabulary.ts';

/** A finding, or why there is none: an event that is not understood accuses nobody. */
export type Finding<T> = { found: T } | { unknown: string };
const findingOf = <T extends Type.TSchema>(found: T, description: string) =>
  Type.Union([Type.Object({ found }), Type.Object({ unknown: Type.String({ description: 'Why there is none.' }) })], { description });

const Stream = Type.Integer({ minimum: 0, description: 'Number of the QUIC stream.' });
const Bytes = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });

export const Handshake = Type.Object({
  ms: Type.Number(),
  roundTrips: Type.Number({
    description: 'To one decimal: 1 for QUIC, 2 for TCP with TLS 1.3, 0 if the first request was sent with the first packet.',
  }),
});
export type Handshake = Static<typeof Handshake>;

export const Hole = Type.Object({
  stream: Stream,
  offset: Type.Integer({ minimum: 0, description: 'First missing byte of the stream.' }),
  length: Type.Integer({ minimum: 0, description: 'Number of missing bytes.' }),
  ms: Type.Number({ description: 'From the first later byte to the last missing one.' }),
  foreignBytes: Type.Integer({ minimum: 0, description: 'Bytes of other streams that arrived in that time.' }),
});
export type Hole = Static<typeof Hole>;

/**
 * RFC 9218 §10. `urgency`: a less urgent response was sent. `order`: of two equally urgent, non-incremental responses, the one requested later
 * was sent. `sharing`: other incremental responses of equal urgency were sent for more than a turn.
 */
const priorityRules = ['urgency', 'order', 'sharing'] as const;
export type PriorityRule = (typeof priorityRules)[number];

export const PassedResponse = Type.Object({
  stream: Stream,
  value: Type.String({ description: 'The signal, such as `u=2, i`.' }),
  passedBytes: Type.Integer({ minimum: 0, description: 'Bytes of other responses that were sent first while this one was in progress.' }),
  passedBeforeBytes: Type.Integer({ minimum: 0, description: 'The same before it began.' }),
  rule: Type.Enum([...priorityRules], {
    description: 'The rule that most of these bytes broke: urgency, order or sharing (RFC 9218, 10).',
  }),
});
export type PassedResponse = Static<typeof PassedResponse>;

export const PriorityOrder = Type.Object({
  signals: Type.Integer({
    minimum: 0,
    description:
      'Signals by `priority` headers and PRIORITY_UPDATE frames; signals that repeat the previous one of their response are not counted.',
  }),
  notFollowed: Type.Integer({ minimum: 0, description: 'Signals whose responses were overtaken while in progress.' }),
  passedBefore: Type.Integer({
    minimum: 0,
    description: 'Signals whose responses were overtaken before they began: the server may not have had them ready.',
  }),
  followed: Type.Integer({ minimum: 0, description: 'Signals that put a response ahead of another requested one.' }),
  undecided: Type.Integer({ minimum: 0, description: 'Signals of responses that never competed with another for certain.' }),
  worst: Type.Array(PassedResponse, { description: 'The responses overtaken by the most bytes, at most five.' }),
});
export type PriorityOrder = Static<typeof PriorityOrder>;

export const CappedStream = Type.Object({
  stream: Stream,
  windowBytes: Type.Integer({ minimum: 0, description: 'Bytes received in each round trip.' }),
  roundTrips: Type.Integer({ minimum: 0, description: 'Number of equal round trips in a row.' }),
});
export type CappedStream = Static<typeof CappedStream>;

export const QuicFindings = Type.Object({
  urls: Type.Record(Type.String(), Type.String(), { description: 'URLs of the streams, by stream number.' }),
  holes: findingOf(
    Type.Object({ count: Count, longest: Type.Array(Hole, { description: 'At most five.' }) }),
    'Missing bytes of a stream while later ones had arrived.',
  ),
  priorities: findingOf(PriorityOrder, 'Whether the server followed the order that Chrome signalled.'),
  capped: findingOf(Type.Array(CappedStream), 'Streams that received the same bytes in each round trip, and nothing in between.'),
});
export type QuicFindings = Static<typeof QuicFindings>;

export const ConnectionFindings = Type.Object({
  host: Type.String({ description: 'With its port.' }),
  protocol: findingOf(Protocol, 'Protocol of the connection.'),
  rttMs: findingOf(Type.Number(), 'Shortest round trip, milliseconds.'),
  handshake: findingOf(Handshake, 'From the first packet until a request could be sent.'),
  bytesByRoundTrip: findingOf(Type.Array(Bytes), 'Bytes received in each round trip since the first byte of a response.'),
  quic: orNull(QuicFindings, 'Null over TCP, where the kernel hides all of this.'),
});
export type ConnectionFindings = Static<typeof ConnectionFindings>;

/**
 * `cached`: it came from a cache. `not-offered`: no response of its host offers HTTP/3. `not-known-yet`: no response had offered it when the
 * request began. `broken`: Chrome had marked its host's HTTP/3 as broken, after a connection that failed. `race-lost`: the other connection was
 * there first. `quic-failed`: no QUIC connection was established.
 */
const whysNotH3 = ['cached', 'not-offered', 'not-known-yet', 'broken', 'race-lost', 'quic-failed'] as const;
export type WhyNotH3 = (typeof whysNotH3)[number];

export const NotOverH3 = Type.Object({
  url: Type.String(),
  protocol: orNull(Type.String()),
  why: findingOf(Type.Enum([...whysNotH3]), 'Why HTTP/3 was not used.'),
});
export type NotOverH3 = Static<typeof NotOverH3>;

export const NetlogFindings = Type.Object({
  connections: Type.Array(ConnectionFindings, {
    description: 'In the order in which they began, without connections to hosts that are not the page’s.',
  }),
  notOverH3: Type.Array(NotOverH3, { description: 'Requests that did not use HTTP/3, in a visit that may; otherwise empty.' }),
});
export type NetlogFindings = Static<typeof NetlogFindings>;

/** For an extra visit, which is loaded to record the log: recording slows a load, so it never counts. Other visits have none. */
export const VisitNetlog = Type.Object(
  {
    findings: orNull(NetlogFindings, 'Null: there is no log, because nothing was loaded, or Chrome gave none or an incomplete one.'),
  },
  {
    description:
      'Findings of an extra visit, which is loaded to record Chrome’s network log. Recording slows a load, so such a visit never counts and is in no result. Absent for all other visits.',
  },
);
export type VisitNetlog = Static<typeof VisitNetlog>;
