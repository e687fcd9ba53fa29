// Badges of gates and sites, and signed URLs that show them without a token.
import Type, { type Static } from 'typebox';
import { Time } from './fields.ts';
import { View } from './vocabulary.ts';

const signed = {
  expires: Type.Optional(Type.String({ maxLength: 20, description: 'Expiry of a signed URL as issued, in seconds since 1970.' })),
  signature: Type.Optional(Type.String({ maxLength: 100, description: 'Signature of a signed URL, as issued.' })),
};
const ofGate = {
  branch: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only campaigns with this branch annotation; default: any.' }),
  ),
};
const ofSite = {
  condition: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Default: all conditions of the campaign.' })),
  view: Type.Optional(View),
};
const expiresAt = Type.Optional(Time('ISO 8601: expiry of the URL, at most 400 days ahead; default 90 days.'));

export const GateBadgeQuery = Type.Object({ ...ofGate, ...signed }, { additionalProperties: false });
export const SiteBadgeQuery = Type.Object({ ...ofSite, ...signed }, { additionalProperties: false });
export const GateBadgeRequest = Type.Object({ ...ofGate, expiresAt }, { additionalProperties: false });
export type GateBadgeRequest = Static<typeof GateBadgeRequest>;
export const SiteBadgeRequest = Type.Object({ ...ofSite, expiresAt }, { additionalProperties: false });
export type SiteBadgeRequest = Static<typeof SiteBadgeRequest>;

/** The URL of a badge that needs no token. */
export const SignedBadge = Type.Object({
  url: Type.String({ description: 'Anyone with this URL can see the badge. Only a path if the service does not know its own URL.' }),
  expiresAt: Time('ISO 8601: expiry of the URL.'),
  markdown: Type.String({ description: 'The badge as Markdown, linked to the page of the gate or site.' }),
});
export type SignedBadge = Static<typeof SignedBadge>;
