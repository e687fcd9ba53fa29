// A campaign's progress, and when it will be done, in words.
import type { Campaign, CampaignQueue, CampaignState, VerdictCount } from '@pronghorn/core/schemas';
import { many, number } from './format.ts';
import { span } from './times.ts';

type Progressing = Pick<Campaign, 'state' | 'progress'> & {
  sites: readonly unknown[];
  spec: Pick<Campaign['spec'], 'conditions' | 'views' | 'maximumRounds'>;
};

/** Done or cancelled: nothing more comes by itself. */
export const isOver = (state: CampaignState): boolean => state === 'done' || state === 'cancelled';

/** The state as the dashboard shows it: a campaign whose pages could not be loaded at all failed. */
export type ShownState = CampaignState | 'failed';

/** @param verdicts as a list of campaigns has them; null: unknown */
export const shownState = (state: CampaignState, verdicts: readonly Pick<VerdictCount, 'notLoaded'>[] | null): ShownState =>
  state === 'done' && verdicts !== null && verdicts.length > 0 && verdicts.every(({ notLoaded }) => notLoaded !== null) ? 'failed' : state;

/** Rounds that a campaign may come to, in all: of one that adds rounds until it is settled the most that it may. Never 0. */
export function roundsInAll(campaign: Progressing): number {
  const most = isOver(campaign.state) ? 0 : (maxRounds(campaign) ?? 0);
  return Math.max(1, campaign.progress.rounds, most);
}

/** Such as: 3 of 20 rounds; 12 of at most 60 rounds, until settled. */
export function progressWords(campaign: Progressing): string {
  const { rounds, roundsDone } = campaign.progress;
  const most = maxRounds(campaign);
  if (most === null) return `${number(roundsDone, 'count')} of ${many(rounds, 'round')}`;
  const words = `${number(roundsDone, 'count')} of at most ${many(most, 'round')}`;
  return isOver(campaign.state) ? words : `${words}, until settled`;
}

/** For all of its sites, conditions and views; null for a campaign with a fixed number of rounds. */
function maxRounds({ sites, spec: { conditions, views, maximumRounds } }: Progressing): number | null {
  return maximumRounds === null ? null : sites.length * conditions.length * views.length * maximumRounds;
}

export type QueueWords = {
  /** When it will be done; null: unknown. */
  eta: string | null;
  /** What it waits for, or why nothing happens; null: it does not wait. */
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
