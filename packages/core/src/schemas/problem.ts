// What the API answers when it can't do what was asked: problem details by RFC 9457.
import Type, { type Static } from 'typebox';

/** Every kind of problem with its status and title. A client decides by the kind; the words are for people. */
export const problems = {
  'invalid-request': { status: 400, title: 'The request does not fit its schema' },
  'malformed-request': { status: 400, title: 'The request cannot be read' },
  'foreign-origin': { status: 403, title: 'The request comes from another web page' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'method-not-allowed': { status: 405, title: 'This method is not offered here' },
  'already-different': { status: 409, title: 'Something else is stored under this id' },
  'preset-condition': { status: 409, title: 'The condition is a preset, which cannot be changed' },
  'lease-lost': { status: 409, title: 'The lease is lost, its round went back to the queue' },
  'lease-ended': { status: 409, title: 'The lease has ended' },
  'round-incomplete': { status: 409, title: 'The round is not complete' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'This media type is not understood here' },
  'unknown-host': { status: 421, title: 'The Host header names another service' },
  'invalid-campaign': { status: 422, title: 'The campaign cannot be run' },
  'invalid-condition': { status: 422, title: 'The condition cannot be meant' },
  'invalid-link-check': { status: 422, title: 'The link check does not belong to its lease' },
  'invalid-visit': { status: 422, title: 'The visit does not belong to its lease, or contradicts itself' },
  'unknown-reference': { status: 422, title: 'Something that this refers to is not stored' },
  'internal-error': { status: 500, title: 'The service failed' },
  'storage-busy': { status: 503, title: 'The database is in use' },
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
      { description: 'Each place that is wrong.' },
    ),
  ),
});
export type Problem = Static<typeof Problem>;
