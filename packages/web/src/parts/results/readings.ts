// What the result page reads: the summary at once, whatever the campaign's size; then only the groups that are shown, never all of them.
import type {
  Campaign,
  CampaignDistributions,
  CampaignResultsPage,
  CampaignSummary,
  ConditionResults,
  GroupResults,
  SiteDiscovery,
  Visit,
} from '@pronghorn/core/schemas';
import { watch } from 'vue';
import { read, readList } from '../../service/ask.ts';
import { type Reading, useReading } from '../../service/reading.ts';
import type { ResultChoice } from './choice.ts';
import { type GroupPlace, keyOf } from './groups.ts';

/** More visits of a group than that are neither seen nor drawn quickly; its numbers are of all. */
export const visitsOfGroup = 2000;
/** While rounds are performed: results cost the machine that measures, so that they are asked for after ten seconds, and after 50 times what they took. */
const soonestMs = 10_000;
const costRatio = 50;

export type ShownGroups = {
  groups: readonly GroupResults[];
  /** Of all conditions of the campaign. */
  conditions: readonly ConditionResults[];
};

export interface ResultReadings {
  summary: Reading<CampaignSummary>;
  groups: Reading<ShownGroups>;
  /** By `keyOf` a group. */
  visits: Reading<ReadonlyMap<string, readonly Visit[]>>;
  distributions: Reading<CampaignDistributions>;
  /** The newest of each site, by its id. */
  discoveries: Reading<ReadonlyMap<string, SiteDiscovery>>;
}

/** @param campaign as it is known now: with its state all of this is read anew. */
export function useResultReadings(campaign: () => Campaign, choice: ResultChoice): ResultReadings {
  const isOpen = () => campaign().state === 'queued' || campaign().state === 'running';
  const path = (rest: string) => `campaigns/${encodeURIComponent(campaign().id)}/${rest}`;
  const everyMs = (_found: unknown, tookMs: number) => (isOpen() ? Math.max(soonestMs, costRatio * tookMs) : null);
  const places = () => ({ id: campaign().id, places: choice.places.value });

  const summary = useReading(
    () => campaign().id,
    (_id, signal) => read<CampaignSummary>(path('summary'), { signal }),
    everyMs,
  );
  /** The answer comes first, also over a slow network. */
  const isAnswered = () => summary.value.value !== undefined || summary.problem.value !== null;
  const groups = useReading(
    () => (isAnswered() ? places() : null),
    async (asked, signal) => {
      const pages = await Promise.all(asked.places.map((place) => read<CampaignResultsPage>(path('results'), { query: place, signal })));
      return { groups: pages.flatMap((page) => page.groups), conditions: pages[0]?.conditions ?? [] };
    },
    everyMs,
  );
  const visitsOf = async (place: GroupPlace, signal: AbortSignal): Promise<[string, readonly Visit[]]> => [
    keyOf(place),
    await readList<Visit>(path('visits'), { query: place, signal }, visitsOfGroup),
  ];
  const visits = useReading(
    () => (isAnswered() ? places() : null),
    async (asked, signal) => new Map(await Promise.all(asked.places.map((place) => visitsOf(place, signal)))),
    everyMs,
  );
  /** All conditions of the site at once: that takes the service no longer than one of them. */
  const distributions = useReading(
    () => (isAnswered() ? { siteId: choice.siteId.value, view: choice.view.value, metric: choice.metric.value } : null),
    (query, signal) => read<CampaignDistributions>(path('distributions'), { query, signal }),
    everyMs,
  );
  const discoveries = useReading(
    () => (isAnswered() ? campaign().id : null),
    async (_id, signal) => {
      const list = await readList<SiteDiscovery>(path('discoveries'), { signal });
      return new Map(list.map((discovery) => [discovery.siteId, discovery]));
    },
    (found, tookMs) => (found.size < campaign().sites.length ? everyMs(found, tookMs) : null),
  );

  watch(
    () => campaign().state,
    () => {
      for (const reading of [summary, groups, visits, distributions]) void reading.again();
    },
  );
  return { summary, groups, visits, distributions, discoveries };
}
