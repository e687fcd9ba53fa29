// How rounds go from one state to the next, with what that means for their leases, sites and campaigns. Each function is a part
// of one of the queue's transactions.
import { found, ProblemError } from '../../../problems.ts';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import type { LeaseRow, LeasesRepository } from '../leases/leases-repository.ts';
import type { RoundRow, RoundsRepository } from '../rounds/rounds-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import { givenUpReason, roundsBeforeGivingUp } from './given-up.ts';

/** A round whose runners die so often is likely what kills them. */
const maxLosses = 5;

type Parts = { campaigns: CampaignsRepository; rounds: RoundsRepository; leases: LeasesRepository; visits: VisitsRepository };

export function createRoundTransitions({ campaigns, rounds, leases, visits }: Parts) {
  /** @throws ProblemError not-found. */
  const campaignOf = (campaignId: number) => found(campaigns.findSpec(campaignId), `campaign ${campaignId}`);
  const roundOf = (lease: LeaseRow): RoundRow => found(rounds.find(lease.roundId), `round ${lease.roundId}`);

  /** @throws ProblemError not-found, lease-lost or lease-ended. */
  function activeLease(id: string): LeaseRow {
    const lease = found(leases.find(id), `lease ${id}`);
    const round = `round ${lease.roundId}, attempt ${lease.attempt}`;
    if (lease.state === 'lost') {
      throw new ProblemError(
        'lease-lost',
        `The lease of ${round}, is lost: ${lease.reason}. Visits of this attempt do not count; lease another round.`,
      );
    }
    if (lease.state !== 'active') {
      throw new ProblemError('lease-ended', `The lease of ${round}, was ${lease.state} before. Lease another round.`);
    }
    return lease;
  }

  /** Back to the queue, unless its campaign was cancelled meanwhile. */
  function putBack(round: RoundRow, reason: string): void {
    if (campaignOf(round.campaignId).state === 'cancelled') rounds.cancel(round.id, 'user', reason);
    else rounds.requeue(round.id, reason);
  }

  /** Counts the loss, and puts the round back unless it was lost too often. @param why ends a sentence. @returns the round as it was. */
  function lose(lease: LeaseRow, why: string): RoundRow {
    const round = roundOf(lease);
    const reason = `Attempt ${lease.attempt} by runner "${lease.runner}" was lost: ${why}`;
    leases.end(lease.id, 'lost', why);
    rounds.countLoss(round.id);
    if (round.losses + 1 >= maxLosses) rounds.cancel(round.id, 'losses', `Given up after ${maxLosses} lost attempts. Last: ${reason}`);
    else putBack(round, reason);
    settle(round.campaignId);
    return round;
  }

  /** @param now milliseconds since 1970. */
  const loseExpired = (now: number): RoundRow[] =>
    leases.expiredAt(now).map((lease) => lose(lease, `no sign of life until ${new Date(lease.expiresAt).toISOString()}`));

  /** A campaign is done when no round is left. */
  function settle(campaignId: number): void {
    if (campaignOf(campaignId).state !== 'cancelled' && !rounds.anyOpen(campaignId)) campaigns.setState(campaignId, 'done');
  }

  /** Cancels what is left of a site whose first finished rounds show that it cannot be measured. */
  function giveUpHopeless({ campaignId, siteId }: RoundRow): void {
    if (visits.hasValid(campaignId, siteId) || rounds.countFinished(campaignId, siteId) < roundsBeforeGivingUp) return;
    const reason = givenUpReason(visits.invalidOf(campaignId, siteId));
    if (reason) rounds.cancelQueued(campaignId, 'site-given-up', reason, siteId);
  }

  return { campaignOf, roundOf, activeLease, putBack, lose, loseExpired, settle, giveUpHopeless };
}
