// A schedule as its form has it: every choice made, texts as they were typed.
import type { Schedule, ScheduleRequest } from '@pronghorn/core/schemas';

export type ScheduleForm = Required<ScheduleRequest>;

/** The fields that show what is wrong with them, by their JSON pointers. */
export const scheduleFields = [
  ...['/name', '/cron', '/timeZone', '/campaign', '/missed', '/jitterSeconds'],
  ...['/gate', '/notifications', '/baselineRuns', '/regressionThreshold'],
] as const;

/** What a new schedule begins with: every night, in the reader's zone. */
export function newScheduleForm(timeZone: string): ScheduleForm {
  return {
    name: '',
    cron: '30 2 * * *',
    timeZone,
    campaign: { sites: [], conditions: ['native'], protocols: ['h2', 'h3'], rounds: 20 },
    paused: false,
    missed: 'run-once',
    jitterSeconds: 0,
    gate: null,
    notifications: null,
    baselineRuns: 28,
    regressionThreshold: 0.1,
  };
}

/** Of one that is stored: what the service adds by itself is left out. */
export function formOf(schedule: Schedule): ScheduleForm {
  const { id: _id, createdAt: _at, createdBy: _by, nextRuns: _next, lastStart: _last, campaign, ...choices } = schedule;
  const { priority: _always, ...request } = campaign;
  return structuredClone({ ...choices, campaign: request });
}

/** What is sent: names without spaces around them. */
export function requestOf(form: ScheduleForm): ScheduleRequest {
  return { ...form, name: form.name.trim(), cron: form.cron.trim(), timeZone: form.timeZone.trim() };
}

/** Often wished for; the rest can be typed. */
export const cronExamples = [
  { cron: '30 2 * * *', name: 'Every night' },
  { cron: '30 2 * * 1-5', name: 'Weekday nights' },
  { cron: '30 2 * * 0', name: 'Sunday nights' },
  { cron: '0 */6 * * *', name: 'Every 6 hours' },
  { cron: '0 * * * *', name: 'Every hour' },
] as const;
