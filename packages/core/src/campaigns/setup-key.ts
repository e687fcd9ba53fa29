import type { Campaign } from '../schemas/campaign.ts';

type Setup = Pick<Campaign, 'location'> & {
  spec: Pick<Campaign['spec'], 'engine' | 'discovery' | 'isolation' | 'browser' | 'visitor' | 'sites' | 'limits'>;
};

/**
 * In what way and from where a campaign's visits are performed. Of two campaigns with equal keys, what differs is the page; of others neither
 * the times nor how they spread are the same.
 */
export const setupKey = ({ spec: { engine, discovery, isolation, browser, visitor, sites, limits }, location }: Setup): string =>
  JSON.stringify([
    engine,
    discovery,
    isolation,
    browser,
    location,
    visitor ?? {},
    sites.flatMap((site) => site.visitor ?? []),
    endWords(limits),
  ]);

/** When a visit of such limits ends: what a page does later is in none of its numbers. */
export const endWords = ({ quietMs, settleMaxMs }: Pick<Campaign['spec']['limits'], 'quietMs' | 'settleMaxMs'>): string =>
  `quiet for ${quietMs} ms, at most ${settleMaxMs / 1000} s after load`;
