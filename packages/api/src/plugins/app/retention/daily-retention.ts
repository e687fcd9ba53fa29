import fp from 'fastify-plugin';
import { type Loop, startLoop } from '../loop.ts';
import { createRetention, type Retention, type RetentionPolicy } from './retention.ts';
import { createRetentionRepository } from './retention-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    retention: Retention;
  }
}

/** Removes what is too old, once a day, by whichever process comes first. @param options.policy null: nothing is removed. */
export default fp<{ policy: RetentionPolicy | null; now: () => number }>(
  async (app, { policy, now }) => {
    const { database, resources, evidence, campaignLog, log } = app;
    const retentionMarks = createRetentionRepository(database);
    const retention = createRetention({ database, retentionMarks, resources, evidence, campaignLog }, now);
    app.decorate('retention', retention);
    if (policy === null) return;

    const stop = new AbortController();
    let loop: Loop | undefined;
    app.addHook('onReady', async () => {
      loop = startLoop(
        {
          name: 'retention',
          async tick() {
            if (!retentionMarks.claim('retention', now())) return;
            const removed = await retention.run(policy, stop.signal);
            log.info(
              { event: 'retention', ...removed },
              `Old contents were removed: resources of ${removed.resources} visits, evidence of ${removed.evidence}, ${removed.logLines} lines of campaigns' logs.`,
            );
          },
          nextAt: () => retentionMarks.dueAt('retention'),
        },
        { now, log },
      );
    });
    app.addHook('preClose', async () => {
      stop.abort();
      await loop?.stop();
    });
  },
  { name: 'retention', dependencies: ['resources-repository', 'evidence-store', 'campaign-log-repository'] },
);
