// Makes every choice that a schedule's request leaves open, refuses what could not be started, and says when it starts.
import { type Condition, type Problem, type ScheduleRequest, scheduleDefaults } from '@pronghorn/core';
import { ProblemError } from '../../../problems.ts';
import { completeSpec } from '../campaigns/campaign-spec.ts';
import { dueTimes, jitterMs, shortestInterval } from './due-times.ts';
import type { NextStart, ScheduleSpec } from './schedules-repository.ts';

export type ScheduleChecks = {
  /** The conditions that can be asked for by name. */
  known: readonly Condition[];
  targetExists(id: string): boolean;
  /** By id or name. */
  gateExists(gate: string): boolean;
  /** Milliseconds since 1970. */
  now: number;
  minimumIntervalMs: number;
};

/** @throws ProblemError invalid-schedule, or invalid-campaign, that names each wrong place. */
export function completeSchedule(
  request: ScheduleRequest,
  { known, targetExists, gateExists, now, minimumIntervalMs }: ScheduleChecks,
): ScheduleSpec {
  const spec: ScheduleSpec = { ...scheduleDefaults, ...request, campaign: { ...request.campaign, priority: 'schedule' } };
  const errors: NonNullable<Problem['errors']> = [];
  try {
    const due = dueTimes(spec.cron, spec.timeZone);
    const interval = shortestInterval(due, now);
    if (due.after(now) === null) {
      errors.push({ pointer: '#/cron', detail: `"${spec.cron}" is never due again; expected an expression that comes to pass.` });
    } else if (interval < minimumIntervalMs) {
      errors.push({
        pointer: '#/cron',
        detail: `"${spec.cron}" is due after ${minutes(interval)} again; expected at least ${minutes(minimumIntervalMs)} between two starts. Ask for fewer.`,
      });
    } else if (spec.jitterSeconds * 1_000 > interval) {
      errors.push({
        pointer: '#/jitterSeconds',
        detail: `jitterSeconds is ${spec.jitterSeconds}, and the next start is due ${interval / 1_000} s later; expected no more than that.`,
      });
    }
  } catch (error) {
    const detail = (error as Error).message;
    errors.push({ pointer: detail.startsWith('There is no time zone') ? '#/timeZone' : '#/cron', detail });
  }
  if (spec.gate !== null && !gateExists(spec.gate)) {
    errors.push({ pointer: '#/gate', detail: `There is no gate ${spec.gate}. GET /api/v1/gates lists them.` });
  }
  for (const [place, id] of (spec.notifications ?? []).entries()) {
    if (targetExists(id)) continue;
    errors.push({
      pointer: `#/notifications/${place}`,
      detail: `There is no notification target ${id}. GET /api/v1/notifications lists them.`,
    });
  }
  try {
    completeSpec(spec.campaign, 0, known);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    errors.push(...error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace('#', '#/campaign'), detail })));
  }
  if (errors.length > 0) throw new ProblemError('invalid-schedule', errors.map(({ detail }) => detail).join(' '), errors);
  return spec;
}

const minutes = (ms: number) => `${Number((ms / 60_000).toPrecision(3))} min`;

/** The next start that is due after a time; null while the schedule is paused, and when there is none. */
export function nextStart(scheduleId: number, spec: ScheduleSpec, time: number): NextStart {
  return spec.paused ? null : startOf(scheduleId, spec, dueTimes(spec.cron, spec.timeZone).after(time));
}

function startOf(scheduleId: number, { jitterSeconds }: ScheduleSpec, dueAt: number | null): NextStart {
  return dueAt === null ? null : { dueAt, startAt: dueAt + jitterMs(scheduleId, dueAt, jitterSeconds) };
}

/** At most so many starts, from the next one on. */
export function startsFrom(scheduleId: number, spec: ScheduleSpec, next: NextStart, count: number): { dueAt: number; startAt: number }[] {
  const due = dueTimes(spec.cron, spec.timeZone);
  const starts = [];
  for (let start = next; start !== null && starts.length < count; start = startOf(scheduleId, spec, due.after(start.dueAt)))
    starts.push(start);
  return starts;
}

/** Keeps the history of a long stop short; with one start every five minutes, this is half a day. */
const mostListed = 150;

/**
 * The starts that are due by a time.
 * @returns `last` of them, those before it (of a very long stop, only some), and the `next` one.
 */
export function dueBy(scheduleId: number, spec: ScheduleSpec, first: { dueAt: number; startAt: number }, time: number) {
  const due = dueTimes(spec.cron, spec.timeZone);
  const before: number[] = [];
  let last = first;
  let next = startOf(scheduleId, spec, due.after(first.dueAt));
  while (next !== null && next.startAt <= time) {
    before.push(last.dueAt);
    // A year of nights is listed; of a year of minutes the rest is stepped over.
    const far = before.length >= mostListed ? startOf(scheduleId, spec, due.until(time - spec.jitterSeconds * 1_000)) : null;
    last = far !== null && far.dueAt > next.dueAt ? far : next;
    next = startOf(scheduleId, spec, due.after(last.dueAt));
  }
  return { before, last, next };
}
