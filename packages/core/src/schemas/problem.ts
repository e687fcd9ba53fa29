// Errors of the API: problem details (RFC 9457).
import Type, { type Static } from 'typebox';

/** Every kind of problem with its status and title. A client decides by the kind; the texts are for people. */
export const problems = {
  'invalid-request': { status: 400, title: 'The request does not fit its schema' },
  'malformed-request': { status: 400, title: 'The request cannot be read' },
  unauthenticated: { status: 401, title: 'A token is required' },
  'foreign-origin': { status: 403, title: 'The request comes from another web page' },
  forbidden: { status: 403, title: 'The token does not allow this' },
  'out-of-scope': { status: 403, title: 'The request exceeds the token’s scope' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'already-different': { status: 409, title: 'Something else is stored under this id' },
  'already-made': { status: 409, title: 'This was created before, and is shown only once' },
  'campaign-active': { status: 409, title: 'The campaign still has rounds to perform' },
  'name-taken': { status: 409, title: 'The name is in use' },
  'not-factorial': { status: 409, title: 'The sites of the campaign have no levels' },
  'preset-condition': { status: 409, title: 'The condition is a preset, which cannot be changed' },
  'runner-incompatible': { status: 409, title: 'Runner and service speak different protocols' },
  'runner-replaced': { status: 409, title: 'Another process has taken this runner’s name' },
  'runner-present': { status: 409, title: 'The runner is still active' },
  'gate-in-use': { status: 409, title: 'Schedules use the gate' },
  'target-in-use': { status: 409, title: 'Schedules use the notification target' },
  'schedule-busy': { status: 409, title: 'The schedule’s last campaign is not finished' },
  'lease-lost': { status: 409, title: 'The lease was lost; its round is back in the queue' },
  'lease-ended': { status: 409, title: 'The lease has ended' },
  'secrets-locked': { status: 409, title: 'The sealed secrets cannot be decrypted' },
  'round-incomplete': { status: 409, title: 'The round is not complete' },
  'evidence-full': { status: 409, title: 'Pinned evidence takes up all the space for evidence' },
  'contents-removed': { status: 410, title: 'This is no longer kept' },
  'changed-meanwhile': { status: 412, title: 'Changed in the meantime' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'unknown-host': { status: 421, title: 'The Host header names another service' },
  'invalid-campaign': { status: 422, title: 'The campaign cannot be run' },
  'invalid-condition': { status: 422, title: 'The condition is impossible' },
  'invalid-gate': { status: 422, title: 'The gate cannot be decided' },
  'invalid-schedule': { status: 422, title: 'The schedule is invalid' },
  'invalid-link-check': { status: 422, title: 'The link check does not belong to its lease' },
  'invalid-visit': { status: 422, title: 'The visit does not belong to its lease, or contradicts itself' },
  'address-refused': { status: 422, title: 'The address is not allowed' },
  'over-limit': { status: 422, title: 'The request exceeds the limits of the role' },
  'invalid-har': { status: 422, title: 'The HAR cannot be counted' },
  'unknown-reference': { status: 422, title: 'The request refers to something that is not stored' },
  'key-reused': { status: 422, title: 'The Idempotency-Key belongs to another request' },
  'queue-full': { status: 429, title: 'Too many rounds are queued' },
  'results-busy': { status: 429, title: 'Too many results are waiting to be computed' },
  'too-many-campaigns': { status: 429, title: 'Too many campaigns of this token are waiting' },
  'too-many-waiting': { status: 429, title: 'Too many requests are waiting' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'URL and headers are too large' },
  'internal-error': { status: 500, title: 'The service failed' },
  'storage-busy': { status: 503, title: 'The database is in use' },
  'issuer-away': { status: 503, title: 'The keys of the token’s issuer are unavailable' },
  'storage-full': { status: 507, title: 'The disk is full' },
} as const;
export type ProblemKind = keyof typeof problems;

/** The `type` of a problem of this kind, such as `urn:pronghorn:problem:lease-lost`. */
export const problemType = (kind: ProblemKind): string => `urn:pronghorn:problem:${kind}`;

export const Problem = Type.Object({
  type: Type.String({ description: 'urn:pronghorn:problem:KIND, see docs/api.md.' }),
  title: Type.String({ description: 'The same for every problem of this type.' }),
  status: Type.Integer(),
  detail: Type.String({ description: 'What was found, what was expected, what to do next.' }),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        pointer: Type.String({ description: 'JSON pointer into the body as a URI fragment (#/sites/0/url), or the name of a parameter.' }),
        detail: Type.String(),
      }),
      { description: 'Each error.' },
    ),
  ),
});
export type Problem = Static<typeof Problem>;
