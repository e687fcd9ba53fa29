import { conditionKey } from '../../network/shaping.ts';
import type { Campaign, Site } from '../../schemas/campaign.ts';
import { workloadOf } from '../../schemas/workload.ts';
import { visitorWords } from '../../text/visitor.ts';
import { workloadWords } from '../../text/workload.ts';
import { visitorOf } from '../../visitor/visitor-problems.ts';

type Setup = Pick<Campaign, 'location'> & {
  sites: readonly Pick<Site, 'visitor' | 'workload'>[];
  spec: Pick<
    Campaign['spec'],
    'engine' | 'engineOptions' | 'discovery' | 'isolation' | 'browser' | 'visitor' | 'limits' | 'workload' | 'prime'
  >;
};

/**
 * How and from where a campaign's visits are performed. Between two campaigns with equal keys, a difference comes from the page; otherwise
 * neither times nor their variation are comparable.
 */
export function setupKey({ spec, sites, location }: Setup): string {
  const { discovery, isolation, browser, visitor, limits, prime } = spec;
  const visitors = sites.flatMap((site) => site.visitor ?? []);
  const key = [
    engineWords(spec),
    discovery,
    isolation,
    browser,
    location,
    visitor ?? {},
    visitors,
    endWords(limits),
    ...(prime === true ? ['primed'] : []),
  ];
  return JSON.stringify(spec.engine === 'transaction' ? [...key, workloadKeys(spec, sites)] : key);
}

/** The workloads: that of all sites, then those of sites with their own. Their URL is the site's, unless paths were given. */
function workloadKeys({ workload }: Pick<Campaign['spec'], 'workload'>, sites: Setup['sites']): unknown[] {
  const whole = (own: typeof workload) => ({
    ...workloadOf({ engine: 'transaction', ...(workload && { workload }) }, { url: 'https://site/', ...(own && { workload: own }) }),
    paths: own?.paths ?? workload?.paths ?? null,
  });
  return [whole(undefined), ...sites.flatMap((site) => (site.workload === undefined ? [] : [whole(site.workload)]))];
}

/** An engine with its chosen options: recording a video shares the machine with Chrome, and waits decide how much of a page is seen. */
export function engineWords({ engine, engineOptions }: Pick<Campaign['spec'], 'engine' | 'engineOptions'>): string {
  const { video, waits } = engineOptions ?? {};
  return [engine, ...(video === false ? ['without video'] : []), ...(waits === 'browsertime' ? ['with its own waits'] : [])].join(' ');
}

/** The engine with the workload at a site; for pages, the engine alone. */
export function engineWordsAt(
  spec: Parameters<typeof engineWords>[0] & Pick<Campaign['spec'], 'workload'>,
  site: Parameters<typeof workloadOf>[1],
): string {
  const workload = workloadOf(spec, site);
  return workload === null ? engineWords(spec) : `${engineWords(spec)}: ${workloadWords(workload)}`;
}

/** When a visit ends under these limits: later activity of a page is not measured. */
export const endWords = ({ quietMs, settleMaxMs }: Pick<Campaign['spec']['limits'], 'quietMs' | 'settleMaxMs'>): string =>
  `quiet for ${quietMs} ms, at most ${settleMaxMs / 1000} s after load`;

/**
 * What the numbers of one site under one condition must have in common to be comparable over campaigns, besides view, protocol and metric: the condition with
 * its numbers, who visits, how visits are made, and when they end.
 *
 * @param site undefined: the campaign does not have it.
 * @param isolation for `auto`, the one that it resolved to.
 */
export function placeSetup(
  { spec, location }: Pick<Campaign, 'spec' | 'location'>,
  site: Pick<Site, 'visitor' | 'workload'> | undefined,
  { condition: name, isolation }: { condition: string; isolation: string },
) {
  const { discovery, browser, limits, conditions, prime } = spec;
  const condition = conditions.find((one) => one.name === name);
  const workload = workloadOf(spec, { url: 'https://site/', ...site });
  return {
    condition: name,
    link: condition && conditionKey(condition),
    ...{ discovery, isolation, browser, location },
    visitor: visitorWords(visitorOf(spec, site)),
    ends: endWords(limits),
    engine: engineWords(spec),
    ...(prime === true && { prime }),
    ...(workload !== null && { workload }),
  };
}
