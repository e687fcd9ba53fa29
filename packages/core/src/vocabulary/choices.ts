// The choices of requests, and the defaults: plain values, so that command lines and forms can list them without a schema.

/** See `adjustPValues`. */
export const adjustments = ['hommel', 'holm', 'benjamini-hochberg'] as const;
/**
 * How p-values are corrected for the number of comparisons (`adjustPValues`). Hommel's and Holm's corrections limit the chance of any false
 * claim, Hommel's for independent p-values and those that depend positively, Holm's for all. Benjamini–Hochberg's limits the average share
 * of false claims, under the same assumption as Hommel's.
 */
export type Adjustment = (typeof adjustments)[number];
export const adjustmentNames: Readonly<Record<Adjustment, string>> = {
  hommel: 'Hommel',
  holm: 'Holm',
  'benjamini-hochberg': 'Benjamini–Hochberg',
};
export const evidencePolicies = ['always', 'invalid', 'outliers', 'on-demand', 'never'] as const;
export const devices = ['desktop', 'phone', 'tablet'] as const;
export const harHeaders = ['safe', 'none'] as const;
export const missedPolicies = ['run-once', 'skip'] as const;
export const roles = ['viewer', 'submitter', 'runner', 'admin'] as const;
export type Role = (typeof roles)[number];

export const linkBackends = ['direct', 'veth', 'netem', 'guest'] as const;
export type LinkBackend = (typeof linkBackends)[number];
/** auto: the first of the others that can do what is requested, in this order. */
export const linkChoices = ['auto', 'veth', 'netem', 'guest', 'direct'] as const satisfies readonly ('auto' | LinkBackend)[];
export type LinkChoice = (typeof linkChoices)[number];
/** TCP congestion control at both ends of a link: what servers and clients have used for fifteen years, and what nginx's QUIC does. */
export const defaultCongestionControl = 'cubic';

export const defaultLimits = {
  loadTimeoutMs: 60_000,
  quietMs: 500,
  settleMaxMs: 15_000,
  retries: 2,
  foreignCpuShare: 0.2,
  maxRequests: 10_000,
  maxTransferBytes: 500_000_000,
};

export const precisions = ['quick', 'normal', 'precise', 'until-clear'] as const;
/** The number of rounds by a name. */
export type Precision = (typeof precisions)[number];

/** What a campaign stores of it. Until clear, rounds are added where HTTP/3 against HTTP/2 is open; 60 settle most differences of 10 %. */
export const roundsOfPrecision: Readonly<Record<Precision, { rounds?: number; maximumRounds?: number }>> = {
  quick: { rounds: 10 },
  normal: { rounds: 20 },
  precise: { rounds: 40 },
  'until-clear': { maximumRounds: 60 },
};

export const connectionsOfUsers = ['user', 'shared', 'pool', 'each'] as const;

/** A calibration needs at least this many rounds. */
export const minCalibrationRounds = 10;

export const notificationEvents = ['campaign-done', 'gate-failed', 'site-unmeasured', 'regression-found', 'schedule-failed'] as const;
/** The subject of a notification. */
export type NotificationEvent = (typeof notificationEvents)[number];

/** The events that need a person: all but the end of a campaign. */
export const usualEvents: readonly NotificationEvent[] = notificationEvents.filter((event) => event !== 'campaign-done');
