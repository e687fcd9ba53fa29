// A campaign's results as its page has them: what the reader chose to see in full, and what is read for that: the summary at once, whatever
// the campaign's size; then only the cells that are shown.
import type {
  Campaign,
  CampaignSummary,
  ConditionResults,
  GroupResults,
  MetricName,
  SiteDiscovery,
  Visit,
} from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import { computed, type InjectionKey, inject, provide, watch } from 'vue';
import type { RouteLocationNormalizedLoaded } from 'vue-router';
import { ask, readList } from '../../service/ask.ts';
import { useGet, useReading } from '../../service/reading.ts';
import { useQuery, useQueryList } from '../../state/query.ts';
import { isOver } from '../../text/campaign.ts';
import { metricsIn } from '../../text/vocabulary.ts';
import { type Cell, cellKey } from './cells.ts';

/** More visits of a cell are neither seen nor drawn quickly; its numbers are of all. */
export const maxVisitsOfCell = 2000;
/** While rounds are performed, results cost the machine that measures: they are read after ten seconds, and after 50 times what that took. */
const minIntervalMs = 10_000;
const costRatio = 50;

export type Results = ReturnType<typeof provideResults>;
const key: InjectionKey<Results> = Symbol('results');

/** The results of the campaign whose page this is a part of. */
export const useResults = (): Results => inject(key) as Results;

/** Of what is read, the newest stays on the page while the answer to another choice is read. */
export function provideResults(campaign: () => Campaign) {
  const choice = useResultChoice(campaign());
  const readings = useResultReadings(campaign, choice);
  const shownKeys = computed(() => new Set(choice.cells.value.map(cellKey)));
  const results = {
    campaign: computed(campaign),
    choice,
    readings,
    /** Only parts that are shown once it is read use it. */
    summary: computed(() => readings.summary.value.value as CampaignSummary),
    /** Of the cells that are shown. */
    cells: computed((): readonly GroupResults[] => readings.cells.latest.value?.cells ?? []),
    /** Of all conditions of the campaign. */
    conditions: computed((): readonly ConditionResults[] => readings.cells.latest.value?.conditions ?? []),
    /** By `cellKey`; never those of a choice before, which would stand as this one's. */
    visits: computed(
      (): ReadonlyMap<string, readonly Visit[]> =>
        new Map([...(readings.visits.latest.value ?? [])].filter(([shown]) => shownKeys.value.has(shown))),
    ),
    distributions: readings.distributions.latest,
  };
  provide(key, results);
  return results;
}

/** Without a choice all conditions are shown if there are at most six, else the first four: more are neither seen at once nor read quickly. */
const maxConditions = 6;
const conditionsAtFirst = 4;

type ResultChoice = ReturnType<typeof useResultChoice>;

/** Kept in the address, so that a link shows the same to another reader. @param campaign its sites, conditions and views never change. */
function useResultChoice({ sites, spec }: Campaign) {
  const names = spec.conditions.map(({ name }) => name);
  const atFirst = names.length <= maxConditions ? names : names.slice(0, conditionsAtFirst);
  const siteIds = sites.map(({ id }) => id);
  const siteId = useQuery('site', siteIds[0] ?? '', siteIds);
  const view = useQuery<View>('view', spec.views[0] ?? 'cold', spec.views);
  const metric = useQuery<MetricName>('metric', spec.primaryMetric, metricsIn(spec));
  const chosen = useQueryList('condition', names);
  /** Those that are shown, in the order of the campaign; never empty. */
  const conditions = computed({
    get: () => (chosen.value.length === 0 ? atFirst : names.filter((name) => chosen.value.includes(name))),
    set: (those) => {
      const isDefault = those.length === 0 || atFirst.join() === names.filter((name) => those.includes(name)).join();
      chosen.value = isDefault ? [] : names.filter((name) => those.includes(name));
    },
  });
  const cells = computed(() => conditions.value.map((condition) => ({ siteId: siteId.value, condition, view: view.value })));
  return { siteId, view, conditions, metric, cells };
}

/** @param campaign as it is known now: with its state all of this is read anew. */
function useResultReadings(campaign: () => Campaign, choice: ResultChoice) {
  const isOpen = () => !isOver(campaign().state);
  const id = () => campaign().id;
  const everyMs = (_found: unknown, tookMs: number) => (isOpen() ? Math.max(minIntervalMs, costRatio * tookMs) : null);
  const chosen = () => ({ id: id(), cells: choice.cells.value });

  const summary = useGet('GET /campaigns/{id}/summary', () => ({ id: id() }), everyMs);
  /** The answer comes first, also over a slow network. */
  const isAnswered = () => summary.value.value !== undefined || summary.problem.value !== null;
  const cells = useReading(
    () => (isAnswered() ? chosen() : null),
    async (shown, signal) => {
      const pages = await Promise.all(
        shown.cells.map((cell) => ask('GET /campaigns/{id}/results', { id: shown.id, query: { ...cell }, signal })),
      );
      return { cells: pages.flatMap((page) => page.groups), conditions: pages[0]?.conditions ?? [] };
    },
    everyMs,
  );
  const visitsOf = async (cell: Cell, signal: AbortSignal): Promise<[string, readonly Visit[]]> => [
    cellKey(cell),
    await readList('GET /campaigns/{id}/visits', { id: id(), query: { ...cell }, signal }, maxVisitsOfCell),
  ];
  /** By `cellKey`. */
  const visits = useReading(
    () => (isAnswered() ? chosen() : null),
    async (shown, signal): Promise<ReadonlyMap<string, readonly Visit[]>> =>
      new Map(await Promise.all(shown.cells.map((cell) => visitsOf(cell, signal)))),
    everyMs,
  );
  /** All conditions of the site at once: that takes the service no longer than one of them. */
  const distributions = useGet(
    'GET /campaigns/{id}/distributions',
    () =>
      isAnswered() ? { id: id(), query: { siteId: choice.siteId.value, view: choice.view.value, metric: choice.metric.value } } : null,
    everyMs,
  );
  /** The newest of each site, by its id. */
  const discoveries = useReading(
    () => (isAnswered() ? { id: id() } : null),
    async (of, signal): Promise<ReadonlyMap<string, SiteDiscovery>> => {
      const list = await readList('GET /campaigns/{id}/discoveries', { ...of, signal });
      return new Map(list.map((discovery) => [discovery.siteId, discovery]));
    },
    (known, tookMs) => (known.size < campaign().sites.length ? everyMs(known, tookMs) : null),
  );

  watch(
    () => campaign().state,
    () => {
      for (const reading of [summary, cells, visits, distributions]) void reading.again();
    },
  );
  return { summary, cells, visits, distributions, discoveries };
}

/** Where the same page shows this cell, and else what it shows now: plain text, since a matrix has hundreds of links. */
export function cellHref({ path, query }: RouteLocationNormalizedLoaded, { siteId, condition, view }: Cell): string {
  const others = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `#${path}?${new URLSearchParams({ ...Object.fromEntries(others), site: siteId, condition, view })}`;
}
