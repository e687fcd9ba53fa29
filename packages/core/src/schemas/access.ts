// Who may do what: every token has one role.
import Type, { type Static } from 'typebox';
import { NameBesideId, OneLine, orNull, Time, TimeOrNull } from './fields.ts';

/**
 * viewer reads; submitter also makes campaigns, schedules and gates; runner leases rounds and uploads visits, and reads no results; admin
 * does all of it, and makes tokens.
 */
export const roles = ['viewer', 'submitter', 'runner', 'admin'] as const;
export const Role = Type.Enum([...roles]);
export type Role = (typeof roles)[number];

const name = NameBesideId({ maxLength: 100, description: 'Who or what uses it, such as "nightly build" or "runner Berlin".' });
const textOrNull = (description: string) => orNull(Type.String(), description);

const listOf = (each: Type.TString, description: string) => Type.Array(each, { minItems: 1, maxItems: 100, description });

/** Narrows what a submitter may make and change. It never widens anything, and reading stays what the role has. */
export const TokenScope = Type.Object(
  {
    gates: Type.Optional(
      listOf(
        OneLine({ maxLength: 200 }),
        'Names of stored gates, * for any letters: it may ask these (POST /gates/check), and make and change nothing else.',
      ),
    ),
    hosts: Type.Optional(
      listOf(
        Type.String({ minLength: 1, maxLength: 255 }),
        'A host, or *.host for it and all below it: whatever it makes and changes must lead there, with its proxies, steps and pages before.',
      ),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'Of a submitter. With both, both count.' },
);
export type TokenScope = Static<typeof TokenScope>;

export const TokenRequest = Type.Object(
  {
    name,
    role: Role,
    scope: Type.Optional(TokenScope),
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
  scope: orNull(TokenScope, 'Null: all that the role may.'),
  issuer: textOrNull(
    'Of a rule (access.oidc): who issues the tokens of jobs that count as this one, which has no secret of its own. Null: it is no rule.',
  ),
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

/** Which jobs of a forge or pipeline count as which token: they show a JWT that the forge signed (OpenID Connect). */
export const OidcRule = Type.Object(
  {
    name,
    issuer: Type.String({
      pattern: '^https?://[^?#]+$',
      maxLength: 1_000,
      description: 'Its iss, such as https://token.actions.githubusercontent.com or https://gitlab.example.',
    }),
    audience: Type.String({ minLength: 1, maxLength: 1_000, description: 'Its aud: what jobs ask for, usually this service’s URL.' }),
    claims: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 500 }), {
      description: 'What else it must say, such as { "repository": "acme/shop", "ref": "refs/heads/*" }; * is any letters.',
    }),
    role: Role,
    scope: Type.Optional(TokenScope),
    jwksUrl: Type.Optional(
      Type.String({
        pattern: '^https?://',
        maxLength: 1_000,
        description: 'Where the issuer’s keys are; default: where its /.well-known/openid-configuration says.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type OidcRule = Static<typeof OidcRule>;

/** What signs a browser in. */
export const SessionRequest = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false });
export type SessionRequest = Static<typeof SessionRequest>;

/** Who is asking. */
export const Session = Type.Object({
  access: Type.Enum(['open', 'tokens'], { description: 'open: whoever reaches the service is admin, and there is nothing to sign in to.' }),
  publicReading: Type.Boolean({ description: 'Whether everybody may read without a token.' }),
  role: orNull(Role, 'Null: nobody that is known.'),
  name: orNull(Type.String(), 'Of the token. Null: there is none.'),
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

export const secretName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  maxLength: 100,
  description: 'Names it in campaigns, as secret:NAME.',
});

export const SecretUpload = Type.Object(
  {
    value: Type.String({ minLength: 1, maxLength: 10_000, description: 'Sealed, and never given back.' }),
    hosts: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: '^(\\*\\.)?[^*/:]+$' }), {
      minItems: 1,
      maxItems: 50,
      description: 'It may be sent to these hosts and typed at their pages: a host, or *.host for it and all below it.',
    }),
  },
  { additionalProperties: false },
);
export type SecretUpload = Static<typeof SecretUpload>;

export const SealedSecret = Type.Object({
  name: Type.String(),
  hosts: SecretUpload.properties.hosts,
  changedAt: Time(),
  changedBy: orNull(Type.String(), 'Name of the token. Null: this machine’s own command.'),
});
export type SealedSecret = Static<typeof SealedSecret>;

/** What a leased round's campaign refers to. */
export const LeaseSecrets = Type.Object({
  secrets: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), hosts: SecretUpload.properties.hosts })),
});
export type LeaseSecrets = Static<typeof LeaseSecrets>;
