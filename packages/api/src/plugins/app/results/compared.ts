// Two campaigns held against one another, as they are served: what is kept where it is of now, else computed first.
import { found } from '../../../problems.ts';
import type { Slice } from '../../../storage/page.ts';
import type { ComparedPair, PlaceFilter } from './compared-store.ts';
import type { ResultsStore } from './results-store.ts';
import { type CampaignVersion, versionOfBoth } from './results-version.ts';

/** @param versionNow of a campaign; throws ProblemError not-found. @param compute has a pair kept. */
export function createCompared(
  store: ResultsStore,
  versionNow: (id: number) => CampaignVersion,
  compute: (pair: ComparedPair) => Promise<unknown>,
) {
  return {
    /** Which version `compare` would give now. @throws ProblemError not-found. */
    comparedVersion: (campaignId: number, baselineId: number): string => versionOfBoth(versionNow(campaignId), versionNow(baselineId)),

    /** A page of a campaign against another one, as JSON; never of fewer finished rounds than there are. @throws ProblemError not-found. */
    async compare(pair: ComparedPair, filter: PlaceFilter, { limit, cursor }: Slice): Promise<{ version: string; text: string }> {
      const wanted = this.comparedVersion(pair.campaignId, pair.baselineId);
      if (store.compared.version(pair) !== wanted) {
        await compute(pair);
        this.comparedVersion(pair.campaignId, pair.baselineId); // or one was deleted meanwhile
      }
      const kept = store.compared.page(pair, filter, { after: cursor ?? 0, limit: limit + 1 });
      const { version, head, outcomes, places } = found(kept, `comparison of campaigns ${pair.campaignId} and ${pair.baselineId}`);
      const onPage = places.slice(0, limit);
      const next = places.length > limit ? `"${onPage.at(-1)?.place}"` : null;
      const list = onPage.map(({ text }) => text).join();
      return { version, text: `${head.slice(0, -1)},"outcomes":${JSON.stringify(outcomes)},"places":[${list}],"nextCursor":${next}}` };
    },
  };
}
