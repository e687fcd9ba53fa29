// Events that notification targets choose from, as their form and their cards word them.
import type { NotificationEvent } from '@pronghorn/core/schemas';

export const eventNames: Readonly<Record<NotificationEvent, string>> = {
  'campaign-done': 'a campaign is done',
  'gate-failed': 'a gate failed',
  'site-unmeasured': 'a page could not be measured',
  'regression-found': 'a page got slower (regression)',
  'schedule-failed': 'a schedule missed a start',
};
