// What is told by webhook, written down in the transaction of what it tells of: both are there afterwards, or neither.
import { randomUUID } from 'node:crypto';
import type { NotificationEvent } from '@pronghorn/core/schemas';
import type { Tables } from '../../../store/tables.ts';
import { type UnmeasuredSite, unmeasuredSites } from '../visits/unmeasured-sites.ts';
import { addressOf, unmeasuredContent } from './messages.ts';
import type { MessageContent } from './notifications.ts';

type Notification = {
  event: NotificationEvent;
  /** Rows. */
  campaignId?: number | null;
  scheduleId?: number | null;
  /** Ids of the only targets that are told; null: all that chose the event. */
  only?: readonly string[] | null;
  /** Null: is made of the campaign's results before the first try, so that no transaction waits for them. */
  content: MessageContent | null;
};

type Parts = Pick<
  Tables,
  'now' | 'settings' | 'effects' | 'alerting' | 'campaigns' | 'schedules' | 'visits' | 'rounds' | 'targets' | 'deliveries'
>;

/** Its functions are parts of a transaction. */
export function createOutbox({ now, settings, effects, alerting, campaigns, schedules, visits, rounds, targets, deliveries }: Parts) {
  /** Writes a delivery for each target that chose the event. @returns how many. */
  function enqueue({ event, campaignId = null, scheduleId = null, only = null, content }: Notification): number {
    const chosen = targets.enabled().filter(({ id, events, campaigns }) => {
      const scheduled = campaigns === 'all' || scheduleId !== null;
      return events.includes(event) && scheduled && (only === null || only.includes(String(id)));
    });
    for (const { id } of chosen) {
      deliveries.insert({ id: randomUUID(), targetId: id, event, campaignId, scheduleId, content, createdAt: now() });
    }
    if (chosen.length > 0) effects.due('notifications');
    return chosen.length;
  }

  return {
    enqueue,

    /** A message that says nothing but that it arrived. @returns the delivery's id. */
    enqueueTest(target: { id: number; name: string }): string {
      const id = randomUUID();
      const content = { title: 'A test message of Pronghorn', lines: [`${target.name} is told what it chose.`], details: null };
      deliveries.insert({ id, targetId: target.id, event: 'test', campaignId: null, scheduleId: null, content, createdAt: now() });
      effects.due('notifications');
      return id;
    },

    /** A campaign became done, and sites of it may not have been measured. */
    campaignDone(campaignId: number): void {
      const schedule = schedules.ofCampaign(campaignId);
      const about = { campaignId, scheduleId: schedule?.id ?? null, only: schedule?.spec.notifications ?? null };
      enqueue({ event: 'campaign-done', ...about, content: null });
      const campaign = campaigns.find(String(campaignId));
      const unmeasured = campaign === undefined ? [] : unmeasuredSites(campaign, { visits, rounds });
      if (campaign === undefined) return;
      alerting.campaignDone(campaign, unmeasured);
      if (unmeasured.length === 0) return;
      const lastValid = ({ site, protocols }: UnmeasuredSite) => {
        const isAll = protocols.length === new Set(campaign.spec.protocols).size;
        return visits.lastValid(campaignId, Number(site.id), isAll ? null : (protocols[0] ?? null));
      };
      const content = unmeasuredContent(unmeasured, { campaign, lastValid });
      effects.log('warn', { event: 'site-unmeasured', campaign: campaign.id }, content.title);
      enqueue({ event: 'site-unmeasured', ...about, content });
    },

    /** Where a path of this service is found from outside; the path alone where the service was not given its own address. */
    addressOf: (path: string): string => addressOf(settings.publicUrl, path),
  };
}
