// Addresses that open one thing without a token: the result of a campaign, its card, or a badge.
import Type, { type Static } from 'typebox';
import { orNull, Time, TimeOrNull } from './fields.ts';
import { View } from './vocabulary.ts';

const publicLinkKinds = ['result', 'card', 'badge'] as const;
export type PublicLinkKind = (typeof publicLinkKinds)[number];
const Kind = Type.Enum([...publicLinkKinds], {
  description:
    'result: the page of a campaign’s result, without visits’ evidence, the visitor and who made it; card: its picture; badge: the badge of a campaign, a gate or a site.',
});

const ofGate = {
  branch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Badge of a gate: only campaigns with this branch annotation; default: any.',
    }),
  ),
};
const ofSite = {
  condition: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Badge of a site: default: all conditions of the campaign.' }),
  ),
  view: Type.Optional(View),
};
const shows = { ...ofGate, ...ofSite };
export type BadgeQuery = { branch?: string; condition?: string; view?: View };

const link = { link: Type.Optional(Type.String({ maxLength: 100, description: 'The secret of a public link, instead of a token.' })) };
export const GateBadgeQuery = Type.Object({ ...ofGate, ...link }, { additionalProperties: false });
export const SiteBadgeQuery = Type.Object({ ...ofSite, ...link }, { additionalProperties: false });
export const CampaignPictureQuery = Type.Object(link, { additionalProperties: false });

const id = (noun: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 20, description: `What it opens is of this ${noun}.` }));

export const PublicLinkRequest = Type.Object(
  {
    kind: Kind,
    campaignId: id('campaign'),
    gateId: id('gate'),
    siteId: id('site'),
    ...shows,
    expiresAt: Type.Optional(
      Time('ISO 8601: its end. Default: 30 days for results and cards, 90 for badges, or the most that is allowed.'),
    ),
  },
  { additionalProperties: false, description: 'Exactly one of campaignId, gateId and siteId.' },
);
export type PublicLinkRequest = Static<typeof PublicLinkRequest>;

export const PublicLink = Type.Object({
  id: Type.String(),
  kind: Kind,
  campaignId: orNull(Type.String()),
  gateId: orNull(Type.String()),
  siteId: orNull(Type.String()),
  ...shows,
  createdAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token. Null: a command on this machine.'),
  expiresAt: Time('ISO 8601: its end.'),
  lastUsedAt: TimeOrNull('ISO 8601, to the minute. Null: never.'),
  revokedAt: TimeOrNull('ISO 8601. Null: it was not revoked.'),
});
export type PublicLink = Static<typeof PublicLink>;

export const CreatedPublicLink = Type.Object({
  ...PublicLink.properties,
  url: Type.String({
    description: 'Anyone who has it can see what it opens. Shown only now. Only a path if the service does not know its own URL.',
  }),
  markdown: Type.String({ description: 'To paste: a picture as Markdown, linked to its page; or a link.' }),
  html: Type.String({ description: 'The same as HTML.' }),
});
export type CreatedPublicLink = Static<typeof CreatedPublicLink>;
