// Two campaigns held against one another, as they are served: what is kept where it stands, else computed first.
import { found, ProblemError } from '../../../problems.ts';
import type { ComparedPair, KeptComparison, PlaceFilter } from './compared-store.ts';
import { ageOf } from './kept-summaries.ts';
import type { ResultsStore } from './results-store.ts';
import { type CampaignVersion, versionOfBoth, withoutStamps } from './results-version.ts';

type Parts = {
  store: ResultsStore;
  /** Of a campaign. @throws ProblemError not-found. */
  versionNow: (id: number) => CampaignVersion;
  now: () => number;
  /** Has a pair kept. */
  compute: (pair: ComparedPair) => Promise<unknown>;
};

export function createCompared({ store, versionNow, now, compute }: Parts) {
  /** Whether it is of now, or one of the two goes on and it is young enough. A change of a campaign’s state is seen at once. */
  function stands(kept: KeptComparison, { campaignId, baselineId }: ComparedPair): boolean {
    const [campaign, baseline] = [versionNow(campaignId), versionNow(baselineId)];
    const wanted = versionOfBoth(campaign, baseline);
    if (kept.version === wanted) return true;
    const goesOn = campaign.state !== 'done' || baseline.state !== 'done';
    return goesOn && withoutStamps(kept.version) === withoutStamps(wanted) && ageOf(kept, now()) <= 1;
  }

  async function standing(pair: ComparedPair): Promise<KeptComparison> {
    const kept = store.compared.newest(pair);
    const both = () => [versionNow(pair.campaignId), versionNow(pair.baselineId)];
    both();
    if (kept && stands(kept, pair)) return kept;
    await compute(pair);
    both(); // or one was deleted meanwhile
    return found(store.compared.newest(pair), `comparison of campaigns ${pair.campaignId} and ${pair.baselineId}`);
  }

  return {
    /**
     * The comparison that a page is of: of now where nothing changed since, or up to ten seconds old while rounds are performed, and as
     * long as twenty times its computing took. A cursor stays with the one that it is of.
     * @throws ProblemError not-found; invalid-request where the cursor's is replaced; results-busy.
     */
    async compared(pair: ComparedPair, cursor: number | null): Promise<KeptComparison> {
      if (cursor === null) return standing(pair);
      versionNow(pair.campaignId);
      versionNow(pair.baselineId);
      const kept = store.compared.newest(pair);
      if (kept?.key !== store.compared.keyOf(cursor)) throw replaced();
      return kept;
    },

    /** A page of it, as JSON. @throws ProblemError invalid-request when it was replaced meanwhile. */
    comparedPage({ key }: KeptComparison, filter: PlaceFilter, { limit, cursor }: { limit: number; cursor: number | null }): string {
      const kept = store.compared.page(key, filter, { after: cursor, limit: limit + 1 });
      if (kept === undefined) throw replaced();
      const { head, outcomes, places } = kept;
      const onPage = places.slice(0, limit);
      const next = places.length > limit ? `"${onPage.at(-1)?.place}"` : null;
      const list = onPage.map(({ text }) => text).join();
      return `${head.slice(0, -1)},"outcomes":${outcomes},"places":[${list}],"nextCursor":${next}}`;
    },
  };
}

const replaced = () =>
  new ProblemError(
    'invalid-request',
    'The comparison was computed anew since the page before, from more rounds, or the cursor is of another one. Read it anew without the cursor.',
  );
