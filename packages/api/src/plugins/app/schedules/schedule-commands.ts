// Schedules: made, changed and started. Each due time is decided on once, however many processes look at one database.
import type { Schedule, StartOutcome } from '@pronghorn/core/schemas';
import { assertNameFree, found, ProblemError } from '../../../shared/problems.ts';
import { rowId, type Slice } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { type Creator, hasEnded } from '../../../tables/campaigns-repository.ts';
import type { ScheduleSpec, StoredSchedule } from '../../../tables/schedules-repository.ts';
import { assertOwn } from '../access/access.ts';
import { createAdmissionRules } from '../access/admission.ts';
import { assertInScope } from '../access/scope.ts';
import { createSubmit } from '../campaigns/campaign-commands.ts';
import { believedMs } from '../clock/clock.ts';
import { assertUnchanged } from '../revalidation.ts';
import { regressionCommands } from './regression-watch.ts';
import { type dueBy, nextStart, startsFrom } from './schedule-spec.ts';

/** A start that is no later than this is in time: a restart of the service takes seconds, and a look comes every minute. */
export const graceMs = 5 * 60_000;

const shownStarts = 5;

/** Schedules as clients see them. */
export function createScheduleReads({ schedules }: Pick<Tables, 'schedules'>) {
  const toSchedule = ({ id, createdAt, createdBy, spec, next }: StoredSchedule): Schedule => ({
    id: String(id),
    ...spec,
    createdAt,
    createdBy,
    nextRuns: startsFrom(id, spec, next, shownStarts).map(({ startAt }) => new Date(startAt).toISOString()),
    lastStart: schedules.starts(id, { limit: 1, cursor: null }).items[0] ?? null,
  });
  return {
    toSchedule,
    find(id: string): Schedule | undefined {
      const schedule = schedules.find(rowId(id));
      return schedule && toSchedule(schedule);
    },
    /** @param name of no other one; null: all. */
    page(slice: Slice, name: string | null) {
      const { items, nextCursor } = schedules.page(slice, name);
      return { items: items.map(toSchedule), nextCursor };
    },
  };
}

type Due = ReturnType<typeof dueBy>;

/** Refusals are ProblemErrors. */
export function scheduleCommands(tables: Tables) {
  const { now, timeNow, effects, answers, audit, campaigns, gates, keys, outbox, schedules } = tables;
  const { toSchedule } = createScheduleReads(tables);
  const rules = createAdmissionRules(tables);
  const submit = createSubmit(tables);

  /** The schedule as it is. @throws ProblemError not-found, forbidden, out-of-scope, changed-meanwhile. */
  function changeable(id: string, caller: Caller): StoredSchedule {
    const schedule = found(schedules.find(rowId(id)), `schedule ${id}`);
    assertOwn(caller.access, `Schedule ${id}`, schedule.createdBy);
    assertInScope(caller.access, schedule.spec.campaign);
    assertUnchanged(caller, toSchedule(schedule));
    return schedule;
  }

  /** Sets when a schedule starts next, from now on. */
  function plan({ id, spec }: Pick<StoredSchedule, 'id' | 'spec'>): void {
    const from = Math.max(now(), schedules.lastDue(id) ?? 0); // a clock that was set back comes by decided times again
    schedules.setNext(id, nextStart(id, spec, from));
    effects.due('schedules');
  }

  /** A start that is due meanwhile belongs to the schedule as it was. */
  function changed(before: StoredSchedule, spec: ScheduleSpec, action: string, caller: Caller): void {
    const moved = (['cron', 'timeZone', 'jitterSeconds', 'paused'] as const).some((key) => before.spec[key] !== spec[key]);
    if (moved) plan({ id: before.id, spec });
    audit.of(caller, action, before.id, { name: spec.name });
  }

  /** Why the overlap rule forbids a start; null: it doesn't. */
  function overlap(scheduleId: number): string | null {
    const last = schedules.lastCampaign(scheduleId);
    const campaign = last === undefined ? undefined : campaigns.find(String(last));
    if (campaign === undefined || hasEnded(campaign.state)) return null;
    const { roundsDone, rounds } = campaign.progress;
    return `Campaign ${campaign.id}, which this schedule started before, is not finished: ${roundsDone} of ${rounds} rounds are.`;
  }

  type Started = { campaignId: number | null; startedBy: string | null };
  function record(
    { id, spec }: StoredSchedule,
    dueAt: number | null,
    outcome: StartOutcome,
    words: string,
    { campaignId, startedBy }: Started = { campaignId: null, startedBy: null },
  ): void {
    schedules.insertStart(id, { dueAt, decidedAt: now(), outcome, words, campaignId, startedBy });
    const fields = { event: `schedule-${outcome}`, schedule: String(id), ...(campaignId !== null && { campaign: String(campaignId) }) };
    effects.log(outcome === 'started' ? 'info' : 'warn', fields, `${spec.name}: ${words}`);
  }

  /** @returns the campaign. @throws ProblemError unknown-reference: what nobody would judge is not measured. */
  function start(schedule: StoredSchedule, dueAt: number | null, words: string, startedBy: string | null = null): number {
    const { gate: gateName, name, campaign } = schedule.spec;
    const campaignId = submit(campaign, creatorOf(schedule));
    if (gateName !== null) {
      const gate = gates.find(gateName) ?? gates.findNamed(gateName);
      if (gate === undefined) {
        throw new ProblemError(
          'unknown-reference',
          `The gate "${gateName}" of this schedule is not there any more. Name another one, or none, by PUT /api/v1/schedules/${schedule.id}.`,
        );
      }
      answers.ask({ campaignId, gate, rules: gate.rules, askedBy: name }, timeNow());
    }
    record(schedule, dueAt, 'started', words, { campaignId, startedBy });
    return campaignId;
  }

  function recordNotStarted(schedule: StoredSchedule, { before, last }: Due, outcome: StartOutcome, words: string): void {
    for (const dueAt of before) record(schedule, dueAt, 'missed', missedWords);
    record(schedule, last.dueAt, outcome, words);
    outbox.enqueue({
      event: 'schedule-failed',
      scheduleId: schedule.id,
      only: schedule.spec.notifications,
      content: { title: `${schedule.spec.name} was not started`, lines: [words], details: null },
    });
  }

  /** The schedule, if it is still as it was when it was due; undefined: another process decided, or it was changed meanwhile. */
  const asItWas = ({ id, next }: StoredSchedule): StoredSchedule | undefined => {
    const schedule = schedules.find(id);
    return schedule?.next?.dueAt === next?.dueAt ? schedule : undefined;
  };

  return {
    ...regressionCommands(tables),

    create: (spec: ScheduleSpec, caller: Caller) =>
      keys.once(caller, () => {
        rules.assertScheduleRoom(caller.access);
        assertNameFree('schedule', spec.name, schedules.idNamed(spec.name));
        const id = schedules.insert(spec, timeNow(), caller.access.name);
        plan({ id, spec });
        audit.of(caller, 'schedule.create', id, { name: spec.name });
        return id;
      }),

    change(id: string, spec: ScheduleSpec, caller: Caller): void {
      const before = changeable(id, caller);
      assertNameFree('schedule', spec.name, schedules.idNamed(spec.name), before.id);
      schedules.update(before.id, spec);
      changed(before, spec, 'schedule.change', caller);
    },

    setPaused(id: string, paused: boolean, caller: Caller): void {
      const before = changeable(id, caller);
      schedules.setPaused(before.id, paused);
      changed(before, { ...before.spec, paused }, paused ? 'schedule.pause' : 'schedule.resume', caller);
    },

    /** Its campaigns stay. */
    delete(id: string, caller: Caller): void {
      const { id: row, spec } = changeable(id, caller);
      schedules.delete(row);
      audit.of(caller, 'schedule.delete', row, { name: spec.name });
    },

    /** Starts a campaign of a schedule, due or not, paused or not. @returns the campaign's id. @throws ProblemError schedule-busy by the overlap rule. */
    startNow: (id: string, caller: Caller) =>
      keys.once(caller, () => {
        const schedule = found(schedules.find(rowId(id)), `schedule ${id}`);
        const { name } = caller.access;
        const words = overlap(schedule.id);
        if (words !== null) throw new ProblemError('schedule-busy', `${words} Wait for it, or cancel it.`);
        const campaignId = start(schedule, null, name === null ? 'Started by hand.' : `Started by hand, by ${name}.`, name);
        audit.of(caller, 'schedule.start', schedule.id, { campaignId: String(campaignId) });
        return campaignId;
      }),

    /** Takes all that is due of a schedule, and starts the last of it; where the overlap rule forbids that, it is said. */
    startDue(was: StoredSchedule, due: Due): void {
      const schedule = asItWas(was);
      if (schedule === undefined) return;
      schedules.setNext(schedule.id, due.next);
      const words = overlap(schedule.id);
      if (words !== null) {
        recordNotStarted(schedule, due, 'overlapping', words);
        return;
      }
      for (const dueAt of due.before) record(schedule, dueAt, 'missed', missedWords);
      const isLate = now() - due.last.startAt > graceMs;
      start(schedule, due.last.dueAt, isLate ? `${missedWords} It is made up for.` : 'Started in time.');
    },

    /** Takes all that is due of a schedule, and says why it was not started. @param words undefined: its time has passed. */
    notStarted(was: StoredSchedule, due: Due, words?: string): void {
      const schedule = asItWas(was);
      if (schedule === undefined) return;
      schedules.setNext(schedule.id, due.next);
      if (words === undefined) recordNotStarted(schedule, due, 'missed', `${missedWords} This schedule waits for the next.`);
      else recordNotStarted(schedule, due, 'failed', words);
    },

    /** Takes back what a clock decided that was days ahead: its next start would be years away. For a clock that is believed. */
    replan(id: number): void {
      const schedule = schedules.find(id);
      if (schedule === undefined) return;
      const last = schedules.lastDue(id) ?? 0;
      const wasAhead = last > now() + believedMs;
      const next = nextStart(id, schedule.spec, wasAhead ? now() : Math.max(now(), last));
      if (!wasAhead && next?.dueAt === schedule.next?.dueAt) return;
      if (wasAhead) schedules.forgetDecidedAfter(id, now());
      schedules.setNext(id, next);
      const words = `${schedule.spec.name}: The clock was ahead when its next start was planned; it is planned anew.`;
      effects.log('warn', { event: 'schedule-replanned', schedule: String(id) }, words);
    },
  };
}

const creatorOf = ({ spec }: StoredSchedule): Creator => ({ kind: 'schedule', name: spec.name });

const missedWords = 'Missed: the service did not run at that time.';
