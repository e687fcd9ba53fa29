// What the queue tells in a campaign's log, in words; each call is a part of one of its transactions.
import type { LinkCheck } from '@pronghorn/core/schemas';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import type { RoundRow } from '../rounds/rounds-repository.ts';
import type { CampaignLogRepository } from './campaign-log-repository.ts';

type RoundPlace = Pick<RoundRow, 'campaignId' | 'siteId' | 'condition' | 'view' | 'number'>;

export function createQueueLines(log: CampaignLogRepository, campaigns: Pick<CampaignsRepository, 'siteNameOf'>) {
  const nameOf = ({ campaignId, siteId }: Pick<RoundPlace, 'campaignId' | 'siteId'>) =>
    campaigns.siteNameOf(campaignId, siteId) ?? `site ${siteId}`;
  const words = (round: RoundPlace) =>
    `round ${round.number} of ${nameOf(round)} under ${round.condition}${round.view === 'cold' ? '' : `, ${round.view}`}`;

  return {
    made: (campaignId: number, rounds: number, by: string | null) =>
      log.add(campaignId, 'campaign-made', `${counted(rounds)} queued${by === null ? '' : ` by ${by}`}.`),
    cancelled: (campaignId: number, by: string | null) =>
      log.add(campaignId, 'campaign-cancelled', `The campaign was cancelled${by === null ? '' : ` by ${by}`}.`),
    resumed: (campaignId: number, by: string | null) =>
      log.add(campaignId, 'campaign-resumed', `The campaign was resumed${by === null ? '' : ` by ${by}`}.`),
    done: (campaignId: number) => log.add(campaignId, 'campaign-done', 'The campaign is done.'),
    added: (campaignId: number, rounds: number) =>
      log.add(campaignId, 'rounds-added', `Not settled yet: ${counted(rounds)} added until the next look.`),

    leased: (round: RoundRow, runner: string) =>
      log.add(
        round.campaignId,
        'round-leased',
        `Runner ${runner} took ${words(round)}${round.attempt > 1 ? `, attempt ${round.attempt}` : ''}.`,
      ),
    released: (round: RoundRow, runner: string, reason: string) =>
      log.add(round.campaignId, 'round-released', `Runner ${runner} gave back ${words(round)}: ${reason}`),
    /** @param why ends a sentence. */
    lost: (round: RoundRow, runner: string, why: string) =>
      log.add(round.campaignId, 'lease-lost', `Runner ${runner} lost ${words(round)}: ${why}.`, 'warn'),
    /** @param after what, such as `5 lost attempts`. */
    givenUp: (round: RoundRow, after: string) =>
      log.add(round.campaignId, 'round-given-up', `${capital(words(round))} was given up after ${after}.`, 'warn'),
    siteGivenUp: (round: RoundRow, reason: string) => log.add(round.campaignId, 'site-given-up', `${nameOf(round)}: ${reason}`, 'warn'),
    /** Only of a check that found something. */
    checked(round: RoundRow, runner: string, { condition, faults }: LinkCheck): void {
      if (faults.length === 0) return;
      log.add(round.campaignId, 'link-check-faulty', `The link of runner ${runner} under ${condition}: ${faults.join('; ')}.`, 'warn');
    },
  };
}

const counted = (rounds: number) => `${rounds} round${rounds === 1 ? ' was' : 's were'}`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
