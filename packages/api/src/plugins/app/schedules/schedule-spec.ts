// Makes every choice that a schedule's request leaves open, refuses what could not be started, and says when it starts.
import { gateProblems } from '@pronghorn/core/campaign';
import { type CallsPolicy, type Condition, type Gate, type Problem, type ScheduleRequest, scheduleDefaults } from '@pronghorn/core/schemas';
import { ProblemError } from '../../../shared/problems.ts';
import type { NextStart, ScheduleSpec } from '../../../tables/schedules-repository.ts';
import { completeSpec } from '../spec/campaign-spec.ts';
import { type DueTimes, dueTimes, jitterMs, shortestInterval } from './due-times.ts';

export type ScheduleChecks = {
  /** The conditions that can be asked for by name. */
  known: readonly Condition[];
  /** What is permitted of REST calls. */
  calls: CallsPolicy;
  targetExists(id: string): boolean;
  /** By id or name. */
  gateOf(gate: string): Gate | undefined;
  /** Milliseconds since 1970. */
  now: number;
  minimumIntervalMs: number;
};

/** @throws ProblemError invalid-schedule, or invalid-campaign, that names each wrong place. */
export function completeSchedule(
  request: ScheduleRequest,
  { known, calls, targetExists, gateOf, now, minimumIntervalMs }: ScheduleChecks,
): ScheduleSpec {
  const spec: ScheduleSpec = { ...scheduleDefaults, ...request, campaign: { ...request.campaign, priority: 'schedule' } };
  const errors: NonNullable<Problem['errors']> = [];
  try {
    const { interval } = keptTimes(spec, now, minimumIntervalMs);
    if (spec.jitterSeconds * 1_000 > interval) {
      errors.push({
        pointer: '#/jitterSeconds',
        detail: `jitterSeconds is ${spec.jitterSeconds}, and the next start is due ${interval / 1_000} s later; expected no more than that.`,
      });
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    errors.push(...error.errors);
  }
  const gate = spec.gate === null ? undefined : gateOf(spec.gate);
  if (spec.gate !== null && gate === undefined) {
    errors.push({ pointer: '#/gate', detail: `There is no gate ${spec.gate}. GET /api/v1/gates lists them.` });
  }
  for (const [place, id] of (spec.notifications ?? []).entries()) {
    if (targetExists(id)) continue;
    errors.push({
      pointer: `#/notifications/${place}`,
      detail: `There is no notification target ${id}. GET /api/v1/notifications lists them.`,
    });
  }
  if (spec.campaign.annotations?.repeats !== undefined) {
    errors.push({
      pointer: '#/campaign/annotations/repeats',
      detail:
        'Each campaign of the schedule would be the second run of one, and no baseline. Leave repeats out: the campaign before it is its other run.',
    });
  }
  try {
    const campaign = completeSpec(spec.campaign, 0, known, calls).spec;
    // Of what only some of its campaigns lack, such as a condition, the gate says so itself, night by night; a metric all of them lack.
    for (const { detail } of gate === undefined ? [] : gateProblems({ assertions: gate.rules.assertions }, undefined, campaign.engine))
      errors.push({ pointer: '#/gate', detail: `Gate ${gate?.name}: ${detail}` });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    errors.push(...error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace('#', '#/campaign'), detail })));
  }
  if (errors.length > 0) throw new ProblemError('invalid-schedule', errors.map(({ detail }) => detail).join(' '), errors);
  return spec;
}

type When = Pick<ScheduleSpec, 'cron' | 'timeZone'>;

/** @throws ProblemError invalid-schedule, for a wrong expression or zone, one that is due too often, and one that never is. */
function keptTimes({ cron, timeZone }: When, now: number, minimumIntervalMs: number): { due: DueTimes; interval: number } {
  const refuse = (place: 'cron' | 'timeZone', detail: string): never => {
    throw new ProblemError('invalid-schedule', detail, [{ pointer: `#/${place}`, detail }]);
  };
  let due: DueTimes;
  try {
    due = dueTimes(cron, timeZone);
  } catch (error) {
    const detail = (error as Error).message;
    return refuse(detail.startsWith('There is no time zone') ? 'timeZone' : 'cron', detail);
  }
  const interval = shortestInterval(cron);
  if (due.after(now) === null) refuse('cron', `"${cron}" is never due again; expected an expression that comes to pass.`);
  if (interval < minimumIntervalMs) {
    const least = minutes(minimumIntervalMs);
    refuse('cron', `"${cron}" is due after ${minutes(interval)} again; expected at least ${least} between two starts. Ask for fewer.`);
  }
  return { due, interval };
}

/**
 * The next times that are due, without jitter; of an expression that need not be stored.
 * @throws ProblemError invalid-schedule.
 */
export function nextTimes(
  when: When,
  { now, minimumIntervalMs }: Pick<ScheduleChecks, 'now' | 'minimumIntervalMs'>,
  count: number,
): number[] {
  const { due } = keptTimes(when, now, minimumIntervalMs);
  const times: number[] = [];
  for (let time = due.after(now); time !== null && times.length < count; time = due.after(time)) times.push(time);
  return times;
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
const maxListed = 150;

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
    const far = before.length >= maxListed ? startOf(scheduleId, spec, due.until(time - spec.jitterSeconds * 1_000)) : null;
    last = far !== null && far.dueAt > next.dueAt ? far : next;
    next = startOf(scheduleId, spec, due.after(last.dueAt));
  }
  return { before, last, next };
}
