// A schedule as its form has it, with every choice made and texts as they were typed; what its choices and starts are called.
import type { Schedule, ScheduleRequest, StartOutcome } from '@pronghorn/core/schemas';
import { newRequest } from '../campaign-form/campaign-request.ts';
import type { Field } from '../forms/fields.ts';

export type ScheduleForm = Required<ScheduleRequest>;

export const startOutcomeNames: Readonly<Record<StartOutcome, string>> = {
  started: 'started',
  missed: 'missed',
  overlapping: 'skipped: the previous run was still going',
  failed: 'failed',
};

export const missedNames: Readonly<Record<NonNullable<ScheduleRequest['missed']>, string>> = {
  'run-once': 'Run it once when back',
  skip: 'Skip it',
};

/** The fields that show what is wrong with them, by their JSON pointers. */
export const scheduleFields = [
  ...['/name', '/cron', '/timeZone', '/campaign', '/missed', '/jitterSeconds'],
  ...['/gate', '/notifications', '/baselineRuns', '/regressionThreshold'],
] as const;

export const nameField: Field<ScheduleForm> = { key: 'name', label: 'Name', hint: 'Such as “shop at night”.', maxLength: 100, empty: '' };
export const startFields: readonly Field<ScheduleForm>[] = [
  {
    ...{ kind: 'number', key: 'jitterSeconds', label: 'Random delay up to', unit: 'seconds', empty: Number.NaN },
    hint: 'Spreads the load. 0: always on time.',
  },
  {
    ...{ kind: 'choice', key: 'missed', label: 'If a start is missed', empty: 'run-once' },
    choices: Object.entries(missedNames).map(([value, name]) => ({ value, name })),
    hint: 'The service was down at the time.',
  },
];
export const regressionFields: readonly Field<ScheduleForm>[] = [
  {
    ...{ kind: 'number', key: 'regressionThreshold', label: 'Alert if slower by at least', unit: '%', factor: 100, empty: Number.NaN },
    hint: 'Twice in a row, and by more than runs usually vary.',
  },
  {
    ...{ kind: 'number', key: 'baselineRuns', label: 'Compare with the last … runs', empty: Number.NaN },
    hint: '5 to 60. False alarms a year, if nightly: 28 runs up to 20; 7 up to 50; 14 up to 100 where nights resemble each other.',
  },
];

/** A new schedule: every night, in the reader's zone. */
export function newScheduleForm(timeZone: string): ScheduleForm {
  return {
    name: '',
    cron: '30 2 * * *',
    timeZone,
    campaign: newRequest(),
    paused: false,
    missed: 'run-once',
    jitterSeconds: 0,
    gate: null,
    notifications: null,
    baselineRuns: 28,
    regressionThreshold: 0.1,
  };
}

/** A stored one, without what the service adds. */
export function formOf(schedule: Schedule): ScheduleForm {
  const { id: _id, createdAt: _at, createdBy: _by, nextRuns: _next, lastStart: _last, campaign, ...choices } = schedule;
  const { priority: _always, ...request } = campaign;
  return structuredClone({ ...choices, campaign: request });
}

/** As it is sent: texts without spaces around them. */
export function requestOf(form: ScheduleForm): ScheduleRequest {
  return { ...form, name: form.name.trim(), cron: form.cron.trim(), timeZone: form.timeZone.trim() };
}

/** Common choices; the rest can be typed. */
export const cronExamples = [
  { cron: '30 2 * * *', name: 'Every night' },
  { cron: '30 2 * * 1-5', name: 'Weekday nights' },
  { cron: '30 2 * * 0', name: 'Sunday nights' },
  { cron: '0 */6 * * *', name: 'Every 6 hours' },
  { cron: '0 * * * *', name: 'Every hour' },
] as const;
