// Requests that make something and can be sent again: a client that never got the answer names the same Idempotency-Key
// (draft-ietf-httpapi-idempotency-key-header), and gets what was made then.
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import Type from 'typebox';
import type { Made } from '../../tables/keys-repository.ts';

/** Of each route that makes something. */
export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'A text of the client’s choice, such as a UUID. Sent again with it within 24 hours, the same request makes nothing again: it is answered with what was made.',
    }),
  ),
});

declare module 'fastify' {
  interface FastifyReply {
    /** Says in a header whether it was made before. @returns its id. */
    made(made: Made): string;
  }
}

export default fp(async (app) => {
  app.decorateReply('made', function (this: FastifyReply, { id, replayed }) {
    if (replayed) this.header('idempotency-replayed', 'true');
    return id;
  });
});
