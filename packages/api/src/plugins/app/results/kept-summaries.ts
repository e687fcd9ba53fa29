// Which of the summaries that are kept still stand, and what lists of campaigns say by them.
import type { Campaign, ListedCampaign } from '@pronghorn/core/schemas';
import type { FastifyBaseLogger } from 'fastify';
import type { ResultsStore, StoredSummary } from './results-store.ts';
import { type CampaignVersion, codeVersion } from './results-version.ts';

/** How old a summary may be; of one that takes long to compute, twenty times as long: a twentieth of a core, however often it is read. */
export const staleMs = 10_000;
const staleTimes = 20;

type Parts = {
  store: Pick<ResultsStore, 'verdicts'>;
  versionOf: (campaignId: number) => CampaignVersion | undefined;
  now: () => number;
  log: Pick<FastifyBaseLogger, 'error'>;
};
type Dated = Pick<StoredSummary, 'version' | 'asOf' | 'tookMs' | 'state'>;

/** How old something is, as a share of how old it may be. What is of the future is of a clock that was set back since. */
export const ageOf = ({ asOf, tookMs }: Pick<Dated, 'asOf' | 'tookMs'>, now: number): number =>
  asOf > now ? Number.POSITIVE_INFINITY : (now - asOf) / Math.max(staleMs, staleTimes * tookMs);

export function createKeptSummaries({ store, versionOf, now, log }: Parts) {
  /** Whether it is of now, or of a campaign that goes on and young enough. What other statistics computed never stands. */
  const stands = (stored: Dated, of: CampaignVersion): boolean =>
    stored.version === of.summary ||
    (of.state !== 'done' && stored.state === of.state && stored.version.startsWith(`${codeVersion()}.`) && ageOf(stored, now()) <= 1);

  let unreadable = false;
  function verdictsOf(campaignIds: readonly number[]): ReturnType<ResultsStore['verdicts']> {
    try {
      const verdicts = store.verdicts(campaignIds);
      unreadable = false;
      return verdicts;
    } catch (error) {
      if (!unreadable) log.error({ err: error }, 'the file that keeps results could not be read; campaigns are listed without verdicts');
      unreadable = true; // which is said once
      return new Map();
    }
  }

  return {
    stands,
    /** Campaigns with the verdicts of summaries that stand; null where none is kept, or it can't be read. Nothing is computed. */
    withVerdicts(campaigns: readonly Campaign[]): ListedCampaign[] {
      const kept = verdictsOf(campaigns.map(({ id }) => Number(id)));
      return campaigns.map((campaign) => {
        const [its, of] = [kept.get(Number(campaign.id)), versionOf(Number(campaign.id))];
        return { ...campaign, verdicts: its && of && stands(its, of) ? its.verdicts : null };
      });
    },
  };
}
