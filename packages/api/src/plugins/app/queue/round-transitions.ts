// How rounds go from one state to the next, with what that means for their leases, sites and campaigns. Each function is a part
// of one of the queue's transactions.

import { invalidReasons, isLasting, kindOf } from '@pronghorn/core/vocabulary';
import { found, ProblemError } from '../../../shared/problems.ts';
import type { Tables } from '../../../store/tables.ts';
import { createQueueLines } from '../../../tables/campaign-log-repository.ts';
import { hasEnded } from '../../../tables/campaigns-repository.ts';
import type { LeaseRow } from '../../../tables/leases-repository.ts';
import type { RoundRow } from '../../../tables/rounds-repository.ts';
import type { InvalidTry } from '../../../tables/visits-repository.ts';
import type { NextRounds } from './next-rounds.ts';

/** A round whose runners die so often is likely what kills them. */
const maxLosses = 5;
/** Of one that runners failed at so often, one of them completing others meanwhile, likely no runner gets through. */
const maxFailures = 10;

type Parts = Pick<Tables, 'timeNow' | 'effects' | 'campaigns' | 'rounds' | 'leases' | 'visits' | 'campaignLog' | 'outbox'>;

export type RoundTransitions = ReturnType<typeof createRoundTransitions>;

export function createRoundTransitions({ timeNow, effects, campaigns, rounds, leases, visits, campaignLog, outbox }: Parts) {
  const log = createQueueLines(campaignLog, campaigns);
  const protocolsOf = (campaignId: number) => found(campaigns.protocolsOf(campaignId), `campaign ${campaignId}`);
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
    log.lost(round, lease.runner, why);
    if (round.losses + 1 >= maxLosses) {
      rounds.cancel(round.id, 'losses', `Given up after ${maxLosses} lost attempts. Last: ${reason}`);
      log.givenUp(round, `${maxLosses} lost attempts`);
    } else putBack(round, reason);
    settle(round.campaignId);
    effects.campaignChanged(round.campaignId);
    return round;
  }

  /**
   * Not a loss. @param why.failed whether the runner failed; a round that fails again and again is given up, unless its runners may be what is
   * broken. @returns the round as it was.
   */
  function giveBack(lease: LeaseRow, { reason, failed }: { reason: string; failed: boolean }): RoundRow {
    const round = roundOf(lease);
    leases.end(lease.id, 'released', reason, Date.parse(timeNow()));
    log.released(round, lease.runner, reason);
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
      log.givenUp(round, `${times} attempts at which runners failed`);
    } else putBack(round, `Attempt ${lease.attempt} was released: ${reason}`);
    settle(round.campaignId);
    effects.campaignChanged(round.campaignId);
    return round;
  }

  /** @param now milliseconds since 1970. */
  const loseExpired = (now: number): RoundRow[] =>
    leases.expiredAt(now).map((lease) => lose(lease, `no sign of life until ${new Date(lease.expiresAt).toISOString()}`));

  /**
   * A campaign is done when no round is left, and none is to be added. One that goes on until it is settled stays undecided here: what it
   * needs takes long to find out; see `createNextRounds`.
   */
  function settle(campaignId: number): void {
    if (rounds.anyOpen(campaignId)) return;
    const { state, maximumRounds } = found(campaigns.extentOf(campaignId), `campaign ${campaignId}`);
    if (!hasEnded(state) && maximumRounds === null) end(campaignId);
  }

  /** With what was decided of a campaign without an open round, if it is still so. @returns whether it is. */
  function goOn(campaignId: number, decided: NextRounds): boolean {
    if (!campaigns.isUndecided(campaignId) || campaigns.stampOf(campaignId) !== decided.stamp) return false;
    rounds.insertAll(campaignId, decided.rounds);
    if (decided.rounds.length > 0) log.added(campaignId, decided.rounds.length);
    else end(campaignId);
    effects.campaignChanged(campaignId);
    return true;
  }

  function end(campaignId: number): void {
    campaigns.setState(campaignId, 'done', timeNow());
    log.done(campaignId);
    effects.due('schedules'); // nobody waits a minute for what became of a campaign
    effects.due('gates');
    effects.due('summaries');
    outbox.campaignDone(campaignId);
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
    if (finished === roundsBeforeGivingUp) log.siteGivenUp(round, reason);
  }

  return { log, protocolsOf, roundOf, activeLease, giveBack, lose, loseExpired, settle, goOn, giveUpHopeless };
}

/** So many finished rounds without a valid visit, and a site is given up. */
const roundsBeforeGivingUp = 3;

/**
 * Why a site is given up, in words, or null when it should be tried on. What the measurement itself failed at before, and then repeated, says nothing of the
 * site; a slot that has nothing else is still to be tried.
 *
 * @param invalid every visit of its finished rounds, in the order of their arrival; none was valid.
 */
export function givenUpReason(invalid: readonly InvalidTry[]): string | null {
  const ofSlots = Map.groupBy(invalid, ({ roundId, slot }) => `${roundId} ${slot}`);
  const telling = [...ofSlots.values()].map((tries) => tries.find(({ reason }) => kindOf(reason) !== 'measurement'));
  const last = telling.at(-1);
  if (last === undefined || !telling.every((one) => one !== undefined && isLasting(one.reason))) return null;
  const counts = Map.groupBy(
    telling.flatMap((one) => one ?? []),
    ({ reason }) => reason,
  );
  const found = [...counts].map(
    ([reason, visits]) => `${reason} (${invalidReasons[reason]}) in ${visits.length} of ${telling.length} visits`,
  );
  return `The site was given up: the first ${roundsBeforeGivingUp} finished rounds have no valid visit, and trying again will not help: ${found.join(', ')}. Last: ${last.detail || 'no detail'}`;
}
