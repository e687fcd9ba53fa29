// Requests that make something and can be sent again: a client that never got the answer names the same Idempotency-Key
// (draft-ietf-httpapi-idempotency-key-header), and gets what was made then.
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import Type from 'typebox';
import { callerOf } from '../../../store/caller.ts';
import type { Made } from './keys-repository.ts';

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
  interface FastifyInstance {
    once(request: FastifyRequest, reply: FastifyReply, make: (note: (made: string | number) => void) => Promise<string>): Promise<string>;
  }
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

  class AlreadyMade extends Error {}
  app.decorate('once', async (request, reply, make) => {
    const caller = callerOf(request);
    const { keys } = app.tables;
    const before = keys.find(caller);
    if (before) return reply.made(before);
    try {
      return await make((made) => {
        if (keys.once(caller, () => made).replayed) throw new AlreadyMade();
      });
    } catch (error) {
      if (!(error instanceof AlreadyMade)) throw error;
      return reply.made(keys.find(caller) as Made);
    }
  });
});
