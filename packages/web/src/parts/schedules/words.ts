// What a schedule's choices and starts are called.
import type { NotificationEvent, ScheduleRequest, StartOutcome } from '@pronghorn/core/schemas';

export const startOutcomeNames: Readonly<Record<StartOutcome, string>> = {
  started: 'started',
  missed: 'missed',
  overlapping: 'skipped: the one before was not finished',
  failed: 'failed',
};

export const missedNames: Readonly<Record<NonNullable<ScheduleRequest['missed']>, string>> = {
  'run-once': 'Make up for the last one, once',
  skip: 'Wait for the next one',
};

export const eventNames: Readonly<Record<NotificationEvent, string>> = {
  'campaign-done': 'a campaign is done',
  'gate-failed': 'a gate failed',
  'site-unmeasured': 'a page could not be measured: down, blocked or hardly ever valid',
  'regression-found': 'a regression was found',
  'schedule-failed': 'a schedule could not start, or a start was missed',
};
