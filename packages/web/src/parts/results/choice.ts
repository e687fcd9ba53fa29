// What of a campaign's results is shown in full: kept in the address, so that a link shows the same to another reader.
import type { Campaign, MetricName } from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import { type ComputedRef, computed, type WritableComputedRef } from 'vue';
import type { RouteLocationNormalizedLoaded } from 'vue-router';
import { useQuery, useQueryList } from '../../state/query.ts';
import { metricsIn } from '../../text/vocabulary.ts';
import type { GroupPlace } from './groups.ts';

/** Where nobody chose, all conditions if they are so few, else the first ones: more are neither seen at once nor read quickly. */
const fewConditions = 6;
const conditionsAtFirst = 4;

export interface ResultChoice {
  siteId: WritableComputedRef<string>;
  view: WritableComputedRef<View>;
  /** Those that are shown, in the order of the campaign; never empty. */
  conditions: WritableComputedRef<string[]>;
  metric: WritableComputedRef<MetricName>;
  /** The groups that are shown. */
  places: ComputedRef<GroupPlace[]>;
}

/** @param campaign as it is when its page is opened: its sites, conditions and views never change. */
export function useResultChoice({ sites, spec }: Campaign): ResultChoice {
  const names = spec.conditions.map(({ name }) => name);
  const atFirst = names.length <= fewConditions ? names : names.slice(0, conditionsAtFirst);
  const siteIds = sites.map(({ id }) => id);
  const siteId = useQuery('site', siteIds[0] ?? '', siteIds);
  const view = useQuery<View>('view', spec.views[0] ?? 'cold', spec.views);
  const metric = useQuery<MetricName>('metric', spec.primaryMetric, metricsIn(spec));
  const chosen = useQueryList('condition', names);
  const conditions = computed({
    get: () => (chosen.value.length === 0 ? atFirst : names.filter((name) => chosen.value.includes(name))),
    set: (those) => {
      const isDefault = those.length === 0 || atFirst.join() === names.filter((name) => those.includes(name)).join();
      chosen.value = isDefault ? [] : names.filter((name) => those.includes(name));
    },
  });
  const places = computed(() => conditions.value.map((condition) => ({ siteId: siteId.value, condition, view: view.value })));
  return { siteId, view, conditions, metric, places };
}

/** Where the same page shows these, and else what it shows now: plain text, since a matrix has hundreds of links. */
export function placeHref({ path, query }: RouteLocationNormalizedLoaded, { siteId, condition, view }: GroupPlace): string {
  const kept = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `#${path}?${new URLSearchParams({ ...Object.fromEntries(kept), site: siteId, condition, view })}`;
}
