// Access: every token has one role. Secrets are encrypted, and only the runner that needs one receives it.
import Type, { type Static } from 'typebox';
import { roles } from '../vocabulary/choices.ts';
import { NameBesideId, OneLine, orNull, Time, TimeOrNull } from './fields.ts';

/**
 * viewer reads; submitter also creates campaigns, schedules and gates; runner leases rounds and uploads visits, but can't read results;
 * admin can do everything, and creates tokens.
 */
export { roles };
export const Role = Type.Enum([...roles]);
export type Role = (typeof roles)[number];

const name = NameBesideId({ maxLength: 100, description: 'Who or what uses it, such as "nightly build" or "runner Berlin".' });
const textOrNull = (description: string) => orNull(Type.String(), description);

const listOf = (each: Type.TString, description: string) => Type.Array(each, { minItems: 1, maxItems: 100, description });

/** Restricts what a submitter may create and change. It grants nothing, and doesn't affect reading. */
export const TokenScope = Type.Object(
  {
    gates: Type.Optional(
      listOf(
        OneLine({ maxLength: 200 }),
        'Names of stored gates; * matches any text. The token may check these gates (POST /gates/check) and create or change nothing else.',
      ),
    ),
    hosts: Type.Optional(
      listOf(
        Type.String({ minLength: 1, maxLength: 255 }),
        'A host, or *.host for the host and its subdomains. Everything the token creates or changes must lead there, including proxies, steps and pages opened before.',
      ),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'For submitters only. If both are given, both apply.' },
);
export type TokenScope = Static<typeof TokenScope>;

export const TokenRequest = Type.Object(
  {
    name,
    role: Role,
    scope: Type.Optional(TokenScope),
    expiresAt: Type.Optional(Time('Expiry, ISO 8601. Default: never.')),
  },
  { additionalProperties: false },
);
export type TokenRequest = Static<typeof TokenRequest>;

/** A token as the API shows it. The token itself is shown once, when it is created. */
export const Token = Type.Object({
  id: Type.String(),
  name,
  role: Role,
  scope: orNull(TokenScope, 'Null: no restriction beyond the role.'),
  issuer: textOrNull(
    'Issuer of the job tokens that this rule (access.oidc) accepts; a rule has no secret of its own. Null: an ordinary token.',
  ),
  createdAt: Time(),
  createdBy: textOrNull('Name of the token that created it. Null: a command on this machine, or the first start of the service.'),
  expiresAt: TimeOrNull('ISO 8601. Null: never.'),
  lastUsedAt: TimeOrNull('ISO 8601, to the minute. Null: never used.'),
  revokedAt: TimeOrNull('ISO 8601. Null: not revoked.'),
});
export type Token = Static<typeof Token>;

export const CreatedToken = Type.Object({
  ...Token.properties,
  token: Type.String({ description: 'Shown only once; the service stores only its hash.' }),
});
export type CreatedToken = Static<typeof CreatedToken>;

/** Which CI jobs count as which token. A job presents a JWT signed by its forge (OpenID Connect). */
export const OidcRule = Type.Object(
  {
    name,
    issuer: Type.String({
      pattern: '^https?://[^?#]+$',
      maxLength: 1_000,
      description: 'The iss claim, such as https://token.actions.githubusercontent.com or https://gitlab.example.',
    }),
    audience: Type.String({ minLength: 1, maxLength: 1_000, description: 'The aud claim that jobs request, usually this service’s URL.' }),
    claims: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 500 }), {
      description: 'Further claims that it must contain, such as { "repository": "acme/shop", "ref": "refs/heads/*" }; * matches any text.',
    }),
    role: Role,
    scope: Type.Optional(TokenScope),
    jwksUrl: Type.Optional(
      Type.String({
        pattern: '^https?://',
        maxLength: 1_000,
        description: 'URL of the issuer’s keys. Default: taken from its /.well-known/openid-configuration.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type OidcRule = Static<typeof OidcRule>;

/** Signs a browser in. */
export const SessionRequest = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false });
export type SessionRequest = Static<typeof SessionRequest>;

/** The caller. */
export const Session = Type.Object({
  access: Type.Enum(['open', 'tokens'], {
    description: 'open: authentication is off, so every caller is an admin; tokens: callers need a token.',
  }),
  publicReading: Type.Boolean({ description: 'Whether anyone may read without a token.' }),
  publicLinkDays: orNull(Type.Integer(), 'For how many days at most a public link may open a result. Null: there are none.'),
  role: orNull(Role, 'Null: not signed in.'),
  name: orNull(Type.String(), 'Name of the token. Null: no token.'),
});
export type Session = Static<typeof Session>;

/** Who changed what, and when. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Time(),
  by: textOrNull('Name of the token or schedule. Null: a command on this machine.'),
  action: Type.String({ description: 'Such as campaign.cancel.' }),
  subject: Type.String({ description: 'Id or name of what was changed.' }),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Further details; empty if there are none.' }),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const secretName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  maxLength: 100,
  description: 'Letters, digits, dots, underscores and hyphens; campaigns refer to it as secret:NAME.',
});

export const SecretUpload = Type.Object(
  {
    value: Type.String({ minLength: 1, maxLength: 10_000, description: 'Encrypted, and never returned.' }),
    hosts: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: '^(\\*\\.)?[^*/:]+$' }), {
      minItems: 1,
      maxItems: 50,
      description: 'Hosts that it may be sent to and whose pages it may be typed into: a host, or *.host for the host and its subdomains.',
    }),
  },
  { additionalProperties: false },
);
export type SecretUpload = Static<typeof SecretUpload>;

export const SealedSecret = Type.Object({
  name: Type.String(),
  hosts: SecretUpload.properties.hosts,
  changedAt: Time(),
  changedBy: orNull(Type.String(), 'Name of the token. Null: a command on this machine.'),
});
export type SealedSecret = Static<typeof SealedSecret>;

/** The secrets that a leased round's campaign refers to. */
export const LeaseSecrets = Type.Object({
  secrets: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), hosts: SecretUpload.properties.hosts })),
});
export type LeaseSecrets = Static<typeof LeaseSecrets>;
