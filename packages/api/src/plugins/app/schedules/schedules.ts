// Schedules at work: the loop that starts campaigns and looks at what came of them.
import fp from 'fastify-plugin';
import { startLoop } from '../loop.ts';
import { createNightsRepository, type NightsRepository } from './nights-repository.ts';
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
      /** Milliseconds since 1970. */
      now(): number;
      readonly minimumIntervalMs: number;
      readonly starter: ReturnType<typeof createStarter>;
      readonly nights: NightsRepository;
      /** Starts what is due by now, and looks at what became done. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
      /** A schedule was changed: the next start may be an earlier one. */
      wake(): void;
    };
  }
}

export default fp<{ now: () => number; options: Partial<SchedulesOptions> }>(
  async (app, { now, options }) => {
    const { enabled, minimumIntervalMs } = { ...defaultSchedulesOptions, ...options };
    const nights = createNightsRepository(app.database);
    const { queue, write, campaigns, rounds, visits, schedules, notifications } = app;
    const askGate = (gate: string, campaignId: number, askedBy: string) => app.gates.askNamed(gate, campaignId, askedBy) !== null;
    const starter = createStarter(
      { queue, write, campaigns, schedules, notifications, askGate, admitDue: app.admission.admitDue, log: app.log },
      now,
    );
    const watch = createRegressionWatch({ write, campaigns, rounds, visits, schedules, notifications, nights });
    let wake = () => {};
    let stop = async () => {};
    async function tick(): Promise<void> {
      try {
        if (app.clock.doubt() === null) await starter.replan();
        await starter.startDue();
      } finally {
        await watch.lookAtDone();
      }
    }
    app.decorate('scheduler', { now, minimumIntervalMs, starter, nights, tick, wake: () => wake() });
    if (!enabled) return;
    // So that nobody waits a minute for what became of a campaign; of one that another process finished, the next look tells.
    const listening = app.campaignChanges.listenToAll((campaignId) => {
      if (campaigns.stateOf(campaignId) === 'done' && schedules.ofCampaign(campaignId) && !nights.findings(campaignId)) wake();
    });
    app.addHook('onReady', async () => {
      const loop = startLoop({ name: 'schedules', tick, nextAt: schedules.earliest }, { now, log: app.log });
      wake = loop.wake;
      stop = loop.stop;
    });
    app.addHook('preClose', async () => {
      listening();
      await stop();
    });
  },
  {
    name: 'scheduler',
    dependencies: [
      'admission',
      'clock',
      'queue',
      'campaign-changes',
      'schedules-repository',
      'notifications',
      'campaigns-repository',
      'visits-repository',
      'rounds-repository',
    ],
  },
);
