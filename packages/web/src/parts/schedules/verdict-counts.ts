// How many sites, conditions and views have which verdict, of a summary.
import type { CampaignSummary, VerdictCount } from '@pronghorn/core';
import { outcomeNames } from '../../text/vocabulary.ts';

const order = Object.keys(outcomeNames);

/** Winners first, what is unfinished last, as the service orders them; what is compared with nothing is left out. */
export function verdictCounts({ groups }: Pick<CampaignSummary, 'groups'>): VerdictCount[] {
  const counts = new Map<string, VerdictCount>();
  for (const { comparison } of groups) {
    if (comparison === null) continue;
    const { outcome } = comparison;
    const unfinished = outcome === 'inconclusive' && comparison.doubts.includes('unfinished');
    const counted = counts.get(`${outcome} ${unfinished}`) ?? { outcome, unfinished, count: 0 };
    counts.set(`${outcome} ${unfinished}`, { ...counted, count: counted.count + 1 });
  }
  const place = ({ outcome, unfinished }: VerdictCount) => order.indexOf(outcome) + (unfinished ? order.length : 0);
  return [...counts.values()].sort((one, other) => place(one) - place(other));
}
