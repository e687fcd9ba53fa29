export const notificationEvents = ['campaign-done', 'gate-failed', 'site-unmeasured', 'regression-found', 'schedule-failed'] as const;
/** What a notification may be about. */
export type NotificationEvent = (typeof notificationEvents)[number];

/** What needs somebody: all but that a campaign is done. */
export const usualEvents: readonly NotificationEvent[] = notificationEvents.filter((event) => event !== 'campaign-done');
