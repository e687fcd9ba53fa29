// How rounds go from one state to the next, with what that means for their leases, sites and campaigns. Each function is a part
// of one of the queue's transactions.
import { found, ProblemError } from '../../../problems.ts';
import type { Database } from '../../../storage/database.ts';
import type { CampaignLogRepository } from '../campaign-log/campaign-log-repository.ts';
import { createQueueLines } from '../campaign-log/queue-lines.ts';
import { type CampaignsRepository, hasEnded } from '../campaigns/campaigns-repository.ts';
import type { LeaseRow, LeasesRepository } from '../leases/leases-repository.ts';
import { createResultStamps } from '../results/results-version.ts';
import type { RoundRow, RoundsRepository } from '../rounds/rounds-repository.ts';
import type { VisitsRepository } from '../visits/visits-repository.ts';
import { givenUpReason, roundsBeforeGivingUp } from './given-up.ts';
import type { RoundsToAdd } from './rounds-to-add.ts';

/** A round whose runners die so often is likely what kills them. */
const maxLosses = 5;
/** Of one that runners failed at so often, one of them completing others meanwhile, likely no runner gets through. */
const maxFailures = 10;

type Parts = {
  database: Database;
  campaigns: CampaignsRepository;
  rounds: RoundsRepository;
  leases: LeasesRepository;
  visits: VisitsRepository;
  campaignLog: CampaignLogRepository;
  notifications: { campaignDone(campaignId: number): void };
};

export type RoundTransitions = ReturnType<typeof createRoundTransitions>;

/** @param timeNow ISO 8601. */
export function createRoundTransitions(
  { database, campaigns, rounds, leases, visits, campaignLog, notifications }: Parts,
  timeNow: () => string,
) {
  const tell = createQueueLines(campaignLog, campaigns);
  const protocolsOf = (campaignId: number) => found(campaigns.protocolsOf(campaignId), `campaign ${campaignId}`);
  const stampOf = createResultStamps(database);
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
    if (campaigns.stateOf(round.campaignId) === 'cancelled') rounds.cancel(round.id, 'user', reason);
    else rounds.requeue(round.id, reason);
  }

  /** Counts the loss, and puts the round back unless it was lost too often. @param why ends a sentence. @returns the round as it was. */
  function lose(lease: LeaseRow, why: string): RoundRow {
    const round = roundOf(lease);
    const reason = `Attempt ${lease.attempt} by runner "${lease.runner}" was lost: ${why}`;
    leases.end(lease.id, 'lost', why, Date.parse(timeNow()));
    rounds.countLoss(round.id);
    tell.lost(round, lease.runner, why);
    if (round.losses + 1 >= maxLosses) {
      rounds.cancel(round.id, 'losses', `Given up after ${maxLosses} lost attempts. Last: ${reason}`);
      tell.givenUp(round, `${maxLosses} lost attempts`);
    } else putBack(round, reason);
    settle(round.campaignId);
    return round;
  }

  /**
   * Not a loss. @param why.failed whether the runner failed; a round that fails again and again is given up, unless its runners may be what is
   * broken. @returns the round as it was.
   */
  function giveBack(lease: LeaseRow, { reason, failed }: { reason: string; failed: boolean }): RoundRow {
    const round = roundOf(lease);
    leases.end(lease.id, 'released', reason, Date.parse(timeNow()));
    tell.released(round, lease.runner, reason);
    if (failed) {
      leases.noteFailure(lease.id);
      rounds.countFailure(round.id);
    }
    if (failed && round.failures + 1 >= maxFailures && leases.failedBySomeoneFit(round.id)) {
      const times = round.failures + 1;
      rounds.cancel(
        round.id,
        'losses',
        `Given up after ${times} attempts at which runners failed. Last, by runner "${lease.runner}": ${reason}`,
      );
      tell.givenUp(round, `${times} attempts at which runners failed`);
    } else putBack(round, `Attempt ${lease.attempt} was released: ${reason}`);
    settle(round.campaignId);
    return round;
  }

  /** @param now milliseconds since 1970. */
  const loseExpired = (now: number): RoundRow[] =>
    leases.expiredAt(now).map((lease) => lose(lease, `no sign of life until ${new Date(lease.expiresAt).toISOString()}`));

  /**
   * A campaign is done when no round is left, and none is to be added. One that goes on until it is settled stays undecided here: what it
   * needs takes long to find out; see settling.ts.
   */
  function settle(campaignId: number): void {
    if (rounds.anyOpen(campaignId)) return;
    const { state, maximumRounds } = found(campaigns.extentOf(campaignId), `campaign ${campaignId}`);
    if (!hasEnded(state) && maximumRounds === null) end(campaignId);
  }

  /** With what was decided of a campaign without an open round, if it is still so. @returns whether it is. */
  function goOn(campaignId: number, decided: RoundsToAdd): boolean {
    if (!campaigns.isUndecided(campaignId) || stampOf(campaignId) !== decided.stamp) return false;
    rounds.insertAll(campaignId, decided.rounds);
    if (decided.rounds.length > 0) tell.added(campaignId, decided.rounds.length);
    else end(campaignId);
    return true;
  }

  function end(campaignId: number): void {
    campaigns.setState(campaignId, 'done', timeNow());
    tell.done(campaignId);
    notifications.campaignDone(campaignId);
  }

  /** Cancels what is left of a site whose first finished rounds show that it cannot be measured. */
  function giveUpHopeless(round: RoundRow): void {
    const { campaignId, siteId } = round;
    if (visits.hasValid(campaignId, siteId)) return;
    const finished = rounds.countFinished(campaignId, siteId);
    if (finished < roundsBeforeGivingUp) return;
    const reason = givenUpReason(visits.invalidOf(campaignId, siteId));
    if (!reason) return;
    rounds.cancelQueued(campaignId, 'site-given-up', reason, siteId);
    // Rounds that others were performing by then come after it, and say the same.
    if (finished === roundsBeforeGivingUp) tell.siteGivenUp(round, reason);
  }

  return { protocolsOf, roundOf, activeLease, giveBack, lose, loseExpired, settle, goOn, giveUpHopeless };
}
