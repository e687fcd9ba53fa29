// What an operator can choose of who may do what.
import type { OidcRule, Role } from '@pronghorn/core/schemas';

/**
 * open: whoever reaches the service is admin, as on the loopback of a laptop; with a token of the process's own, whoever sends that, so that
 * other users of the machine ask for nothing. tokens: every request says who it is.
 */
export type AccessOptions = { kind: 'open'; ownToken?: string } | ({ kind: 'tokens' } & TokenAccess);

export type TokenAccess = {
  /** Whether everybody may read without a token; default false. */
  publicReading?: boolean;
  /** Networks in CIDR notation that campaigns and webhooks may name although they are not public; default none. */
  allowNet?: readonly string[];
  /** Addresses and networks of proxies, whose X-Forwarded-For and X-Forwarded-Proto are believed; default none. */
  trustedProxies?: readonly string[];
  rateLimits?: Partial<RateLimits>;
  limits?: Partial<Record<LimitedRole, Partial<CampaignLimits>>>;
  /** Which jobs of forges count as which token; the first that fits a job decides. Default none. */
  oidc?: readonly OidcRule[];
  /** For how many days at most a public link may open a result; default null: none can be made, and none opens one. */
  publicLinkDays?: number | null;
  /** How long a browser stays signed in, milliseconds; default 7 days. */
  sessionMs?: number;
  /**
   * Gets the first admin's token, once the service listens, when the database has no token yet: show it once, it can't be read again.
   * Without this, none is made.
   */
  onFirstToken?: (token: string) => void;
  /** Addresses of a name; default: the machine's resolver. */
  lookUp?: (name: string) => Promise<readonly { address: string }[]>;
};

/** Requests a minute, of each token; of what has none, of each address (IPv6: of each /64). */
export type RateLimits = Record<Role | 'withoutToken', number> & {
  /** Wrong tokens a minute from one address that are answered at all. */
  failedSignIns: number;
};

export const defaultRateLimits: RateLimits = {
  withoutToken: 1_200,
  viewer: 1_200,
  submitter: 1_200,
  // One token may serve a whole fleet: 64 runners that upload 200 visits a second with evidence and heartbeats send about 600 requests.
  runner: 120_000,
  admin: 6_000,
  failedSignIns: 10,
};

/** Who makes campaigns. */
export type LimitedRole = Extract<Role, 'submitter' | 'admin'>;

/** What one campaign may ask for, and how many may wait. */
export type CampaignLimits = {
  maxSites: number;
  /** In all: sites × conditions × views × rounds. */
  maxRounds: number;
  /** Time that one runner would take, as `expectedHours` estimates it. */
  maxHours: number;
  /** Campaigns of one token that are not done, those of schedules that it started by hand among them. */
  maxUnfinished: number;
  /** Schedules of one token. */
  maxSchedules: number;
};

export const defaultCampaignLimits: Record<LimitedRole, CampaignLimits> = {
  submitter: { maxSites: 100, maxRounds: 10_000, maxHours: 72, maxUnfinished: 20, maxSchedules: 50 },
  admin: { maxSites: 1_000, maxRounds: 100_000, maxHours: 1_000, maxUnfinished: 1_000, maxSchedules: 1_000 },
};
