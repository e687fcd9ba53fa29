// Starts the campaigns of schedules: each due time once, however many processes look at one database.
import type { StartOutcome } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../../../problems.ts';
import { type Creator, hasEnded } from '../campaigns/campaigns-repository.ts';
import { believedMs } from '../clock/clock.ts';
import { dueBy, nextStart } from './schedule-spec.ts';
import type { NextStart, StoredSchedule } from './schedules-repository.ts';

/** A start that is no later than this is in time: a restart of the service takes seconds, and a look comes every minute. */
export const graceMs = 5 * 60_000;

/** What takes a start back after its campaign was made: both are one transaction. */
class NotStarted extends Error {}

type Parts = Pick<FastifyInstance, 'now' | 'write' | 'queue' | 'campaigns' | 'schedules' | 'notifications' | 'admission' | 'log'> & {
  readonly gates: Pick<FastifyInstance['gates'], 'askNamed'>;
};

export function createStarter(app: Parts) {
  const { now, write, queue, campaigns, schedules, notifications, admission, log } = app;

  /** @throws NotStarted when another process did, or the schedule was changed meanwhile. */
  function take(schedule: StoredSchedule, next: NextStart): void {
    if (schedules.find(schedule.id)?.next?.dueAt !== schedule.next?.dueAt) throw new NotStarted();
    schedules.setNext(schedule.id, next);
  }

  /** Why the overlap rule forbids a start; null: it doesn't. */
  function overlap(scheduleId: number): string | null {
    const last = schedules.lastCampaign(scheduleId);
    const campaign = last === undefined ? undefined : campaigns.find(String(last));
    if (campaign === undefined || hasEnded(campaign.state)) return null;
    const { roundsDone, rounds } = campaign.progress;
    return `Campaign ${campaign.id}, which this schedule started before, is not finished: ${roundsDone} of ${rounds} rounds are.`;
  }

  function record(
    schedule: StoredSchedule,
    dueAt: number | null,
    outcome: StartOutcome,
    words: string,
    { campaignId = null, startedBy = null }: { campaignId?: number | null; startedBy?: string | null } = {},
  ) {
    schedules.insertStart(schedule.id, { dueAt, decidedAt: now(), outcome, words, campaignId, startedBy });
    const fields = {
      event: `schedule-${outcome}`,
      schedule: String(schedule.id),
      ...(campaignId === null ? {} : { campaign: String(campaignId) }),
    };
    log[outcome === 'started' ? 'info' : 'warn'](fields, `${schedule.spec.name}: ${words}`);
  }

  /** @throws ProblemError unknown-reference: what nobody would judge is not measured. */
  function recordStarted(
    schedule: StoredSchedule,
    dueAt: number | null,
    words: string,
    campaignId: number,
    startedBy: string | null = null,
  ): void {
    const { gate, name } = schedule.spec;
    if (gate !== null && app.gates.askNamed(gate, campaignId, name) === null) {
      throw new ProblemError(
        'unknown-reference',
        `The gate "${gate}" of this schedule is not there any more. Name another one, or none, by PUT /api/v1/schedules/${schedule.id}.`,
      );
    }
    record(schedule, dueAt, 'started', words, { campaignId, startedBy });
  }

  /** Takes all that is due of one schedule, and starts the last of it, or says why not. */
  async function startDue(schedule: StoredSchedule): Promise<void> {
    const { id, spec, next: first } = schedule;
    const time = now();
    if (first === null || first.startAt > time) return;
    const { before, last, next } = dueBy(id, spec, first, time);
    const lateMs = time - last.startAt;
    const skipped = lateMs > graceMs && spec.missed === 'skip';
    const recordBefore = () => {
      for (const dueAt of before) record(schedule, dueAt, 'missed', missedWords);
    };
    const recordNotStarted = (outcome: StartOutcome, words: string) =>
      write(() => {
        take(schedule, next);
        recordBefore();
        record(schedule, last.dueAt, outcome, words);
        notifications.enqueue({
          event: 'schedule-failed',
          scheduleId: id,
          only: spec.notifications,
          content: { title: `${spec.name} was not started`, lines: [words], details: null },
        });
      });

    if (skipped) return recordNotStarted('missed', `${missedWords} This schedule waits for the next.`);
    let overlapping: string | null = null;
    try {
      await admission.admitDue(spec.campaign, schedule.createdBy);
      await queue.submit(spec.campaign, creatorOf(schedule), (campaignId) => {
        take(schedule, next);
        overlapping = overlap(id);
        if (overlapping !== null) throw new NotStarted();
        recordBefore();
        recordStarted(schedule, last.dueAt, lateMs > graceMs ? `${missedWords} It is made up for.` : 'Started in time.', campaignId);
      });
    } catch (error) {
      if (overlapping !== null) await recordNotStarted('overlapping', overlapping);
      else if (error instanceof ProblemError && error.kind !== 'storage-busy') await recordNotStarted('failed', error.message);
      else throw error;
    }
  }

  return {
    /**
     * Starts what is due by now. What another process starts at the same moment, it leaves alone.
     * @throws Error the first of those that kept schedules from being looked at; they stay due.
     */
    async startDue(): Promise<void> {
      const failures: unknown[] = [];
      for (const schedule of schedules.dueAt(now())) {
        try {
          await startDue(schedule);
        } catch (error) {
          if (!(error instanceof NotStarted)) failures.push(error); // no reason to keep the others waiting
        }
      }
      if (failures.length > 0) throw failures[0];
    },

    /**
     * Starts a campaign of a schedule, due or not, paused or not.
     * @param along what is stored with it, wholly or not at all.
     * @returns its id.
     * @throws ProblemError schedule-busy by the overlap rule, invalid-campaign when it can't be run any more, unknown-reference when its gate is gone.
     */
    async startNow(schedule: StoredSchedule, by: string | null, along: (campaignId: number) => void = () => {}): Promise<string> {
      return queue.submit(schedule.spec.campaign, creatorOf(schedule), (campaignId) => {
        const words = overlap(schedule.id);
        if (words !== null) throw new ProblemError('schedule-busy', `${words} Wait for it, or cancel it.`);
        recordStarted(schedule, null, by === null ? 'Started by hand.' : `Started by hand, by ${by}.`, campaignId, by);
        along(campaignId);
      });
    },

    /**
     * Takes back what a clock decided that was days ahead: its next starts would be years away. For a clock that is believed.
     */
    async replan(): Promise<void> {
      for (const { id } of schedules.plannedAfter(now() + believedMs)) {
        await write(() => {
          const schedule = schedules.find(id);
          if (schedule === undefined) return;
          const last = schedules.lastDue(id) ?? 0;
          const wasAhead = last > now() + believedMs;
          const next = nextStart(id, schedule.spec, wasAhead ? now() : Math.max(now(), last));
          if (!wasAhead && next?.dueAt === schedule.next?.dueAt) return;
          if (wasAhead) schedules.forgetDecidedAfter(id, now());
          schedules.setNext(id, next);
          const words = `${schedule.spec.name}: The clock was ahead when its next start was planned; it is planned anew.`;
          log.warn({ event: 'schedule-replanned', schedule: String(id) }, words);
        });
      }
    },

    /** Sets when a schedule starts next, from now on. */
    plan(schedule: StoredSchedule): void {
      const from = Math.max(now(), schedules.lastDue(schedule.id) ?? 0); // a clock that was set back comes by decided times again
      schedules.setNext(schedule.id, nextStart(schedule.id, schedule.spec, from));
    },
  };
}

const creatorOf = ({ spec }: StoredSchedule): Creator => ({ kind: 'schedule', name: spec.name });

const missedWords = 'Missed: the service did not run at that time.';
