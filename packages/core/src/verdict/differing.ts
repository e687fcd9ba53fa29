// In how many of a campaign's sites, conditions and views the protocols differ at least, whichever these are.

import { closedSimes } from '../math/closed-simes.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { Comparison } from '../schemas/comparison.ts';
import type { Differing } from '../schemas/summary.ts';
import { confidenceWords, counted, grouped, protocolName } from '../text/numbers.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import { alpha } from './group-comparisons.ts';

/** Of fewer each is read by itself. */
const fewest = 10;

/**
 * The bound of closed testing with Simes' test over a campaign's question (`closedSimes`): right in 95 % of campaigns, whatever was chosen to be counted after a
 * look at the data. So those are left out where something speaks against the measurement, and those that are shown to differ by less than the margin.
 *
 * @param comparisons that answer the question, one for each site, condition and view
 * @returns null where fewer than ten are compared, where it says nothing, and where Holm's correction was asked for, since the bound relies on what Holm's does not
 */
export function differing(
  comparisons: readonly Pick<Comparison, 'metric' | 'candidate' | 'baseline' | 'signedRank' | 'verdict'>[],
  { spec, sites }: Pick<Campaign, 'spec' | 'sites'>,
): Differing | null {
  const [first] = comparisons;
  if (first === undefined || comparisons.length < fewest || spec.adjustment === 'holm') return null;
  const family = comparisons.flatMap(({ signedRank, verdict }) => {
    const p = signedRank?.familyP ?? null;
    const counts = verdict.outcome !== 'equivalent' && verdict.doubts.every(({ doubt }) => doubt === 'too-few-rounds');
    return p === null ? [] : [{ p, counts }];
  });
  const places = family.flatMap(({ counts }, place) => (counts ? [place] : []));
  const least = closedSimes(family.map(({ p }) => p)).leastDifferent(places, alpha);
  if (least === 0) return null;
  const [of, confidence] = [comparisons.length, 1 - alpha];
  const [preposition, noun] = kindOf(spec, sites.length);
  const where = `${preposition} at least ${grouped(least)} of ${counted(of, noun)}`;
  const what = `${metricTitle(first.metric)} differs between ${protocolName(first.candidate)} and ${protocolName(first.baseline)}`;
  return { least, of, confidence, words: `${what} ${where}, with ${confidenceWords(confidence)} confidence.` };
}

/** What the comparisons of a campaign are to its reader. */
function kindOf({ conditions, views }: Campaign['spec'], sites: number): [preposition: string, noun: string] {
  if (conditions.length * views.length === 1) return ['on', 'site'];
  return sites * views.length === 1 ? ['under', 'condition'] : ['in', 'case'];
}
