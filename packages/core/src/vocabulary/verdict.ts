// The outcomes of comparisons and gates.

export const verdictOutcomes = ['h3-faster', 'h2-faster', 'h1-faster', 'equivalent', 'not-shown-yet', 'inconclusive'] as const;
export type VerdictOutcome = (typeof verdictOutcomes)[number];

/** The short word for each; the sentence is the comparison's. */
export const outcomeNames: Readonly<Record<VerdictOutcome, string>> = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  'h1-faster': 'HTTP/1.1 faster',
  equivalent: 'equivalent',
  'not-shown-yet': 'likely, not proven',
  inconclusive: 'inconclusive',
};

/** Doubts about naming a winner. */
export const doubts = [
  'unfinished',
  'not-loaded',
  'too-few-rounds',
  'fails-more',
  'slow-loads',
  'two-modes',
  'link',
  'invalid-visits',
  'metric-missing',
  'receive-drops',
  'parity',
  'little-h3',
  'saturated',
  'refused',
] as const;
export type Doubt = (typeof doubts)[number];

export const effectCategories = ['negligible', 'small', 'medium', 'large'] as const;
export type EffectCategory = (typeof effectCategories)[number];

/** Beyond it, on either side, Trevisan et al. count a site as faster or slower over HTTP/3. */
export const siteClassLimit = 0.1;
export const siteClasses = ['below', 'within', 'above'] as const;
/** Where the H3-Delta of a site lies: below −0.1 (HTTP/3 is faster by more than that), from −0.1 to 0.1, or above 0.1. */
export type SiteClass = (typeof siteClasses)[number];

/** inconclusive: the statistics leave it open; unmeasured: the page could not be measured because of itself. */
export const gateOutcomes = ['pass', 'fail', 'inconclusive', 'unmeasured'] as const;
export type GateOutcome = (typeof gateOutcomes)[number];

/**
 * The quantiles at which loads are compared: quartiles from 20 rounds, deciles from 50. With fewer rounds the band holds less than it says
 * (bench/statistics/quantile-shifts.ts).
 */
export function quantilesFor(rounds: number): readonly number[] {
  if (rounds < 20) return [];
  return rounds < 50 ? [0.25, 0.5, 0.75] : [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
}
