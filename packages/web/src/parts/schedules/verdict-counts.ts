// Counts the cells of a summary by verdict.
import type { CampaignSummary, VerdictCount } from '@pronghorn/core/schemas';
import { outcomeNames } from '../../text/vocabulary.ts';

const order = Object.keys(outcomeNames);

/** Winners first, then unfinished cells and those that could not be loaded, as the service orders them; cells without a comparison are left out. */
export function verdictCounts({ groups }: Pick<CampaignSummary, 'groups'>): VerdictCount[] {
  const counts = new Map<string, VerdictCount>();
  for (const { comparison, notLoaded } of groups) {
    if (comparison === null || notLoaded !== null) continue;
    const { outcome } = comparison;
    const unfinished = outcome === 'inconclusive' && comparison.doubts.includes('unfinished');
    const counted = counts.get(`${outcome} ${unfinished}`) ?? { outcome, unfinished, notLoaded: null, count: 0 };
    counts.set(`${outcome} ${unfinished}`, { ...counted, count: counted.count + 1 });
  }
  const place = ({ outcome, unfinished }: VerdictCount) => order.indexOf(outcome) + (unfinished ? order.length : 0);
  const missing = groups.flatMap(({ notLoaded }) => notLoaded ?? []);
  return [
    ...[...counts.values()].sort((one, other) => place(one) - place(other)),
    ...missing
      .slice(0, 1)
      .map(({ words }) => ({ outcome: 'inconclusive' as const, unfinished: false, notLoaded: words, count: missing.length })),
  ];
}
