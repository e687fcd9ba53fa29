// The filters of the list of campaigns, kept in the address.
import type { CampaignState, Priority } from '@pronghorn/core/schemas';
import { computed } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { useQuery } from '../../state/query.ts';
import { afterDay, startOfDay } from '../../text/times.ts';

export const states: readonly CampaignState[] = ['queued', 'running', 'done', 'cancelled'];
export const priorities: readonly Priority[] = ['interactive', 'ci', 'schedule'];

export type CampaignFilters = ReturnType<typeof useCampaignFilters>;

export function useCampaignFilters() {
  const [route, router] = [useRoute(), useRouter()];
  /** Start of the list's page; empty: the newest. */
  const cursor = useQuery('cursor', '');
  /** Another filter is another list, which begins at its beginning. */
  const filter = <Value extends string>(name: string, allowed: readonly Value[] | null, history: 'push' | 'replace') => {
    const value = useQuery<Value | ''>(name, '', allowed, history);
    return computed({
      get: () => value.value,
      set: (chosen) => {
        value.value = chosen;
        if (cursor.value !== '') cursor.value = '';
      },
    });
  };
  /** Part of the name, or of a site's URL. */
  const search = filter<string>('search', null, 'replace');
  const state = filter('state', states, 'push');
  const priority = filter('priority', priorities, 'push');
  const branch = filter<string>('branch', null, 'replace');
  const createdBy = filter<string>('createdBy', null, 'replace');
  /** Days in the reader's zone, as 2026-03-01; both belong to what is shown. */
  const since = filter<string>('since', null, 'push');
  const until = filter<string>('until', null, 'push');
  const more = [priority, branch, createdBy, since, until];
  /** The number of active filters behind the fold. */
  const moreCount = computed(() => more.filter(({ value }) => value !== '').length);
  return {
    ...{ search, state, priority, branch, createdBy, since, until, cursor, moreCount },
    /** As the API takes it. */
    query: computed(() => ({
      ...{ search: search.value.trim(), state: state.value, priority: priority.value, branch: branch.value.trim() },
      ...{ createdBy: createdBy.value.trim(), since: startOfDay(since.value), until: afterDay(until.value), cursor: cursor.value },
    })),
    isAny: computed(() => moreCount.value > 0 || search.value.trim() !== '' || state.value !== ''),
    clear: () => void router.push({ path: route.path }),
  };
}
