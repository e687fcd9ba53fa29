export const notificationEvents = ['campaign-done', 'gate-failed', 'site-unmeasured', 'regression-found', 'schedule-failed'] as const;
/** The subject of a notification. */
export type NotificationEvent = (typeof notificationEvents)[number];

/** The events that need a person: all but the end of a campaign. */
export const usualEvents: readonly NotificationEvent[] = notificationEvents.filter((event) => event !== 'campaign-done');
