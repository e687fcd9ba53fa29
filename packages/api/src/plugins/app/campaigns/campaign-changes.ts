import { EventEmitter } from 'node:events';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    campaignChanges: CampaignChanges;
  }
}

/** Tells this process's listeners that something of a campaign changed; what, they read from the database. */
export type CampaignChanges = ReturnType<typeof createCampaignChanges>;

export function createCampaignChanges() {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    announce(campaignId: number): void {
      emitter.emit(String(campaignId));
      emitter.emit('any', campaignId);
    },
    /** @returns what ends it. */
    listen(campaignId: number, listener: () => void): () => void {
      emitter.on(String(campaignId), listener);
      return () => emitter.off(String(campaignId), listener);
    },
    /** To the changes of every campaign. @returns what ends it. */
    listenToAll(listener: (campaignId: number) => void): () => void {
      emitter.on('any', listener);
      return () => emitter.off('any', listener);
    },
  };
}

export default fp(
  async (app) => {
    app.decorate('campaignChanges', createCampaignChanges());
  },
  { name: 'campaign-changes' },
);
