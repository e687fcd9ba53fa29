import type { Database } from '../../../storage/database.ts';

/** @returns draws the next number of a campaign's events, visits and log lines alike: part of the transaction that stores one. */
export function createEventIds(database: Database): (campaignId: number) => number {
  const draw = database
    .prepare<[number], number>('UPDATE campaign_progress SET eventId = eventId + 1 WHERE campaignId = ? RETURNING eventId')
    .pluck();
  return (campaignId) => draw.get(campaignId) ?? 0;
}
