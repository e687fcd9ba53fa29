// A campaign's request in the page's address: common choices as words, the rest as JSON.
import type { CampaignRequest } from '@pronghorn/core/schemas';
import type { LocationQuery, LocationQueryRaw } from 'vue-router';
import { exact, listed } from '../forms/fields.ts';
import { usualChoices } from './campaign-request.ts';
import { withScheme } from './site-list.ts';
import { visitorForAddress, visitorOfAddress } from './visitor-text.ts';

/** Keys of the request by parameter. */
const texts = {
  name: 'name',
  metric: 'primaryMetric',
  adjust: 'adjustment',
  discovery: 'discovery',
  isolation: 'isolation',
  browser: 'browser',
  engine: 'engine',
  priority: 'priority',
  location: 'location',
  precision: 'precision',
} as const satisfies Record<string, keyof CampaignRequest>;
const numbers = { rounds: 'rounds', 'until-settled': 'maximumRounds', margin: 'margin', seed: 'seed' } as const satisfies Record<
  string,
  keyof CampaignRequest
>;
const lists = { protocols: 'protocols', view: 'views' } as const satisfies Record<string, keyof CampaignRequest>;
/** The margin is in percent, as on the command line. */
const factorOf = (key: keyof CampaignRequest) => (key === 'margin' ? 100 : 1);
const notes = ['commit', 'branch', 'buildUrl'] as const;
/** Holds the rest as JSON: names, statuses and visitors of pages, whole conditions, limits, options of the engine, visitor, workload. */
const rest = 'more';

/** All parameters that belong to the form. */
export const formParameters: readonly string[] = [
  'url',
  'conditions',
  ...Object.keys(texts),
  ...Object.keys(numbers),
  ...Object.keys(lists),
  ...notes,
  rest,
];

export function queryOf(request: CampaignRequest): LocationQueryRaw {
  const query: LocationQueryRaw = {};
  const more: Partial<CampaignRequest> = {};
  if (request.sites.length > 0) query.url = request.sites.map(({ url }) => url);
  if (request.sites.some(({ name, expectStatus, visitor, workload }) => (name ?? expectStatus ?? visitor ?? workload) !== undefined))
    more.sites = request.sites.map(siteForAddress);
  const { conditions = ['native'] } = request;
  if (conditions.every((condition) => typeof condition === 'string')) query.conditions = conditions.join(',');
  else more.conditions = conditions;
  for (const [parameter, key] of Object.entries(texts)) if (request[key] !== undefined) query[parameter] = request[key];
  for (const [parameter, key] of Object.entries(numbers))
    if (Number.isFinite(request[key])) query[parameter] = String(exact((request[key] as number) * factorOf(key)));
  for (const [parameter, key] of Object.entries(lists)) if (request[key] !== undefined) query[parameter] = request[key].join(',');
  for (const note of notes) if (request.annotations?.[note] !== undefined) query[note] = request.annotations[note];
  if (request.limits !== undefined) more.limits = request.limits;
  if (request.workload !== undefined) more.workload = request.workload;
  if (request.engineOptions !== undefined) more.engineOptions = request.engineOptions;
  const visitor = request.visitor && visitorForAddress(request.visitor);
  if (visitor !== undefined) more.visitor = visitor;
  if (Object.keys(more).length > 0) query[rest] = JSON.stringify(more);
  return query;
}

/** A page's visitor is stripped of secrets as the campaign's is. */
function siteForAddress({ visitor, ...site }: CampaignRequest['sites'][number]): CampaignRequest['sites'][number] {
  const shown = visitor && visitorForAddress(visitor);
  return { ...site, ...(shown && { visitor: shown }) };
}

/** Reads an address, with the usual choices where it has none; the form reports wrong values, as those that are typed. */
export function requestOf(query: LocationQuery): CampaignRequest {
  const all = (parameter: string) =>
    [query[parameter]].flat().flatMap((value) => (value === null || value === undefined || value === '' ? [] : [value]));
  const one = (parameter: string) => all(parameter)[0];
  const parsed: Record<string, unknown> = { sites: all('url').map((url) => ({ url: withScheme(url.trim()) })) };
  const conditions = one('conditions');
  if (conditions !== undefined) parsed.conditions = listed(conditions);
  for (const [parameter, key] of Object.entries(texts)) if (one(parameter) !== undefined) parsed[key] = one(parameter);
  for (const [parameter, key] of Object.entries(numbers))
    if (one(parameter) !== undefined) parsed[key] = exact(Number(one(parameter)) / factorOf(key));
  for (const [parameter, key] of Object.entries(lists)) if (query[parameter] !== undefined) parsed[key] = listed(one(parameter) ?? '');
  const annotations = Object.fromEntries(notes.flatMap((note) => (one(note) === undefined ? [] : [[note, one(note)]])));
  if (Object.keys(annotations).length > 0) parsed.annotations = annotations;
  const hasRounds = ['rounds', 'until-settled', 'precision'].some((parameter) => parameter in query);
  return {
    conditions: [...usualChoices.conditions],
    ...(hasRounds ? {} : { precision: usualChoices.precision }),
    ...parsed,
    ...moreOf(one(rest)),
  } as CampaignRequest;
}

function moreOf(text: string | undefined): Partial<CampaignRequest> {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    if (parsed === null || typeof parsed !== 'object') return {};
    const { sites, conditions, limits, engineOptions, workload, visitor: raw } = parsed as Partial<CampaignRequest>;
    const visitor = visitorOfAddress(raw);
    const isList = (value: unknown) =>
      Array.isArray(value) && value.every((item) => item !== null && ['object', 'string'].includes(typeof item));
    return {
      ...(isList(sites) ? { sites: sites as CampaignRequest['sites'] } : {}),
      ...(isList(conditions) ? { conditions: conditions as NonNullable<CampaignRequest['conditions']> } : {}),
      ...(limits !== null && typeof limits === 'object' ? { limits } : {}),
      ...(engineOptions !== null && typeof engineOptions === 'object' ? { engineOptions } : {}),
      ...(workload !== null && typeof workload === 'object' && !Array.isArray(workload) ? { workload } : {}),
      ...(visitor === undefined ? {} : { visitor }),
    };
  } catch {
    return {};
  }
}
