// Who may do what: every token has one role.
import Type, { type Static } from 'typebox';
import { NameBesideId } from './names.ts';
import { Time, TimeOrNull } from './time.ts';

/**
 * viewer reads; submitter also makes campaigns, schedules and gates; runner leases rounds and uploads visits, and reads no results; admin
 * does all of it, and makes tokens.
 */
export const roles = ['viewer', 'submitter', 'runner', 'admin'] as const;
export const Role = Type.Enum([...roles]);
export type Role = (typeof roles)[number];

const name = NameBesideId({ maxLength: 100, description: 'Who or what uses it, such as "nightly build" or "runner Berlin".' });
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const TokenRequest = Type.Object(
  {
    name,
    role: Role,
    expiresAt: Type.Optional(Time('ISO 8601; default: never.')),
  },
  { additionalProperties: false },
);
export type TokenRequest = Static<typeof TokenRequest>;

/** A token as it is told of; the token itself is shown once, when it is made. */
export const Token = Type.Object({
  id: Type.String(),
  name,
  role: Role,
  createdAt: Time(),
  createdBy: textOrNull('Name of the token that made it. Null: this machine’s own command, or the service at its first start.'),
  expiresAt: TimeOrNull('ISO 8601. Null: never.'),
  lastUsedAt: TimeOrNull('ISO 8601, to the minute. Null: never used.'),
  revokedAt: TimeOrNull('ISO 8601. Null: it was not revoked.'),
});
export type Token = Static<typeof Token>;

export const CreatedToken = Type.Object({
  ...Token.properties,
  token: Type.String({ description: 'Only this once: the service keeps its hash alone.' }),
});
export type CreatedToken = Static<typeof CreatedToken>;

/** What signs a browser in. */
export const SessionRequest = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false });
export type SessionRequest = Static<typeof SessionRequest>;

/** Who is asking. */
export const Session = Type.Object({
  access: Type.Enum(['open', 'tokens'], { description: 'open: whoever reaches the service is admin, and there is nothing to sign in to.' }),
  publicReading: Type.Boolean({ description: 'Whether everybody may read without a token.' }),
  role: Type.Union([Role, Type.Null()], { description: 'Null: nobody that is known.' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'Of the token. Null: there is none.' }),
});
export type Session = Static<typeof Session>;

/** Who changed what, and when. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Time(),
  by: textOrNull('Name of the token or schedule. Null: this machine’s own command.'),
  action: Type.String({ description: 'Such as campaign.cancel.' }),
  subject: Type.String({ description: 'Id or name of what was changed.' }),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'What else there is to say; empty for nothing.' }),
});
export type AuditEntry = Static<typeof AuditEntry>;
