// Badges of gates and sites, and addresses by which they are shown to who has no token.
import Type, { type Static } from 'typebox';
import { Time } from './fields.ts';
import { View } from './vocabulary.ts';

const signed = {
  expires: Type.Optional(Type.String({ maxLength: 20, description: 'Of a signed address, as it was made: seconds since 1970.' })),
  signature: Type.Optional(Type.String({ maxLength: 100, description: 'Of a signed address, as it was made.' })),
};
const ofGate = {
  branch: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only of campaigns with this annotation; default: any.' }),
  ),
};
const ofSite = {
  condition: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Default: all of the campaign.' })),
  view: Type.Optional(View),
};
const expiresAt = Type.Optional(Time('ISO 8601: until when the address holds, at most 400 days; default 90 days.'));

export const GateBadgeQuery = Type.Object({ ...ofGate, ...signed }, { additionalProperties: false });
export const SiteBadgeQuery = Type.Object({ ...ofSite, ...signed }, { additionalProperties: false });
export const GateBadgeRequest = Type.Object({ ...ofGate, expiresAt }, { additionalProperties: false });
export type GateBadgeRequest = Static<typeof GateBadgeRequest>;
export const SiteBadgeRequest = Type.Object({ ...ofSite, expiresAt }, { additionalProperties: false });
export type SiteBadgeRequest = Static<typeof SiteBadgeRequest>;

/** An address of a badge that needs no token. */
export const SignedBadge = Type.Object({
  url: Type.String({ description: 'Whoever has it sees the badge; the path alone where the service was not told its own address.' }),
  expiresAt: Time('ISO 8601: until when it holds.'),
  markdown: Type.String({ description: 'The badge as Markdown, which leads to the page of the gate or site.' }),
});
export type SignedBadge = Static<typeof SignedBadge>;
