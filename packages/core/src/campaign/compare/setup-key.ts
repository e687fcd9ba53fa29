import type { Campaign, Site } from '../../schemas/campaign.ts';
import { workloadOf } from '../../schemas/workload.ts';
import { workloadWords } from '../../text/workload.ts';

type Setup = Pick<Campaign, 'location'> & {
  sites: readonly Pick<Site, 'visitor' | 'workload'>[];
  spec: Pick<Campaign['spec'], 'engine' | 'engineOptions' | 'discovery' | 'isolation' | 'browser' | 'visitor' | 'limits' | 'workload'>;
};

/**
 * In what way and from where a campaign's visits are performed. Of two campaigns with equal keys, what differs is the page; of others neither
 * the times nor how they spread are the same.
 */
export function setupKey({ spec, sites, location }: Setup): string {
  const { discovery, isolation, browser, visitor, limits } = spec;
  const visitors = sites.flatMap((site) => site.visitor ?? []);
  const key = [engineWords(spec), discovery, isolation, browser, location, visitor ?? {}, visitors, endWords(limits)];
  return JSON.stringify(spec.engine === 'transaction' ? [...key, workloadKeys(spec, sites)] : key);
}

/** What runs do: of all sites, then of those with a workload of their own. Which URL they are sent to is the site's, unless paths were asked for. */
function workloadKeys({ workload }: Pick<Campaign['spec'], 'workload'>, sites: Setup['sites']): unknown[] {
  const whole = (own: typeof workload) => ({
    ...workloadOf({ engine: 'transaction', ...(workload && { workload }) }, { url: 'https://site/', ...(own && { workload: own }) }),
    paths: own?.paths ?? workload?.paths ?? null,
  });
  return [whole(undefined), ...sites.flatMap((site) => (site.workload === undefined ? [] : [whole(site.workload)]))];
}

/** An engine with what was chosen of its options: with a video Chrome shares its machine, and waits decide what of a page is seen. */
export function engineWords({ engine, engineOptions }: Pick<Campaign['spec'], 'engine' | 'engineOptions'>): string {
  const { video, waits } = engineOptions ?? {};
  return [engine, ...(video === false ? ['without video'] : []), ...(waits === 'browsertime' ? ['with its own waits'] : [])].join(' ');
}

/** The same with what its runs do at a site; of pages the engine alone. */
export function engineWordsAt(
  spec: Parameters<typeof engineWords>[0] & Pick<Campaign['spec'], 'workload'>,
  site: Parameters<typeof workloadOf>[1],
): string {
  const workload = workloadOf(spec, site);
  return workload === null ? engineWords(spec) : `${engineWords(spec)}: ${workloadWords(workload)}`;
}

/** When a visit of such limits ends: what a page does later is in none of its numbers. */
export const endWords = ({ quietMs, settleMaxMs }: Pick<Campaign['spec']['limits'], 'quietMs' | 'settleMaxMs'>): string =>
  `quiet for ${quietMs} ms, at most ${settleMaxMs / 1000} s after load`;
