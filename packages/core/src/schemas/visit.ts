// One page load, or run of REST calls, with its verdict: valid with metrics, or invalid with a reason, never both.
import Type, { type Static } from 'typebox';
import { orNull, Time } from './fields.ts';
import { isOfPage, Metrics, type PageMetrics } from './metrics.ts';
import { VisitNetlog } from './netlog.ts';
import { BoundedText, Resource } from './resource.ts';
import { InvalidReason, Protocol, View } from './vocabulary.ts';

// A run of REST calls beside its metrics: its requests, second by second and one by one.

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const ms = () => Type.Number({ minimum: 0 });

const Spread = Type.Object(
  {
    count: count(),
    min: ms(),
    mean: ms(),
    p50: ms(),
    p90: ms(),
    p95: ms(),
    p99: ms(),
    p999: ms(),
    max: ms(),
    curve: Type.Array(Type.Tuple([Type.Number({ minimum: 0, maximum: 100 }), ms()]), {
      maxItems: 1_000,
      description:
        'Times by percentile: that percentage took at most this many milliseconds. Each step towards 100 is half as long as the previous one, with five points in each.',
    }),
    hdr: Type.String({ description: 'The histogram in microseconds, as HdrHistogram encodes it (V2, compressed, base64).' }),
  },
  { description: 'Milliseconds. A failed request counts as the whole time limit.' },
);

export const VisitRun = Type.Object({
  planned: count('Planned requests; 0: the run ended by time.'),
  succeeded: count(),
  errors: Type.Record(Type.String(), count(), { description: 'Failed requests by cause; with the successes these are all requests.' }),
  details: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
    description: 'For each cause, one message of the client.',
  }),
  wallSeconds: Type.Number({ minimum: 0, description: 'From the first request due to the last end.' }),
  connectionsBefore: count('Connections opened before the run.'),
  connections: count('Connections opened during the run.'),
  earlyData: count('Connections whose first requests were sent with the handshake (0-RTT).'),
  sentAgain: orNull(
    Type.Integer({ minimum: 0 }),
    'Requests sent again because the server had not processed them: it accepts a limited number on a connection. Null: unknown, as for Chrome.',
  ),
  latency: Spread,
  ttfb: Spread,
  response: Spread,
  seconds: Type.Array(
    Type.Object({
      at: count('Seconds since the run began. The counts are cumulative.'),
      succeeded: count(),
      failed: count(),
      bytesReceived: count(),
      bytesSent: count(),
    }),
    { maxItems: 7_200 },
  ),
});
export type VisitRun = Static<typeof VisitRun>;

export const Outcome = Type.Union([
  Type.Object({ verdict: Type.Literal('valid'), metrics: Metrics }),
  Type.Object({
    verdict: Type.Literal('invalid'),
    reason: InvalidReason,
    detail: BoundedText({ description: 'Explanation, in words.' }),
  }),
]);
export type Outcome = Static<typeof Outcome>;
/** The outcome of a page load. */
export type PageOutcome = Extract<Outcome, { verdict: 'invalid' }> | { verdict: 'valid'; metrics: PageMetrics };

/** What a page load measured; null: it is invalid, or not a page load. */
export const pageMetrics = (outcome: Outcome): PageMetrics | null =>
  outcome.verdict === 'valid' && isOfPage(outcome.metrics) ? outcome.metrics : null;

/** How busy the machine was during the visit. Shares of all cores; both together are at most 1. */
export const CpuGauge = Type.Object({
  ownShare: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'CPU time of the visit: the browser, the link, the demo origin and what drives them.',
  }),
  foreignShare: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'CPU time of everything else, including the service’s own workers and stolen time.',
  }),
});
export type CpuGauge = Static<typeof CpuGauge>;

/** What the link observed of a visit, which Chrome can't report. */
export const VisitLink = Type.Object({
  refused: Type.Array(BoundedText(), {
    maxItems: 100,
    description: 'Addresses that the egress policy of the link or a fence refused, such as `10.0.0.1 (tcp 80)`; the first hundred.',
  }),
  receiveDrops: Type.Integer({
    minimum: 0,
    description:
      'UDP datagrams that crossed the link but were lost because the receive buffer of the browser’s socket was full; over the link direct, those of all programs on the machine.',
  }),
});
export type VisitLink = Static<typeof VisitLink>;

const busyParts = ['network', 'script', 'paint'] as const;
/** What can still be active in a page after its load event. */
export type BusyPart = (typeof busyParts)[number];

/** The open requests that are listed. */
export const maxNotAwaited = 5;

/** No visit is watched for an hour. */
export const maxWatchMs = 3_600_000;

/** How long visits of a cell are watched at least, because one of them showed something late. */
export const Watch = Type.Object({
  untilMs: Type.Number({ minimum: 0, maximum: maxWatchMs, description: 'Milliseconds since navigation start.' }),
  pauseMs: Type.Number({ minimum: 0, maximum: maxWatchMs, description: 'Milliseconds without activity before the page counts as idle.' }),
});
export type Watch = Static<typeof Watch>;

/** What goes on in a page that is idle otherwise. */
export const Motion = Type.Object({
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the viewport that it covers.' }),
  cycleMs: orNull(Type.Number({ minimum: 0 }), 'After which all of it repeats; null: it does not, or takes too long to be watched.'),
  isVideo: Type.Optional(Type.Boolean({ description: 'Whether a video is among it. Absent: unknown.' })),
});
export type Motion = Static<typeof Motion>;

/** How a page settled after its load event. */
export const Settled = Type.Object({
  ms: Type.Number({ minimum: 0, maximum: maxWatchMs, description: 'From the load event to the end of the visit.' }),
  restMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxWatchMs,
      description: 'From navigation until the page was first idle. Absent: unknown, or it never was.',
    }),
  ),
  workMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxWatchMs,
      description: 'From navigation to the last request or script before that. Absent: unknown, or it never was idle.',
    }),
  ),
  pauseMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxWatchMs,
      description: 'Longest pause after which the page, idle already, went on. Absent: it did not, or requests something again and again.',
    }),
  ),
  wentOnMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxWatchMs,
      description: 'From navigation until it last did so. Absent: see pauseMs, or it does so for ever, or unknown.',
    }),
  ),
  motion: Type.Optional(
    Type.Object(Motion.properties, { description: 'Endless animations and videos in the viewport. Absent: none, or unknown.' }),
  ),
  busy: Type.Array(Type.Enum([...busyParts]), {
    maxItems: busyParts.length,
    description: 'What was still active at the end: what the limit cut off, or endless animations. Empty: the page was idle.',
  }),
  cut: Type.Boolean({ description: 'Whether limits.settleMaxMs ended the visit before the page was idle.' }),
  notAwaited: Type.Optional(
    Type.Array(BoundedText(), {
      maxItems: maxNotAwaited,
      description:
        'URLs of scripts’ requests that were still open at the end and taken for polls or streams: unanswered for 5 s, or answered without data for 2 s. What they would have returned is in no number. Absent: none.',
    }),
  ),
  polls: Type.Optional(
    Type.Boolean({
      description: 'Whether scripts asked for something again and again, by a timer, which is not waited for from the fourth time on.',
    }),
  ),
});
export type Settled = Static<typeof Settled>;

const times = (description: string) => Type.Integer({ minimum: 0, description });

/** What became of early data: not sent; sent, but answered later, as where a server refuses it or takes its time; answered. */
export const earlyDataKinds = ['none', 'sent', 'answered'] as const;
export type EarlyData = (typeof earlyDataKinds)[number];

/** How a visit's page was answered, and how it compares with the one that discovery found. */
export const Likeness = Type.Object({
  requestShare: orNull(Type.Number({ minimum: 0 }), 'Requests ÷ those of discovery; null: unknown, or a repeat view.'),
  bodyShare: orNull(
    Type.Number({ minimum: 0 }),
    'Bytes of bodies, video and sound left out, ÷ those of discovery; null: unknown, or a repeat view.',
  ),
  bodyBytes: times('Bytes of bodies that were not compressed, without headers, video and sound.'),
  otherAnswers: times(
    'URLs that were answered otherwise than at discovery (with an error, blocked, not at all): all of the page’s own, and of others those that were answered well there.',
  ),
  otherEncodings: times('The page’s own URLs that came with another Content-Encoding than at discovery.'),
  edgeHits: times('Answers of the page’s own hosts that an edge cache says it had.'),
  edgeMisses: times('Answers of the page’s own hosts that an edge cache says it did not have.'),
  picture: orNull(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Share of the final picture that differs from that of discovery; null: unknown, or the page moves.',
  ),
  earlyData: Type.Optional(
    Type.Enum([...earlyDataKinds], {
      description:
        'Whether the document’s request was sent with the handshake (0-RTT), and answered as soon as that was complete. Absent: unknown, or it had no handshake of its own.',
    }),
  ),
});
export type Likeness = Static<typeof Likeness>;

const visitProperties = {
  id: Type.String({ format: 'uuid', description: 'Generated by the runner; sending a visit twice stores it once.' }),
  roundId: Type.String(),
  attempt: Type.Integer({ minimum: 1, description: 'The round’s attempt that the visit belongs to.' }),
  slot: Type.Integer({ minimum: 0, description: 'Index in the campaign’s protocols.' }),
  protocol: Protocol,
  position: Type.Integer({ minimum: 0, description: 'Index in the round’s order of visits, including retries.' }),
  retry: Type.Integer({ minimum: 0, description: '0 for the first attempt of this slot.' }),
  startedAt: Time('ISO 8601, start of the navigation.'),
  wallMs: Type.Number({
    minimum: 0,
    description:
      'Wall-clock time of the visit, from its context to its verdict, including the start and end of its container, its link and its link check if it has its own.',
  }),
  loadTimeoutMs: Type.Optional(
    orNull(
      Type.Integer({ minimum: 0 }),
      'Time limit of the load, from navigation to the load event, milliseconds. Null: nothing was loaded.',
    ),
  ),
  finalUrl: orNull(BoundedText(), 'URL of the document that loaded.'),
  documentAddress: orNull(BoundedText(), 'IP address that the document came from; null if it came from a cache or not at all.'),
  cpu: orNull(CpuGauge),
  link: orNull(VisitLink, 'Null on the machine’s own network, which other programs also use.'),
  settled: Type.Optional(orNull(Settled, 'How the page settled; null or absent if no load event fired.')),
  watch: Type.Optional(
    Type.Object(
      {
        ...Watch.properties,
        again: Type.Boolean({
          description:
            'Whether its slot was visited before in the round, and not watched long enough to see what another visit of the round saw: if valid, this one counts in its place.',
        }),
      },
      { description: 'How long it was watched at least. Absent: until the page was idle.' },
    ),
  ),
  likeness: Type.Optional(Type.Object(Likeness.properties, { description: 'Of a valid page load. Absent: unknown.' })),
  environmentId: orNull(BoundedText(), 'Environment that the visit ran in; null if no browser was started.'),
  discoveryId: orNull(BoundedText()),
  outcome: Outcome,
  netlog: Type.Optional(VisitNetlog),
  run: Type.Optional(
    Type.Object(VisitRun.properties, {
      description: 'For REST calls. Left out in lists and events; included when a visit is read by itself, and in exports.',
    }),
  ),
};

export const WatchedEqually = Type.Boolean({
  description:
    'Whether no visit of the round that counts showed or requested what another one was not watched long enough to see. If false, the round has no value of metrics that end with the visit. Absent: true.',
});

/** A visit as the runner uploads it. */
export const VisitUpload = Type.Object({ ...visitProperties, resources: Type.Array(Resource) });
export type VisitUpload = Static<typeof VisitUpload>;

/** A visit as it is read, with its round's cell and number; its resources are read separately. */
export const Visit = Type.Object({
  ...visitProperties,
  campaignId: Type.String(),
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  roundNumber: Type.Integer({ minimum: 1, description: 'Number of the round within its site, condition and view.' }),
  counted: Type.Boolean({
    description:
      'Whether statistics use it, as a value or, if the page or its protocol failed, as a failure: the first visit of its slot that is not a failure of the measurement itself, in an attempt that finished its round.',
  }),
  watchedEqually: Type.Optional(WatchedEqually),
});
export type Visit = Static<typeof Visit>;

/** A visit read by itself. */
export const SingleVisit = Type.Object({
  ...Visit.properties,
  resourcesRemoved: Type.Boolean({
    description:
      'Whether its resources were removed because they are older than retention.resourcesDays. Requests for them, or for its HAR, then return 410.',
  }),
});
export type SingleVisit = Static<typeof SingleVisit>;
