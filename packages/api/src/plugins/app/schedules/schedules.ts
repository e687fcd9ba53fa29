// Schedules at work: the loop that starts campaigns and looks at what came of them.
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import { ProblemError } from '../../../shared/problems.ts';
import type { StoredSchedule } from '../../../tables/schedules-repository.ts';
import { believedMs } from '../clock/clock.ts';
import { graceMs } from './schedule-commands.ts';
import { dueBy } from './schedule-spec.ts';

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
      /** Starts what is due by now, and looks at what became done. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
    };
  }
}

/** Takes all that is due of one schedule, and starts the last of it, or says why not. What another process decides at the same moment, stands. */
async function startDue({ now, store, admission }: FastifyInstance, schedule: StoredSchedule): Promise<void> {
  const { id, spec, next: first, createdBy } = schedule;
  const time = now();
  if (first === null || first.startAt > time) return;
  const due = dueBy(id, spec, first, time);
  if (time - due.last.startAt > graceMs && spec.missed === 'skip') return store.schedules.notStarted(schedule, due);
  try {
    await admission.admitDue(spec.campaign, createdBy);
    await store.schedules.startDue(schedule, due);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind === 'storage-busy') throw error;
    await store.schedules.notStarted(schedule, due, error.message);
  }
}

/** Does each, whatever becomes of the others. @throws Error the first that one threw. */
async function forEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await work(one).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

export default fp<Partial<SchedulesOptions>>(async (app, options) => {
  const { enabled, minimumIntervalMs } = { ...defaultSchedulesOptions, ...options };
  const { schedules, clock } = app.store;
  async function tick(): Promise<void> {
    try {
      if ((await clock.doubt()) === null) {
        for (const { id } of await schedules.plannedAfter(app.now() + believedMs)) await schedules.replan(id);
      }
      await forEach(await schedules.dueAt(app.now()), (schedule) => startDue(app, schedule));
    } finally {
      // Each campaign once, however many processes do so.
      await forEach(await schedules.unjudged(), async ({ campaignId, scheduleId }) => {
        const night = await schedules.night(campaignId);
        if (night !== undefined) await schedules.judge(scheduleId, night);
      });
    }
  }
  const wake = enabled ? runLoop(app, { name: 'schedules', tick, nextAt: schedules.earliest }) : () => {};
  app.whenDue('schedules', wake);
  app.decorate('scheduler', { minimumIntervalMs, tick });
});
