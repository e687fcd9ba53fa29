// A round is one randomised block: one site, one condition, one view; every slot once, in random order, back to back.
import Type, { type Static } from 'typebox';
import { CallsPermission } from './calls.ts';
import { CampaignSpec, Site } from './campaign.ts';
import { SiteDiscovery } from './discovery.ts';
import { OneLine, orNull, Time } from './fields.ts';
import { View } from './vocabulary.ts';

export const roundStates = ['queued', 'leased', 'done', 'cancelled'] as const;
export const RoundState = Type.Enum([...roundStates]);
export type RoundState = (typeof roundStates)[number];

export const Round = Type.Object({
  id: Type.String(),
  campaignId: Type.String(),
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  number: Type.Integer({ minimum: 1, description: 'Counts the rounds of this site, condition and view.' }),
  order: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Slots (places in the campaign’s protocols) in the order of their visits.',
  }),
  state: RoundState,
  attempt: Type.Integer({ minimum: 0, description: 'How often the round was leased.' }),
  reason: orNull(Type.String(), 'Why it was cancelled, or why the last attempt was lost.'),
  linkCheckId: orNull(Type.String(), 'The last link check of its current attempt.'),
});
export type Round = Static<typeof Round>;

/** Asks for work. */
export const LeaseRequest = Type.Object(
  {
    runner: OneLine({ maxLength: 200, description: 'Names the runner.' }),
    campaignId: Type.Optional(Type.String({ description: 'Only rounds of this campaign.' })),
    instance: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Of a registered runner’s process: it gets only what it can do, where it stands, and gives back whatever it still had. Without: whatever is for any location.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type LeaseRequest = Static<typeof LeaseRequest>;

/** A round lent to a runner until `expiresAt`; a heartbeat extends it, and a lost one returns to the queue. */
export const Lease = Type.Object({
  id: Type.String(),
  expiresAt: Time(),
  heartbeatMs: Type.Integer({ description: 'How often the runner should extend the lease.' }),
  round: Round,
  site: Site,
  spec: CampaignSpec,
  calls: Type.Optional(Type.Object(CallsPermission.properties, { description: 'What is permitted by now, of a campaign of REST calls.' })),
});
export type Lease = Static<typeof Lease>;

/** Of a lease's campaign; they never change, so a runner asks once for each campaign. */
export const LeaseSites = Type.Object({
  items: Type.Array(Site, { description: 'All of them, so that hosts can be discovered for all at once.' }),
});
export type LeaseSites = Static<typeof LeaseSites>;

export const LeaseDiscoveriesQuery = Type.Object(
  { after: Type.Optional(Type.String({ description: 'Id of the last one that the runner knows. Without, or of none: from the first.' })) },
  { additionalProperties: false },
);
export type LeaseDiscoveriesQuery = Static<typeof LeaseDiscoveriesQuery>;

/** Some discoveries of a lease's campaign; none: there are no more by now. */
export const LeaseDiscoveries = Type.Object({ items: Type.Array(SiteDiscovery, { maxItems: 100 }) });
export type LeaseDiscoveries = Static<typeof LeaseDiscoveries>;

/** The answer to a heartbeat. */
export const LeaseHeartbeat = Type.Object({ expiresAt: Time() });
export type LeaseHeartbeat = Static<typeof LeaseHeartbeat>;

/** Gives a round back unfinished. */
export const LeaseRelease = Type.Object(
  {
    reason: OneLine({ maxLength: 2000, description: 'Why, in words.' }),
    failed: Type.Optional(
      Type.Boolean({
        description: 'Whether the runner failed at it, rather than being interrupted; after ten failures a round may be given up.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type LeaseRelease = Static<typeof LeaseRelease>;

/** Declares that whoever held leases under this name is gone, so that nobody has to wait until they expire. */
export const LeaseReclaim = Type.Object(
  { runner: LeaseRequest.properties.runner, campaignId: LeaseRequest.properties.campaignId },
  { additionalProperties: false },
);
export type LeaseReclaim = Static<typeof LeaseReclaim>;

export const LeaseReclaimed = Type.Object({ lost: Type.Integer({ description: 'How many leases were.' }) });
export type LeaseReclaimed = Static<typeof LeaseReclaimed>;
