// A round is one randomised block: one site, one condition, one view; every slot once, in random order, back to back.
import Type, { type Static } from 'typebox';
import { CallsPermission } from './calls.ts';
import { CampaignSpec, Site } from './campaign.ts';
import { SiteDiscovery } from './discovery.ts';
import { OneLine, orNull, Time } from './fields.ts';
import { Watch, WatchedEqually } from './visit.ts';
import { View } from './vocabulary.ts';

const roundStates = ['queued', 'leased', 'done', 'cancelled'] as const;
export const RoundState = Type.Enum([...roundStates]);
export type RoundState = (typeof roundStates)[number];

export const Round = Type.Object({
  id: Type.String(),
  campaignId: Type.String(),
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  number: Type.Integer({ minimum: 1, description: 'Number of the round within its site, condition and view.' }),
  order: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Slots (indexes in the campaign’s protocols) in the order of their visits.',
  }),
  state: RoundState,
  attempt: Type.Integer({ minimum: 0, description: 'Number of times that the round was leased.' }),
  reason: orNull(Type.String(), 'Why it was cancelled, or why the last attempt was lost.'),
  linkCheckId: orNull(Type.String(), 'The last link check of its current attempt.'),
  watchedEqually: Type.Optional(WatchedEqually),
});
export type Round = Static<typeof Round>;

/** A request for work. */
export const LeaseRequest = Type.Object(
  {
    runner: OneLine({ maxLength: 200, description: 'Name of the runner.' }),
    campaignId: Type.Optional(Type.String({ description: 'Only rounds of this campaign.' })),
    instance: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Process of a registered runner: it gets only rounds that it can perform, at its location, and returns the ones it still had. Absent: rounds for any location.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type LeaseRequest = Static<typeof LeaseRequest>;

/** A round leased to a runner until `expiresAt`; a heartbeat extends it, and a lost one returns to the queue. */
export const Lease = Type.Object({
  id: Type.String(),
  expiresAt: Time(),
  heartbeatMs: Type.Integer({ description: 'How often the runner should extend the lease.' }),
  round: Round,
  site: Site,
  spec: CampaignSpec,
  watch: Type.Optional(
    Type.Object(Watch.properties, { description: 'How long visits of this cell are watched at least. Absent: until the page is idle.' }),
  ),
  calls: Type.Optional(Type.Object(CallsPermission.properties, { description: 'What is permitted now, for a campaign of REST calls.' })),
});
export type Lease = Static<typeof Lease>;

/** The sites of a lease's campaign. They never change, so a runner requests them once for each campaign. */
export const LeaseSites = Type.Object({
  items: Type.Array(Site, { description: 'All sites, so that hosts can be discovered for all at once.' }),
});
export type LeaseSites = Static<typeof LeaseSites>;

export const LeaseDiscoveriesQuery = Type.Object(
  {
    after: Type.Optional(Type.String({ description: 'Id of the last discovery that the runner has. Absent or unknown: from the first.' })),
  },
  { additionalProperties: false },
);
export type LeaseDiscoveriesQuery = Static<typeof LeaseDiscoveriesQuery>;

/** Some discoveries of a lease's campaign; empty: no more for now. */
export const LeaseDiscoveries = Type.Object({ items: Type.Array(SiteDiscovery, { maxItems: 100 }) });
export type LeaseDiscoveries = Static<typeof LeaseDiscoveries>;

/** Finishes a round. */
export const LeaseComplete = Type.Object(
  {
    watchedEqually: Type.Optional(WatchedEqually),
  },
  { additionalProperties: false },
);
export type LeaseComplete = Static<typeof LeaseComplete>;

/** The answer to a heartbeat. */
export const LeaseHeartbeat = Type.Object({ expiresAt: Time() });
export type LeaseHeartbeat = Static<typeof LeaseHeartbeat>;

/** Returns an unfinished round. */
export const LeaseRelease = Type.Object(
  {
    reason: OneLine({ maxLength: 2000, description: 'Reason, in words.' }),
    failed: Type.Optional(
      Type.Boolean({
        description: 'Whether the runner failed, rather than being interrupted; after ten failures a round may be abandoned.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type LeaseRelease = Static<typeof LeaseRelease>;

/** Declares that the holder of leases under this name is gone, so that nobody waits until they expire. */
export const LeaseReclaim = Type.Object(
  { runner: LeaseRequest.properties.runner, campaignId: LeaseRequest.properties.campaignId },
  { additionalProperties: false },
);
export type LeaseReclaim = Static<typeof LeaseReclaim>;

export const LeaseReclaimed = Type.Object({ lost: Type.Integer({ description: 'Number of leases that were lost.' }) });
export type LeaseReclaimed = Static<typeof LeaseReclaimed>;
