// When a campaign will be done, or what it waits for, in words.
import type { CampaignQueue } from '@pronghorn/core/schemas';
import { many } from '../../text/format.ts';
import { span } from '../../text/times.ts';

export type QueueWords = {
  /** When it will be done; null: nobody knows. */
  eta: string | null;
  /** What it waits for, or why nothing happens; null: nothing to say. */
  waits: string | null;
};

/** @param now milliseconds since 1970, as the service's clock is. */
export function queueWords({ eta, why, position, roundsAhead, roundMs, runnersAble }: CampaignQueue, now: number): QueueWords {
  const ahead =
    position > 0
      ? `${many(position, 'round')} of other campaigns ${position === 1 ? 'goes' : 'go'} before its next one.`
      : roundsAhead > 0
        ? `${many(roundsAhead, 'round')} of other campaigns ${roundsAhead === 1 ? 'is' : 'are'} performed in between.`
        : null;
  if (eta === null) return { eta: null, waits: [why, ahead].filter((words) => words !== null).join(' ') || null };
  const leftMs = Math.max(0, Date.parse(eta) - now);
  const pace =
    roundMs === null || roundMs < 1000 ? '' : `, at ${span(roundMs)} a round${runnersAble > 1 ? ` on ${many(runnersAble, 'runner')}` : ''}`;
  return { eta: `${leftMs < 5000 ? 'Done in a moment' : `Done in about ${span(leftMs)}`}${pace}.`, waits: ahead };
}
