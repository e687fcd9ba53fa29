// How far a campaign is, in words.
import type { Campaign, CampaignState } from '@pronghorn/core/schemas';
import { many, number } from '../../text/format.ts';

type Asked = Pick<Campaign, 'state' | 'progress'> & {
  sites: readonly unknown[];
  spec: Pick<Campaign['spec'], 'conditions' | 'views' | 'maximumRounds'>;
};

/** Done or cancelled: nothing more comes by itself. */
export const isOver = (state: CampaignState): boolean => state === 'done' || state === 'cancelled';

/** Rounds that a campaign may come to, in all: of one that adds rounds until it is settled the most that it may. Never 0. */
export function roundsInAll(campaign: Asked): number {
  const most = isOver(campaign.state) ? 0 : (mostRounds(campaign) ?? 0);
  return Math.max(1, campaign.progress.rounds, most);
}

/** Such as: 3 of 20 rounds; 12 of at most 60 rounds, until settled. */
export function progressWords(campaign: Asked): string {
  const { rounds, roundsDone } = campaign.progress;
  const most = mostRounds(campaign);
  if (most === null) return `${number(roundsDone, 'count')} of ${many(rounds, 'round')}`;
  const words = `${number(roundsDone, 'count')} of at most ${many(most, 'round')}`;
  return isOver(campaign.state) ? words : `${words}, until settled`;
}

/** For all of its sites, conditions and views; null for a campaign with a fixed number of rounds. */
function mostRounds({ sites, spec: { conditions, views, maximumRounds } }: Asked): number | null {
  return maximumRounds === null ? null : sites.length * conditions.length * views.length * maximumRounds;
}
