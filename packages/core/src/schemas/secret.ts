// Secrets that the service keeps sealed: put, listed by name, deleted, and given to nobody but the runner that performs a campaign with them.
import Type, { type Static } from 'typebox';
import { Time } from './time.ts';

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
  changedBy: Type.Union([Type.String(), Type.Null()], { description: 'Name of the token. Null: this machine’s own command.' }),
});
export type SealedSecret = Static<typeof SealedSecret>;

/** What a leased round's campaign refers to. */
export const LeaseSecrets = Type.Object({
  secrets: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), hosts: SecretUpload.properties.hosts })),
});
export type LeaseSecrets = Static<typeof LeaseSecrets>;
