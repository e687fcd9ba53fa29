// What happened and is to be told: written in the transaction in which it happens, delivered later.
import { randomUUID } from 'node:crypto';
import type { NotificationEvent } from '@pronghorn/core/schemas';
import type { DeliveriesRepository } from './deliveries-repository.ts';
import type { TargetsRepository } from './targets-repository.ts';

/** What a message says. */
export type MessageContent = {
  /** The answer in a line. */
  title: string;
  /** The numbers behind it, in sentences. */
  lines: readonly string[];
  /** For programs, by event; null: there is no more. */
  details: unknown;
};

export type Notification = {
  event: NotificationEvent;
  /** Rows. */
  campaignId?: number | null;
  scheduleId?: number | null;
  /** Ids of the only targets that are told; null: all that chose the event. */
  only?: readonly string[] | null;
  /** Null: is made of the campaign's results before the first try, so that no transaction waits for them. */
  content: MessageContent | null;
};

export type NotificationsOutbox = ReturnType<typeof createOutbox>;

/** @param woken called when something was written. */
export function createOutbox(
  { targets, deliveries }: { targets: TargetsRepository; deliveries: DeliveriesRepository },
  now: () => number,
  woken: () => void,
) {
  return {
    /**
     * Writes a delivery for each target that chose the event. To be called inside the transaction of what it tells of: both are there
     * afterwards, or neither. @returns how many.
     */
    enqueue({ event, campaignId = null, scheduleId = null, only = null, content }: Notification): number {
      const chosen = targets.enabled().filter(({ id, events, campaigns }) => {
        const scheduled = campaigns === 'all' || scheduleId !== null;
        return events.includes(event) && scheduled && (only === null || only.includes(String(id)));
      });
      for (const { id } of chosen) {
        deliveries.insert({ id: randomUUID(), targetId: id, event, campaignId, scheduleId, content, createdAt: now() });
      }
      if (chosen.length > 0) woken();
      return chosen.length;
    },

    /** A message that says nothing but that it arrived. @returns the delivery's id. */
    enqueueTest(target: { id: number; name: string }): string {
      const id = randomUUID();
      const content = { title: 'A test message of Pronghorn', lines: [`${target.name} is told what it chose.`], details: null };
      deliveries.insert({ id, targetId: target.id, event: 'test', campaignId: null, scheduleId: null, content, createdAt: now() });
      woken();
      return id;
    },
  };
}
