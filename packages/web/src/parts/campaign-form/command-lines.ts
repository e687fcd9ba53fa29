// A campaign's request as it is typed elsewhere: for `pronghorn measure`, and for curl.
import type { CampaignRequest, Condition, KnownCondition, Workload } from '@pronghorn/core/schemas';
import { bodyOf } from '../conditions/condition-body.ts';
import { visitorOptions } from './visitor-options.ts';

/** In single quotes where a POSIX shell would take it for something else. */
export const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * For a POSIX shell. Conditions that not every Pronghorn knows come before it as files.
 * @param known the service's conditions.
 * @returns `unsaid`: what the request has and no option of the command can say; `variables` of the environment that have to hold what the
 * service keeps as secrets.
 */
export function measureLine(
  request: CampaignRequest,
  known: readonly KnownCondition[],
): { line: string; unsaid: string[]; variables: string[] } {
  const names: string[] = [];
  const own: Condition[] = [];
  for (const condition of request.conditions ?? []) {
    const found = typeof condition === 'string' ? known.find(({ name, preset }) => name === condition && !preset) : condition;
    if (found !== undefined) own.push(bodyOf(found));
    else if (typeof condition === 'string') names.push(condition);
  }
  const statuses = new Set(request.sites.map(({ expectStatus = 200 }) => expectStatus));
  const [status = 200] = statuses;
  const limits = request.limits ?? {};
  const visitor = visitorOptions(request.visitor ?? {});
  const options: Option[] = [
    ['conditions', names.length > 0 ? names.join(',') : undefined],
    ...own.map(({ name }): [string, string] => ['condition', `${name}.json`]),
    ['protocols', request.protocols?.join(',')],
    ['rounds', request.rounds],
    ['until-settled', request.maximumRounds ?? undefined],
    ['view', request.views?.join(',')],
    ['metric', request.primaryMetric],
    ['margin', request.margin === undefined ? undefined : plain(request.margin * 100)],
    ['adjust', request.adjustment],
    ['discovery', request.discovery],
    ['isolation', request.isolation === 'container' ? undefined : request.isolation],
    ['engine', request.engine],
    ['no-video', request.engineOptions?.video === false || undefined],
    ['browsertime-defaults', request.engineOptions?.waits === 'browsertime' || undefined],
    ...workloadOptions(request.workload ?? {}),
    ['browser', request.browser],
    ['timeout', typeof limits.loadTimeoutMs !== 'number' ? undefined : plain(limits.loadTimeoutMs / 1000)],
    ['quiet', limits.quietMs],
    ['settle', limits.settleMaxMs === undefined ? undefined : plain(limits.settleMaxMs / 1000)],
    ['busy', limits.foreignCpuShare],
    ['seed', request.seed],
    ['expect-status', statuses.size === 1 && status !== 200 ? status : undefined],
  ];
  const line = [
    './pronghorn measure',
    ...request.sites.map(({ url }) => quoted(url)),
    ...[...options, ...visitor.options].flatMap(([name, value]) =>
      value === undefined ? [] : [value === true ? `--${name}` : `--${name} ${quoted(String(value))}`],
    ),
  ];
  const { loadTimeoutMs: _timeout, quietMs: _quiet, settleMaxMs: _settle, foreignCpuShare: _busy, ...otherLimits } = limits;
  const unsaid = [
    ...(request.name === undefined ? [] : ['the name']),
    ...(request.sites.some(({ name }) => name !== undefined) ? ['names of pages'] : []),
    ...(statuses.size > 1 ? ['a status for each page'] : []),
    ...(request.sites.some(({ visitor }) => visitor !== undefined) ? ['a visitor for each page'] : []),
    ...(request.sites.some(({ workload }) => workload !== undefined) ? ['a workload for each URL'] : []),
    ...visitor.unsaid,
    ...(request.isolation === 'container' ? ['a container for each visit'] : []),
    ...(request.location === undefined ? [] : ['the location']),
    ...(request.priority === undefined ? [] : ['the priority']),
    ...(request.annotations === undefined ? [] : ['commit, branch and build']),
    ...(Object.keys(otherLimits).length > 0 ? ['all limits but those of time and CPU'] : []),
  ];
  const files = [
    ...own.map((condition) => ({ name: `${condition.name}.json`, text: JSON.stringify(condition, null, 2) })),
    ...visitor.files,
  ].map(({ name, text }) => `cat > ${name} <<'END'\n${text}\nEND\n`);
  return { line: `${files.join('')}${wrapped(line)}`, unsaid, variables: visitor.variables };
}

type Option = [string, string | number | true | undefined];

function workloadOptions(workload: Workload): Option[] {
  const { method, bodyBytes, paths = [], mode, users, requests, seconds, requestsPerSecond, arrivals } = workload;
  return [
    ['method', method],
    ['body', bodyBytes],
    ...paths.map((path): Option => ['path', path]),
    ['users', users],
    ['requests', requests],
    ['for', mode === 'duration' ? (seconds ?? 10) : seconds],
    ['rate', requestsPerSecond],
    ['poisson', arrivals === 'poisson' || undefined],
    ['connections', workload.connections],
    ['shared', workload.shared],
    ['early-data', workload.earlyData || undefined],
    ['request-timeout', workload.requestTimeoutMs === undefined ? undefined : plain(workload.requestTimeoutMs / 1000)],
  ];
}

/** @param withToken whether the service wants to know who asks. */
export function curlLine(request: CampaignRequest, url: string, withToken: boolean): string {
  const token = withToken ? [`-H "authorization: Bearer $PRONGHORN_TOKEN"`] : [];
  return wrapped([
    `curl -s ${quoted(url)}`,
    `-H 'content-type: application/json'`,
    ...token,
    `-d ${quoted(JSON.stringify(request, null, 2))}`,
  ]);
}

/** Without what arithmetic adds: 7.000000000000001. */
const plain = (value: number) => Number(value.toPrecision(12));

const wrapped = (parts: readonly string[]) => (parts.join(' ').length <= 90 ? parts.join(' ') : parts.join(' \\\n  '));
