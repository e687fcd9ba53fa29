import type { CampaignRequest, Lease, LeaseHeartbeat, LeaseReclaim, LeaseRequest, LinkCheck, VisitUpload } from '@pronghorn/core';

/**
 * Everything that may happen to campaigns and their rounds. Each call happens wholly or not at all, and does the same when it is
 * sent twice. Refusals are ProblemErrors.
 *
 * A round is queued → leased → done, or cancelled. A lease that nobody extends in time is lost when somebody next asks for
 * work; until then its runner may still come back. A lost or released round is queued again, in its old place; what its attempt
 * uploaded is kept and never counts.
 */
export interface Queue {
  /**
   * Stores a campaign and its rounds.
   * @param createdBy name of the token or schedule; null: this machine's own command.
   * @returns its id.
   */
  submit(request: CampaignRequest, createdBy?: string | null): Promise<string>;

  /** Takes all queued rounds out of the queue; a leased one may finish. A campaign that is done stays so. */
  cancel(campaignId: string): Promise<void>;

  /** Puts back what `cancel` took out. A campaign that is not cancelled stays as it is. */
  resume(campaignId: string): Promise<void>;

  /** Lends the next round. @returns null when none is queued. */
  lease(request: LeaseRequest): Promise<Lease | null>;

  /** Extends a lease by its whole duration from now. */
  heartbeat(leaseId: string): Promise<LeaseHeartbeat>;

  /**
   * Stores a visit with its resources.
   * @returns 'same' when it is stored already, whatever became of its lease: sending again is harmless.
   */
  upload(leaseId: string, visit: VisitUpload): Promise<'new' | 'same'>;

  /** Stores what a round's link was measured to do; as `upload`. Several of one attempt may come: the last one is the round's. */
  uploadLinkCheck(leaseId: string, check: LinkCheck): Promise<'new' | 'same'>;

  /**
   * Finishes a round: of each slot the last valid visit of this attempt counts from now on. Every slot must have been visited. When the
   * first rounds of a site show that it cannot be measured, its other rounds are cancelled.
   */
  complete(leaseId: string): Promise<void>;

  /** Gives a round back. Not a loss: an interrupted runner may do so as often as it likes. */
  release(leaseId: string, reason: string): Promise<void>;

  /** All leases held under a runner's name are lost at once, since who held them is gone. @returns how many. */
  reclaim(request: LeaseReclaim): Promise<number>;
}
