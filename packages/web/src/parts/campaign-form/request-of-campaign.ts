// The request of an existing campaign, to start another like it.
import type { Campaign, CampaignRequest, Condition, KnownCondition } from '@pronghorn/core/schemas';
import { usualProtocols } from '@pronghorn/core/vocabulary';
import { usualAdjustment } from './campaign-fields.ts';
import { setOf } from './campaign-request.ts';

/**
 * Without defaults, so that choices stand out; without its seed and annotations, since the new campaign is of another moment.
 * @param known conditions that are unchanged are named; others are included whole
 */
export function requestOfCampaign({ spec, sites, priority, location }: Campaign, known: readonly KnownCondition[]): CampaignRequest {
  const { name, conditions, limits, seed: _seed, maximumRounds, ...choices } = spec;
  const usual = sites.length === 1 ? sites[0]?.name : `${sites[0]?.name.slice(0, 180)} and ${sites.length - 1} more`;
  const usualChoices = {
    ...defaults,
    ...(spec.engine === 'transaction' ? defaultsOfRuns : {}),
    adjustment: usualAdjustment(sites.length * conditions.length * choices.views.length),
  };
  const chosen = Object.entries(choices).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(usualChoices[key as keyof typeof usualChoices]),
  );
  const otherLimits = Object.entries(limits).filter(([key, value]) => value !== defaultLimits[key]);
  const askedConditions = conditions.map((condition) => (known.some((one) => isSame(one, condition)) ? condition.name : condition));
  const set = setOf(askedConditions);
  return {
    sites: sites.map((site) => ({
      url: site.url,
      ...(isMadeOf(site.url, site.name) ? {} : { name: site.name }),
      ...(site.expectStatus === 200 ? {} : { expectStatus: site.expectStatus }),
      ...optional('visitor', site.visitor),
      ...optional('workload', site.workload),
    })),
    ...(name === usual ? {} : { name }),
    conditions: set === null ? askedConditions : [set],
    ...Object.fromEntries(chosen),
    ...(maximumRounds === null ? {} : { maximumRounds }),
    ...(otherLimits.length === 0 ? {} : { limits: Object.fromEntries(otherLimits) }),
    ...(priority === 'interactive' ? {} : { priority }),
    ...(location === null ? {} : { location }),
  };
}

const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);

/** Defaults of the API. */
const defaults: Record<string, unknown> = {
  protocols: [...usualProtocols],
  views: ['cold'],
  engine: 'puppeteer',
  discovery: 'forced',
  isolation: 'auto',
  browser: 'chrome',
  primaryMetric: 'onLoad',
  margin: 0.05,
};
/** The engine itself is always included. */
const defaultsOfRuns: Record<string, unknown> = { views: ['warm'], browser: 'none', primaryMetric: 'responseTime' };
const defaultLimits: Record<string, number | string> = {
  loadTimeoutMs: 'auto',
  quietMs: 500,
  settleMaxMs: 15_000,
  retries: 2,
  foreignCpuShare: 0.2,
  maxRequests: 10_000,
  maxTransferBytes: 500_000_000,
};

/** Whether nobody chose the name: the API's own is the URL without its scheme, with the letters that people write, cut after 200. */
function isMadeOf(url: string, name: string): boolean {
  const named = URL.parse(`${url.replace(/:.*/, '')}://${name}`)?.href;
  return named !== undefined && (named === url || (name.length === 200 && url.startsWith(named)));
}

const isSame = (one: Condition, other: Condition): boolean =>
  one.name === other.name && JSON.stringify(ordered(effect(one))) === JSON.stringify(ordered(effect(other)));
const effect = ({ baseRttMs = 0, up, down }: Condition) => ({ baseRttMs, up, down });
function ordered(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, nested]) => [key, ordered(nested)]);
}
