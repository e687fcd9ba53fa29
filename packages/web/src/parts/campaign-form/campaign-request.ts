// A campaign's request as the form holds it: pages or REST calls, the workload, and problems that need no request to the API.
import type { CampaignRequest, ConditionRequest, Workload } from '@pronghorn/core/schemas';
import { conditionSets, expandSets, type Precision, precisions, roundsOfPrecision } from '@pronghorn/core/vocabulary';
import { type Change, changedOrNone, wrongNumbers } from '../forms/fields.ts';
import type { FieldProblem } from '../forms/problems.ts';
import { isBareWord } from './site-list.ts';
import { visitorTextProblems } from './visitor-text.ts';

/** The usual test: what a form begins with. The API's own default is native alone, and rounds by the number of comparisons. */
export const usualChoices = { conditions: ['typical'], precision: 'normal' } as const satisfies Partial<CampaignRequest>;
export const newRequest = (): CampaignRequest & { conditions: ConditionRequest[]; precision: 'normal' } => ({
  sites: [],
  ...usualChoices,
  conditions: [...usualChoices.conditions],
});

/** The set of which these are all, or native; null: neither. */
export function setOf(conditions: CampaignRequest['conditions']): string | null {
  const names = expandSets(conditions ?? ['native']).map(({ request }) => (typeof request === 'string' ? request : null));
  const isAll = (members: readonly string[]) => members.length === names.length && members.every((name) => names.includes(name));
  return [{ name: 'native', conditions: ['native'] }, ...conditionSets].find(({ conditions }) => isAll(conditions))?.name ?? null;
}

/** The precision of a request, also where it has its numbers; null: other numbers, or the API's choice. */
export function precisionOf({ precision, rounds, maximumRounds }: CampaignRequest): Precision | null {
  if (precision !== undefined) return precision;
  const isSame = (of: Precision) =>
    roundsOfPrecision[of].rounds === rounds && roundsOfPrecision[of].maximumRounds === (maximumRounds ?? undefined);
  return precisions.find(isSame) ?? null;
}

/** Problems that the form finds itself; the API finds all others. */
export function problemsOf(request: CampaignRequest): FieldProblem[] {
  const lists = { conditions: 'condition', protocols: 'protocol', views: 'view' } as const;
  const isEmpty = (key: keyof typeof lists) => request[key]?.length === 0;
  return [
    ...(request.sites.length === 0 ? [{ pointer: '#/sites', detail: 'Type or paste the URL of at least one page.' }] : []),
    ...(['conditions', 'protocols', 'views'] as const)
      .filter(isEmpty)
      .map((key) => ({ pointer: `#/${key}`, detail: `Choose at least one ${lists[key]}.` })),
    ...request.sites.flatMap(({ url }, place) =>
      isBareWord(url)
        ? [
            {
              pointer: `#/sites/${place}/url`,
              detail: `“${url}” has no dot. Type a whole host, such as www.example.com; for a host of this network, begin with https: and two slashes. Separate pages by commas or spaces.`,
            },
          ]
        : [],
    ),
    ...visitorTextProblems(request.visitor ?? {}),
    ...wrongNumbers(request, ' Empty means the default.').map(({ pointer, detail }) => {
      const [, place] = /^#\/sites\/(\d+)\/expectStatus$/.exec(pointer) ?? [];
      if (place === undefined) return { pointer, detail };
      return { pointer, detail: `The status of page ${Number(place) + 1} is not a number; expected one from 100 to 599, such as 200.` };
    }),
  ];
}

/** A workload implies its engine. */
export const isOfRuns = ({ engine, workload }: Pick<CampaignRequest, 'engine' | 'workload'>): boolean =>
  engine === 'transaction' || (engine === undefined && workload !== undefined);

/** The change that leaves out what the other kind lacks. */
export function asRuns({ sites, limits }: CampaignRequest): Change<CampaignRequest> {
  const ofPages = ['loadTimeoutMs', 'quietMs', 'settleMaxMs', 'maxRequests', 'maxTransferBytes'];
  return {
    engine: 'transaction',
    sites: sites.map(({ visitor: _, ...site }) => site),
    limits: changedOrNone(limits, Object.fromEntries(ofPages.map((limit) => [limit, undefined]))),
    ...{ browser: undefined, isolation: undefined, discovery: undefined, engineOptions: undefined, netlogs: undefined, prime: undefined },
    ...{ visitor: undefined, primaryMetric: undefined, views: undefined },
  };
}
export const asPages = ({ sites }: CampaignRequest): Change<CampaignRequest> => ({
  sites: sites.map(({ workload: _, ...site }) => site),
  ...{ engine: undefined, workload: undefined, browser: undefined, primaryMetric: undefined, views: undefined },
});

export type NumberOfWorkload = 'users' | 'requests' | 'seconds' | 'requestsPerSecond' | 'shared' | 'bodyBytes' | 'requestTimeoutMs';

/** The API's default, in its own unit; undefined: there is none. */
export const usualNumber = (field: NumberOfWorkload, { mode = 'count' }: Workload): number | undefined =>
  ({
    users: mode === 'rate' ? 1_000 : 1,
    requests: 100,
    seconds: 10,
    requestsPerSecond: undefined,
    shared: 1,
    bodyBytes: 0,
    requestTimeoutMs: 30_000,
  })[field];

/** True if such a workload uses the field, or the field holds a value to correct. */
export function hasField(field: keyof Workload, workload: Workload): boolean {
  if (workload[field] !== undefined) return true;
  const { method = 'GET', mode = 'count', connections = 'user' } = workload;
  switch (field) {
    case 'requests':
      return mode === 'count';
    case 'seconds':
      return mode !== 'count';
    case 'requestsPerSecond':
    case 'arrivals':
      return mode === 'rate';
    case 'shared':
      return connections === 'shared';
    case 'bodyBytes':
      return method === 'POST';
    default:
      return true;
  }
}

/** The workload with a change, without what another choice has no use for. Undefined: as usual. */
export function workloadWith(workload: Workload | undefined, change: Change<Workload>): Workload | undefined {
  const next: Change<Workload> = { ...workload, ...change };
  if ('mode' in change) {
    if (next.mode === 'duration' || next.mode === 'rate') next.requests = undefined;
    else next.seconds = undefined;
    if (next.mode !== 'rate') next.requestsPerSecond = next.arrivals = undefined;
  }
  if ('method' in change && next.method !== 'POST') next.bodyBytes = undefined;
  if ('connections' in change && next.connections !== 'shared') next.shared = undefined;
  return changedOrNone(workload, next);
}
