// Changes of campaigns: announced to this process's listeners, and waited for by those who can't follow events: a shell, a pipeline.
import { EventEmitter } from 'node:events';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import Type from 'typebox';
import { ProblemError } from '../../../shared/problems.ts';

/** Tells this process's listeners that something of a campaign changed; what, they read. */
function createCampaignChanges(whenOthersChange: FastifyInstance['whenOthersChange']) {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    announce(campaignId: number): void {
      emitter.emit(String(campaignId));
      emitter.emit('any', campaignId);
    },
    /** To the changes of a campaign. What another process changes may be another campaign. @returns what ends it. */
    listen(campaignId: number, listener: () => void): () => void {
      emitter.on(String(campaignId), listener);
      const forgetOthers = whenOthersChange(listener);
      return () => {
        emitter.off(String(campaignId), listener);
        forgetOthers();
      };
    },
    /** To the changes that this process makes of any campaign. @returns what ends it. */
    listenToAll(listener: (campaignId: number) => void): () => void {
      emitter.on('any', listener);
      return () => emitter.off('any', listener);
    },
  };
}

export type Wait = {
  campaignId: number;
  /** At most; undefined or 0: not at all. */
  seconds: number | undefined;
  /** Asked after each change of the campaign; cheap. */
  isOver: () => boolean | Promise<boolean>;
};

declare module 'fastify' {
  interface FastifyInstance {
    campaignChanges: ReturnType<typeof createCampaignChanges>;
    /**
     * Until it is over, its time is, who asks has left, or the service closes: what is so then, its caller reads.
     * @throws ProblemError too-many-waiting; unauthenticated, when who asks was let in and is no longer.
     */
    waitUntilOver(wait: Wait, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

export const waitQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        description: 'How many seconds to wait at most until it is over; default 0: answer at once.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Of one token, or of one address without a token: each holds a connection. */
const maxWaiting = 20;

export default fp(async (app) => {
  const changes = createCampaignChanges(app.whenOthersChange);
  app.decorate('campaignChanges', changes);

  const ends = new Set<() => void>();
  const waitingOf = new Map<string, number>();
  app.addHook('preClose', async () => {
    for (const end of [...ends]) end();
  });

  app.decorate('waitUntilOver', async ({ campaignId, seconds = 0, isOver }, request, reply) => {
    if (seconds === 0 || (await isOver())) return;
    const who = app.countedAs(request);
    const waiting = waitingOf.get(who) ?? 0;
    if (waiting >= maxWaiting) {
      throw new ProblemError(
        'too-many-waiting',
        `${waiting} requests ${request.access.name === null ? 'from this address' : `of the token "${request.access.name}"`} are waiting, which is the most. Wait for one of them, or ask without wait.`,
      );
    }
    waitingOf.set(who, waiting + 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = async () => {
      try {
        if ((await isOver()) || !(await app.isStillKnown(request))) resolve();
      } catch (error) {
        reject(error);
      }
    };
    const forget = changes.listen(campaignId, look);
    const timer = setTimeout(resolve, seconds * 1_000);
    reply.raw.once('close', resolve);
    ends.add(resolve);
    void look(); // what changed while `isOver` was read, nobody heard
    try {
      await promise;
    } finally {
      forget();
      clearTimeout(timer);
      reply.raw.off('close', resolve);
      ends.delete(resolve);
      const left = (waitingOf.get(who) ?? 1) - 1;
      if (left === 0) waitingOf.delete(who);
      else waitingOf.set(who, left);
    }
    if (!(await app.isStillKnown(request))) {
      throw new ProblemError('unauthenticated', 'The token was revoked or expired while the request waited. Ask with another one.');
    }
  });
});
