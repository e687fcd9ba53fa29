// Schedules at work: the loop that starts campaigns and looks at what came of them.
import fp from 'fastify-plugin';
import { runLoop } from '../loop.ts';
import { createRegressionWatch } from './regression-watch.ts';
import { createStarter } from './starter.ts';

export type SchedulesOptions = {
  /** Whether this process starts campaigns; any number of processes on one database may. */
  enabled: boolean;
  /** Shortest time between two starts of a schedule, milliseconds. */
  minimumIntervalMs: number;
};

export const defaultSchedulesOptions: SchedulesOptions = { enabled: false, minimumIntervalMs: 5 * 60_000 };

declare module 'fastify' {
  interface FastifyInstance {
    scheduler: {
      readonly minimumIntervalMs: number;
      readonly starter: ReturnType<typeof createStarter>;
      /** Starts what is due by now, and looks at what became done. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
      /** A schedule was changed: the next start may be an earlier one. */
      wake(): void;
    };
  }
}

export default fp<Partial<SchedulesOptions>>(async (app, options) => {
  const { enabled, minimumIntervalMs } = { ...defaultSchedulesOptions, ...options };
  const { campaigns, schedules, nights } = app;
  const starter = createStarter(app);
  const watch = createRegressionWatch(app);
  async function tick(): Promise<void> {
    try {
      if (app.clock.doubt() === null) await starter.replan();
      await starter.startDue();
    } finally {
      await watch.lookAtDone();
    }
  }
  const wake = enabled ? runLoop(app, { name: 'schedules', tick, nextAt: schedules.earliest }) : () => {};
  app.decorate('scheduler', { minimumIntervalMs, starter, tick, wake });
  // So that nobody waits a minute for what became of a campaign; of one that another process finished, the next look tells.
  app.campaignChanges.listenToAll((campaignId) => {
    if (campaigns.stateOf(campaignId) === 'done' && schedules.ofCampaign(campaignId) && !nights.findings(campaignId)) wake();
  });
});
