import type {
  CampaignQueue,
  CampaignRequest,
  Lease,
  LeaseHeartbeat,
  LeaseReclaim,
  LeaseRelease,
  LeaseRequest,
  LinkCheck,
  QueueDepth,
  SiteDiscovery,
  VisitUpload,
} from '@pronghorn/core/schemas';
import type { Creator } from '../campaigns/campaigns-repository.ts';
import type { Needs } from './queue-entries-repository.ts';

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
   * @param createdBy the token or schedule; null: this machine's own command.
   * @param along what is stored with it, wholly or not at all: when it throws, there is no campaign.
   * @returns its id.
   */
  submit(request: CampaignRequest, createdBy?: Creator | null, along?: (campaignId: number) => void): Promise<string>;

  /**
   * Takes all queued rounds out of the queue; a leased one may finish. A campaign that is done stays so.
   * @param along what is stored with it, wholly or not at all.
   */
  cancel(campaignId: string, by?: string | null, along?: (campaignId: number) => void): Promise<void>;

  /**
   * Puts back what `cancel` took out. A campaign that is not cancelled stays as it is.
   * @param along what is changed with it, wholly or not at all.
   */
  resume(campaignId: string, by?: string | null, along?: (campaignId: number) => void): Promise<void>;

  /**
   * Lends the next round that the runner can perform; see choose-round.ts for which one that is. What a registered runner still had goes
   * back, so that an answer that got lost on its way does no harm.
   * @param tokenId of who asks; null: access is open.
   * @param isGone whether who asked waits no longer: asked before a round is lent that others had to be decided for.
   * @returns null when there is none.
   */
  lease(request: LeaseRequest, tokenId?: number | null, isGone?: () => boolean): Promise<Lease | null>;

  /** How long a runner that got nothing should wait before it asks again, whole seconds. */
  readonly idleSeconds: number;

  /** Extends a lease by its whole duration from now. */
  heartbeat(leaseId: string): Promise<LeaseHeartbeat>;

  /**
   * Stores a visit with its resources.
   * @returns 'same' when it is stored already, whatever became of its lease: sending again is harmless.
   */
  upload(leaseId: string, visit: VisitUpload): Promise<'new' | 'same'>;

  /**
   * Stores what was found of a site of the lease's campaign; as `upload`. The lease may be over: what was found is of the campaign, and rounds that
   * the same runner leases later refer to it.
   */
  uploadDiscovery(leaseId: string, discovery: SiteDiscovery): Promise<'new' | 'same'>;

  /** Stores what a round's link was measured to do; as `upload`. Several of one attempt may come: the last one is the round's. */
  uploadLinkCheck(leaseId: string, check: LinkCheck): Promise<'new' | 'same'>;

  /**
   * Finishes a round: of each slot the last valid visit of this attempt counts from now on. Every slot must have been visited. When the
   * first rounds of a site show that it cannot be measured, its other rounds are cancelled.
   */
  complete(leaseId: string): Promise<void>;

  /**
   * Gives a round back. Not a loss: an interrupted runner may do so as often as it likes. A round that runners failed at goes behind the
   * others of its campaign, and after ten failures is given up if one of these runners completes other rounds.
   */
  release(leaseId: string, why: LeaseRelease): Promise<void>;

  /**
   * All leases held under a runner's name are lost at once, since who held them is gone.
   * @param tokenId only if they were asked for with this token; undefined: whosever they are.
   * @returns how many.
   * @throws ProblemError forbidden when they are another token's.
   */
  reclaim(request: LeaseReclaim, tokenId?: number): Promise<number>;

  /**
   * Decides of each campaign that goes on until it is settled, and has no round left, whether it is done or gets more. Whoever finishes the
   * last round does so by itself; this is for what a process left that died.
   */
  decide(): Promise<void>;

  /** All leases of a registered runner are lost at once. @param why ends a sentence. */
  loseLeasesOf(runnerId: number, why: string): Promise<void>;

  /** Where a campaign stands. */
  place(campaignId: string): Promise<CampaignQueue>;

  /** Where a campaign would stand that asks for this, if it were made now. @param rank of its priority. */
  foresee(needs: Needs, rank: number, rounds: number): Promise<CampaignQueue>;

  /** @throws ProblemError queue-full where so many rounds more are too many. */
  assertRoom(rounds: number): void;

  /** How full the queue is, by priority and location; what is empty is left out. */
  depths(): Promise<QueueDepth[]>;

  /** How many attempts were ever lost. */
  countLost(): Promise<number>;
}
