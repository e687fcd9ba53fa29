// How rounds go from one state to the next, with what that means for their leases, sites and campaigns. Each function is a part
// of one of the queue's transactions.
import { campaignResults, isSettled, looksOf } from '@pronghorn/core';
import { found, ProblemError } from '../../../problems.ts';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import { planRounds } from '../campaigns/plan-rounds.ts';
import type { LeaseRow, LeasesRepository } from '../leases/leases-repository.ts';
import type { LinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import type { PlannedRound, RoundRow, RoundsRepository } from '../rounds/rounds-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import { givenUpReason, roundsBeforeGivingUp } from './given-up.ts';

/** A round whose runners die so often is likely what kills them. */
const maxLosses = 5;

type Parts = {
  campaigns: CampaignsRepository;
  rounds: RoundsRepository;
  leases: LeasesRepository;
  visits: VisitsRepository;
  linkChecks: LinkChecksRepository;
};

/** @param timeNow ISO 8601. */
export function createRoundTransitions({ campaigns, rounds, leases, visits, linkChecks }: Parts, timeNow: () => string) {
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

  /** A campaign is done when no round is left, and none is to be added. */
  function settle(campaignId: number): void {
    const campaign = campaignOf(campaignId);
    if (campaign.state === 'cancelled' || rounds.anyOpen(campaignId)) return;
    const added = campaign.state === 'done' ? [] : roundsToAdd(campaignId, campaign);
    rounds.insertAll(campaignId, added);
    if (added.length === 0 && campaign.state !== 'done') campaigns.setState(campaignId, 'done', timeNow());
  }

  /** Of a campaign that goes on until it is settled: up to the next look, for each group that is not. */
  function roundsToAdd(campaignId: number, { spec, sites }: ReturnType<typeof campaignOf>): PlannedRound[] {
    const looks = looksOf(spec, sites.length);
    if (looks === null) return [];
    const { groups } = campaignResults(
      { id: String(campaignId), spec, sites },
      visits.ofResults(campaignId),
      linkChecks.ofResults(campaignId),
    );
    const planned = rounds.lastPlanned(campaignId);
    const open = groups.flatMap(({ siteId, condition, view, ...group }) => {
      const known = planned.find((one) => String(one.siteId) === siteId && one.condition === condition && one.view === view);
      const next = known && looks.find((look) => look.rounds > known.last);
      if (known === undefined || next === undefined || known.givenUp === 1 || isSettled(group)) return [];
      return [{ group: { siteId: known.siteId, condition, view }, first: known.last + 1, last: next.rounds }];
    });
    return [...Map.groupBy(open, ({ first }) => first).values()].flatMap((batch) => {
      const { first = 1, last = 0 } = batch[0] ?? {};
      const batchGroups = batch.map(({ group }) => group);
      return planRounds(spec, batchGroups, { first, last });
    });
  }

  /** Cancels what is left of a site whose first finished rounds show that it cannot be measured. */
  function giveUpHopeless({ campaignId, siteId }: RoundRow): void {
    if (visits.hasValid(campaignId, siteId) || rounds.countFinished(campaignId, siteId) < roundsBeforeGivingUp) return;
    const reason = givenUpReason(visits.invalidOf(campaignId, siteId));
    if (reason) rounds.cancelQueued(campaignId, 'site-given-up', reason, siteId);
  }

  return { campaignOf, roundOf, activeLease, putBack, lose, loseExpired, settle, giveUpHopeless };
}
