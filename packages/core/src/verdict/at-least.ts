import { shortestAutoTimeoutMs } from '../network/load-timeout.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';

/**
 * What a load that failed would have taken at least, where its own limit is not known: it was waited for so long, or was over before. Limits by
 * condition and size are no shorter.
 */
export const atLeastMsOf = ({ limits: { loadTimeoutMs } }: Pick<CampaignSpec, 'limits'>): number =>
  loadTimeoutMs === 'auto' ? shortestAutoTimeoutMs : loadTimeoutMs;

/** Of the limits that loads had which failed; null: not known of any. */
export const shorterLimit = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** What a load that failed would have taken where what others took may be more: a load that failed is above whatever was measured. @param values +∞ for a load that failed. */
export const atLeastAll = (atLeastMs: number, values: readonly number[]): number =>
  values.reduce((most, value) => (value === Number.POSITIVE_INFINITY ? most : Math.max(most, value)), atLeastMs);
