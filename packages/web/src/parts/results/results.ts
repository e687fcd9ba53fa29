// The results page's choices and readings: the summary at once, whatever the campaign's size; then only the chosen cells.
import type {
  Campaign,
  CampaignState,
  CampaignSummary,
  CellAnswer,
  CellResults,
  ConditionResults,
  MetricName,
  SiteDiscovery,
  Visit,
} from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import { computed, type InjectionKey, inject, provide, watch } from 'vue';
import type { RouteLocationNormalizedLoaded } from 'vue-router';
import { ask, readList } from '../../service/ask.ts';
import { type Reading, useGet, useReading } from '../../service/reading.ts';
import { useQuery, useQueryList } from '../../state/query.ts';
import { isOver } from '../../text/campaign.ts';
import { metricsIn } from '../../text/vocabulary.ts';
import { type Cell, cellKey } from './cells.ts';

/** Readers can't see more visits of a cell, and drawing them takes long; its numbers include all visits. */
export const maxVisitsOfCell = 2000;
/** While rounds are performed, computing results disturbs the machine that measures: wait ten seconds, and 50 times as long as the last reading took. */
const minIntervalMs = 10_000;
const costRatio = 50;

export type Results = ReturnType<typeof provideResults>;
const key: InjectionKey<Results> = Symbol('results');

/** The results of the campaign whose page this is a part of. */
export const useResults = (): Results => inject(key) as Results;

/** The parts of a campaign's page, by their place in its address; `''` is the answer. */
export type Part = '' | 'loads' | 'statistics' | 'quality' | 'visits' | 'across' | 'factorial';

/** The newest answer stays on the page while another choice is read. @param part the one that is shown */
export function provideResults(campaign: () => Campaign, summary: Reading<CampaignSummary>, part: () => Part) {
  const choice = useResultChoice(campaign());
  const readings = useResultReadings(campaign, summary, choice, part);
  const shownKeys = computed(() => new Set(choice.cells.value.map(cellKey)));
  const results = {
    campaign: computed(campaign),
    part: computed(part),
    choice,
    readings,
    /** Only for parts that are shown after it was read. */
    summary: computed(() => readings.summary.value.value as CampaignSummary),
    /** The answer of every cell on the chosen metric; undefined while it is read. */
    answers: computed((): readonly CellAnswer[] | undefined => {
      const summary = readings.summary.value.value;
      return choice.metric.value === campaign().spec.primaryMetric ? summary?.cells : readings.answers.value.value?.cells;
    }),
    /** For the chosen cells. */
    cells: computed((): readonly CellResults[] => readings.cells.latest.value?.cells ?? []),
    /** For all conditions of the campaign. */
    conditions: computed((): readonly ConditionResults[] => readings.cells.latest.value?.conditions ?? []),
    /** By `cellKey`; never those of an earlier choice, which would pass for the current one's. */
    visits: computed(
      (): ReadonlyMap<string, readonly Visit[]> =>
        new Map([...(readings.visits.latest.value ?? [])].filter(([shown]) => shownKeys.value.has(shown))),
    ),
    distributions: readings.distributions.latest,
  };
  provide(key, results);
  return results;
}

export const hasNumbers = ({ slots }: CellResults): boolean => slots.some(({ valid }) => valid > 0);

/** The default is all conditions if there are at most six, else the first four: readers can't see more at once, and reading them takes long. */
const maxConditions = 6;
const conditionsAtFirst = 4;

type ResultChoice = ReturnType<typeof useResultChoice>;

/** In the address, so that a link shows the same to another reader. @param campaign its sites, conditions and views never change */
function useResultChoice({ sites, spec }: Campaign) {
  const names = spec.conditions.map(({ name }) => name);
  const atFirst = names.length <= maxConditions ? names : names.slice(0, conditionsAtFirst);
  const siteIds = sites.map(({ id }) => id);
  /** Empty: all of them together, where a part shows that. */
  const site = useQuery('site', '', ['', ...siteIds]);
  /** The chosen one; the first where one is needed and all are chosen. */
  const siteId = computed({
    get: () => (site.value === '' ? (siteIds[0] ?? '') : site.value),
    set: (id) => {
      site.value = id;
    },
  });
  const areAll = computed(() => siteIds.length > 1 && site.value === '');
  const view = useQuery<View>('view', spec.views[0] ?? 'cold', spec.views);
  const metric = useQuery<MetricName>('metric', spec.primaryMetric, metricsIn(spec));
  const chosen = useQueryList('condition', names);
  /** The chosen ones, in the order of the campaign; never empty. */
  const conditions = computed({
    get: () => (chosen.value.length === 0 ? atFirst : names.filter((name) => chosen.value.includes(name))),
    set: (those) => {
      const isDefault = those.length === 0 || atFirst.join() === names.filter((name) => those.includes(name)).join();
      chosen.value = isDefault ? [] : names.filter((name) => those.includes(name));
    },
  });
  const cells = computed(() => conditions.value.map((condition) => ({ siteId: siteId.value, condition, view: view.value })));
  /** Null: the reader chose none by itself. */
  const chosenCondition = computed(() => chosen.value[0] ?? null);
  return { site, siteId, areAll, view, conditions, chosenCondition, metric, cells };
}

const everyMsIn = ({ state }: { state: CampaignState }, tookMs: number) =>
  isOver(state) ? null : Math.max(minIntervalMs, costRatio * tookMs);

/** Asked for together with the campaign, since the answer comes first. */
export const useSummary = (id: string): Reading<CampaignSummary> => useGet('GET /campaigns/{id}/summary', () => ({ id }), everyMsIn);

/** @param campaign in its current state: all readings repeat when the state changes */
function useResultReadings(campaign: () => Campaign, summary: Reading<CampaignSummary>, choice: ResultChoice, part: () => Part) {
  const id = () => campaign().id;
  const everyMs = (_found: unknown, tookMs: number) => everyMsIn(campaign(), tookMs);
  const chosen = () => ({ id: id(), cells: choice.cells.value });
  const isShown = (...parts: Part[]) => isAnswered() && parts.includes(part());

  /** On its own page the answer comes first, also over a slow network. */
  const isAnswered = () => part() !== '' || summary.value.value !== undefined || summary.problem.value !== null;
  const answers = useGet(
    'GET /campaigns/{id}/answers',
    () =>
      isShown('') && choice.metric.value !== campaign().spec.primaryMetric ? { id: id(), query: { metric: choice.metric.value } } : null,
    everyMs,
  );
  const cells = useReading(
    () => (isShown('loads', 'statistics', 'quality') ? chosen() : null),
    async (shown, signal) => {
      const pages = await Promise.all(
        shown.cells.map((cell) => ask('GET /campaigns/{id}/results', { id: shown.id, query: { ...cell }, signal })),
      );
      return { cells: pages.flatMap((page) => page.cells), conditions: pages[0]?.conditions ?? [] };
    },
    everyMs,
  );
  const visitsOf = async (cell: Cell, signal: AbortSignal): Promise<[string, readonly Visit[]]> => [
    cellKey(cell),
    await readList('GET /campaigns/{id}/visits', { id: id(), query: { ...cell }, signal }, maxVisitsOfCell),
  ];
  /** By `cellKey`. */
  const visits = useReading(
    () => (isShown('loads', 'quality', 'visits') ? chosen() : null),
    async (shown, signal): Promise<ReadonlyMap<string, readonly Visit[]>> =>
      new Map(await Promise.all(shown.cells.map((cell) => visitsOf(cell, signal)))),
    everyMs,
  );
  /** All conditions of the site in one request, which takes the service no longer than one condition. */
  const distributions = useGet(
    'GET /campaigns/{id}/distributions',
    () =>
      isShown('loads') ? { id: id(), query: { siteId: choice.siteId.value, view: choice.view.value, metric: choice.metric.value } } : null,
    everyMs,
  );
  /** The newest of each site, by its id. */
  const discoveries = useReading(
    () => (isShown('quality') ? { id: id() } : null),
    async (of, signal): Promise<ReadonlyMap<string, SiteDiscovery>> => {
      const list = await readList('GET /campaigns/{id}/discoveries', { ...of, signal });
      return new Map(list.map((discovery) => [discovery.siteId, discovery]));
    },
    (known, tookMs) => (known.size < campaign().sites.length ? everyMs(known, tookMs) : null),
  );

  watch(
    () => campaign().state,
    () => {
      for (const reading of [summary, answers, cells, visits, distributions]) void reading.again();
    },
  );
  return { summary, answers, cells, visits, distributions, discoveries };
}

/** A link to this cell on the same page, or else the current choice: plain text, since a matrix has hundreds of links. */
export function cellHref({ path, query }: RouteLocationNormalizedLoaded, { siteId, condition, view }: Partial<Cell>): string {
  const others = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const cell = { ...(siteId === undefined ? {} : { site: siteId }), ...(condition && { condition }), ...(view && { view }) };
  return `#${path}?${new URLSearchParams({ ...Object.fromEntries(others), ...cell })}`;
}
