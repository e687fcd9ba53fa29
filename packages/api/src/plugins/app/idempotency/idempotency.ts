// Requests that make something and can be sent again: a client that never got the answer names the same Idempotency-Key
// (draft-ietf-httpapi-idempotency-key-header), and gets what was made then.
import fp from 'fastify-plugin';
import Type from 'typebox';
import { ProblemError } from '../../../problems.ts';
import { contentHash } from '../../../storage/canonical-json.ts';

/** How long a key is known. */
const keptMs = 24 * 3_600_000;

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

/** Notes what was made, in the transaction that makes it. @param made its id. */
export type Note = (made: string | number) => void;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Makes something once for each Idempotency-Key of a token.
     * @param make makes it; it calls `note` in its transaction.
     * @returns the id of what was made, by this request or by an earlier one.
     * @throws ProblemError key-reused: the key came with another request.
     */
    once(request: FastifyRequest, reply: FastifyReply, make: (note: Note) => Promise<string>): Promise<string>;
  }
}

type Row = { request: Buffer; made: string };

/** Another request with the same key was first, while this one was under way. */
class AlreadyMade extends Error {}

/** Owns the table idempotency_keys. @param options.now whole milliseconds since 1970. */
export default fp(async (app) => {
  const { now } = app;
  const select = app.database.prepare<[number, string, number], Row>(
    'SELECT request, made FROM idempotency_keys WHERE tokenId = ? AND key = ? AND createdAt > ?',
  );
  const insert = app.database.prepare<[number, string, Buffer, string, number]>(
    'INSERT INTO idempotency_keys (tokenId, key, request, made, createdAt) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const removeOld = app.database.prepare<[number]>('DELETE FROM idempotency_keys WHERE createdAt <= ?');

  app.decorate('once', async (request, reply, make) => {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string') return make(() => {});
    const tokenId = request.access.tokenId ?? 0;
    const hash = contentHash({ method: request.method, url: request.url, body: request.body ?? null });
    const madeBefore = (): string | undefined => {
      const row = select.get(tokenId, key, now() - keptMs);
      if (row === undefined) return undefined;
      if (!row.request.equals(hash)) {
        throw new ProblemError(
          'key-reused',
          `Idempotency-Key "${key}" came with another request before. Give each request a key of its own.`,
        );
      }
      reply.header('idempotency-replayed', 'true');
      return row.made;
    };
    const before = madeBefore();
    if (before !== undefined) return before;
    try {
      return await make((made) => {
        removeOld.run(now() - keptMs);
        if (insert.run(tokenId, key, hash, String(made), now()).changes === 0) throw new AlreadyMade();
      });
    } catch (error) {
      if (!(error instanceof AlreadyMade)) throw error;
      return madeBefore() ?? Promise.reject(error);
    }
  });
});
