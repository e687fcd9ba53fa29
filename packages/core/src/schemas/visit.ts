// One page load with its verdict: valid with metrics, or invalid with a reason, never both.
import Type, { type Static } from 'typebox';
import { orNull, Time } from './fields.ts';
import { isOfPage, Metrics, type PageMetrics } from './metrics.ts';
import { VisitNetlog } from './netlog.ts';
import { BoundedText, Resource } from './resource.ts';
import { VisitRun } from './run.ts';
import { InvalidReason, Protocol, View } from './vocabulary.ts';

export const Outcome = Type.Union([
  Type.Object({ verdict: Type.Literal('valid'), metrics: Metrics }),
  Type.Object({
    verdict: Type.Literal('invalid'),
    reason: InvalidReason,
    detail: BoundedText({ description: 'What was found, in words.' }),
  }),
]);
export type Outcome = Static<typeof Outcome>;
/** Of a page load. */
export type PageOutcome = Extract<Outcome, { verdict: 'invalid' }> | { verdict: 'valid'; metrics: PageMetrics };

/** What a page load measured; null: it is invalid, or no page load. */
export const pageMetrics = (outcome: Outcome): PageMetrics | null =>
  outcome.verdict === 'valid' && isOfPage(outcome.metrics) ? outcome.metrics : null;

/** How calm the machine was during the visit. Shares are of all cores; the sum of both is at most 1. */
export const CpuGauge = Type.Object({
  ownShare: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'CPU time of the visit: the browser, the link, the demo origin and what drives them.',
  }),
  foreignShare: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'CPU time of everything else, the service’s own workers and stolen time included.',
  }),
});
export type CpuGauge = Static<typeof CpuGauge>;

/** What the link saw of a visit: what Chrome can't tell. */
export const VisitLink = Type.Object({
  refused: Type.Array(BoundedText(), {
    maxItems: 100,
    description: 'What the egress policy of the link or a fence refused, such as `10.0.0.1 (tcp 80)`; the first hundred.',
  }),
  receiveDrops: Type.Integer({
    minimum: 0,
    description:
      'UDP datagrams that had crossed the link and were lost since the receive buffer of the browser’s socket was full; over the link direct those of all programs on the machine.',
  }),
});
export type VisitLink = Static<typeof VisitLink>;

const busyParts = ['network', 'script', 'paint'] as const;
/** What of a page can still be at work after its load event. */
export type BusyPart = (typeof busyParts)[number];

/** Of the requests that a visit did not wait for, as many are named. */
export const mostNotAwaited = 5;

/** How a page came to rest after its load event. */
export const Settled = Type.Object({
  ms: Type.Number({ minimum: 0, description: 'From the load event to the end of the visit.' }),
  busy: Type.Array(Type.Enum([...busyParts]), {
    description:
      'What was still at work at the end: what the limit cut off, or pictures that move without end. Empty: the page was at rest.',
  }),
  cut: Type.Boolean({ description: 'Whether the visit was ended by limits.settleMaxMs and not by rest.' }),
  notAwaited: Type.Optional(
    Type.Array(BoundedText(), {
      maxItems: mostNotAwaited,
      description:
        'URLs of scripts’ requests that were still open at the end and taken for polls or streams: without an answer for 5 s, or with one that brought nothing for 2 s. What they would have brought is in no number. Absent: none.',
    }),
  ),
});
export type Settled = Static<typeof Settled>;

const visitProperties = {
  id: Type.String({ format: 'uuid', description: 'Made by the runner: sending a visit twice stores it once.' }),
  roundId: Type.String(),
  attempt: Type.Integer({ minimum: 1, description: 'The round’s attempt that the visit belongs to.' }),
  slot: Type.Integer({ minimum: 0, description: 'Place in the campaign’s protocols.' }),
  protocol: Protocol,
  position: Type.Integer({ minimum: 0, description: 'Place in the round’s order of visits, retries included.' }),
  retry: Type.Integer({ minimum: 0, description: '0 for the first try of this slot.' }),
  startedAt: Time('ISO 8601, start of the navigation.'),
  wallMs: Type.Number({
    minimum: 0,
    description:
      'What the visit cost on the clock, from its context to its verdict; with the start and end of its container, its link and its link check where it has one of its own.',
  }),
  loadTimeoutMs: Type.Optional(
    orNull(
      Type.Integer({ minimum: 0 }),
      'Time limit that its load had, from navigation to the load event, milliseconds. Null: nothing was loaded, or nobody wrote it down.',
    ),
  ),
  finalUrl: orNull(BoundedText(), 'URL of the document that loaded.'),
  documentAddress: orNull(BoundedText(), 'IP address that the document came from; null where it came from a cache or not at all.'),
  cpu: orNull(CpuGauge),
  link: orNull(VisitLink, 'Null on the machine’s own network, where others’ packets pass too.'),
  settled: Type.Optional(orNull(Settled, 'How the page came to rest; null or absent where no load event fired, or nobody noted it.')),
  environmentId: orNull(BoundedText(), 'The environment the visit ran in; null when no browser was started.'),
  discoveryId: orNull(BoundedText()),
  outcome: Outcome,
  netlog: Type.Optional(VisitNetlog),
  run: Type.Optional(
    Type.Object(VisitRun.properties, {
      description: 'Of REST calls. Lists and events leave it out; a visit read by itself, and exports, have it.',
    }),
  ),
};

/** A visit as the runner uploads it. */
export const VisitUpload = Type.Object({ ...visitProperties, resources: Type.Array(Resource) });
export type VisitUpload = Static<typeof VisitUpload>;

/** A visit as it is read, with its round's place in the campaign; its resources are read apart. */
export const Visit = Type.Object({
  ...visitProperties,
  campaignId: Type.String(),
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  roundNumber: Type.Integer({ minimum: 1, description: 'Counts the rounds of this site, condition and view.' }),
  counted: Type.Boolean({
    description:
      'Whether statistics use it, as values or, where it failed because of the page or its protocol, as a failure: the first visit of its slot that is no failure of the measurement itself, of an attempt that finished its round.',
  }),
});
export type Visit = Static<typeof Visit>;

/** A visit read by itself. */
export const KeptVisit = Type.Object({
  ...Visit.properties,
  resourcesRemoved: Type.Boolean({
    description:
      'Whether its resources were removed, being older than retention.resourcesDays: who asks for them, or for its HAR, gets 410.',
  }),
});
export type KeptVisit = Static<typeof KeptVisit>;
