// A campaign's request for other tools: `pronghorn measure`, and curl.
import type { CampaignRequest, Condition, KnownCondition, Visitor, Workload } from '@pronghorn/core/schemas';
import { shellQuoted } from '../../text/shell.ts';
import { bodyOf } from '../conditions/condition-form.ts';
import { exact } from '../forms/fields.ts';

/**
 * For a POSIX shell. Conditions that other Pronghorns may lack come first, as files.
 * @param known the service's conditions.
 * @returns `uncovered`: parts of the request without an option; `variables`: those of the environment that must hold the service's secrets
 */
export function measureLine(
  request: CampaignRequest,
  known: readonly KnownCondition[],
): { line: string; uncovered: string[]; variables: string[] } {
  const names: string[] = [];
  const own: Condition[] = [];
  for (const condition of request.conditions ?? []) {
    const definition = typeof condition === 'string' ? known.find(({ name, preset }) => name === condition && !preset) : condition;
    if (definition !== undefined) own.push(bodyOf(definition));
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
    ['precision', request.precision],
    ['rounds', request.rounds],
    ['until-settled', request.maximumRounds ?? undefined],
    ['view', request.views?.join(',')],
    ['metric', request.primaryMetric],
    ['margin', request.margin === undefined ? undefined : exact(request.margin * 100)],
    ['adjust', request.adjustment],
    ['discovery', request.discovery],
    ['isolation', request.isolation === 'container' ? undefined : request.isolation],
    ['engine', request.engine],
    ['no-video', request.engineOptions?.video === false || undefined],
    ['browsertime-defaults', request.engineOptions?.waits === 'browsertime' || undefined],
    ...workloadOptions(request.workload ?? {}),
    ['browser', request.browser],
    ['timeout', typeof limits.loadTimeoutMs !== 'number' ? undefined : exact(limits.loadTimeoutMs / 1000)],
    ['quiet', limits.quietMs],
    ['settle', limits.settleMaxMs === undefined ? undefined : exact(limits.settleMaxMs / 1000)],
    ['busy', limits.foreignCpuShare],
    ['seed', request.seed],
    ['expect-status', statuses.size === 1 && status !== 200 ? status : undefined],
  ];
  const line = [
    './pronghorn measure',
    ...request.sites.map(({ url }) => shellQuoted(url)),
    ...[...options, ...visitor.options].flatMap(([name, value]) =>
      value === undefined ? [] : [value === true ? `--${name}` : `--${name} ${shellQuoted(String(value))}`],
    ),
  ];
  const { loadTimeoutMs: _timeout, quietMs: _quiet, settleMaxMs: _settle, foreignCpuShare: _busy, ...otherLimits } = limits;
  const uncovered = [
    ...(request.name === undefined ? [] : ['the name']),
    ...(request.sites.some(({ name }) => name !== undefined) ? ['names of pages'] : []),
    ...(statuses.size > 1 ? ['a status for each page'] : []),
    ...(request.sites.some(({ visitor }) => visitor !== undefined) ? ['a visitor for each page'] : []),
    ...(request.sites.some(({ workload }) => workload !== undefined) ? ['a workload for each URL'] : []),
    ...visitor.uncovered,
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
  return { line: `${files.join('')}${wrapped(line)}`, uncovered, variables: visitor.variables };
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
    ['request-timeout', workload.requestTimeoutMs === undefined ? undefined : exact(workload.requestTimeoutMs / 1000)],
  ];
}

interface VisitorOptions {
  /** Name and value; true for an option without a value. */
  options: [string, string | number | true][];
  /** The files that options name. */
  files: { name: string; text: string }[];
  /** Parts that no option covers. */
  uncovered: string[];
  /** Environment variables that hold the service's secrets. */
  variables: string[];
}

/** A visitor as options. Other machines lack the service's secrets: `secret:wall-pass` is read from WALL_PASS there. */
export function visitorOptions(visitor: Visitor): VisitorOptions {
  const variables = new Set<string>();
  const local = (text: string): string => {
    const [, name] = /^secret:(.+)$/.exec(text) ?? [];
    if (name === undefined) return text;
    const variable = name
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_');
    variables.add(variable);
    return `env:${variable}`;
  };
  const { userAgent, headers = [], cookies = [], basicAuth, ca, proxy, block = [], firstPartyOnly, ownHosts = [] } = visitor;
  const { clientCertificate, proxyAuth } = visitor;
  const { device, viewport, cpuSlowdown, language, steps, after = [] } = visitor;
  const all: Option[] = [
    ['user-agent', userAgent],
    ...headers.map(({ name, value }): [string, string] => ['header', `${name}: ${local(value)}`]),
    ...cookies
      .filter(({ domain }) => domain === undefined)
      .map(({ name, value }): [string, string] => ['cookie', `${name}=${local(value)}`]),
    ['basic-auth', basicAuth && `${basicAuth.user}:${local(basicAuth.password)}`],
    ['ca', ca === undefined ? undefined : 'ca.pem'],
    ['client-cert', clientCertificate && local(clientCertificate)],
    ['proxy', proxy],
    ['proxy-auth', proxyAuth && `${proxyAuth.user}:${local(proxyAuth.password)}`],
    ...block.map((host): [string, string] => ['block', host]),
    ['first-party-only', firstPartyOnly === true ? true : undefined],
    ...ownHosts.map((host): [string, string] => ['own-host', host]),
    ['device', device],
    ['viewport', viewport && `${viewport.width}x${viewport.height}`],
    ['cpu-slowdown', cpuSlowdown],
    ['language', language],
    ['steps', steps === undefined ? undefined : 'steps.json'],
    ...after.map((url): [string, string] => ['after', url]),
  ];
  const localSteps = steps?.map((step) => ({
    ...step,
    ...('secret' in step && step.secret !== undefined ? { secret: local(step.secret) } : {}),
    ...('value' in step ? { value: local(step.value) } : {}),
  }));
  return {
    options: all.flatMap(([name, value]): VisitorOptions['options'] => (value === undefined ? [] : [[name, value]])),
    files: [
      ...(ca === undefined ? [] : [{ name: 'ca.pem', text: ca.trimEnd() }]),
      ...(localSteps === undefined ? [] : [{ name: 'steps.json', text: JSON.stringify(localSteps, null, 2) }]),
    ],
    uncovered: [
      ...(cookies.some(({ domain }) => domain !== undefined) ? ['cookies of other hosts than the page’s'] : []),
      ...(viewport?.scale === undefined ? [] : ['the scale of the viewport']),
    ],
    variables: [...variables],
  };
}

/** @param withToken whether the service requires a token */
export function curlLine(request: CampaignRequest, url: string, withToken: boolean): string {
  const token = withToken ? [`-H "authorization: Bearer $PRONGHORN_TOKEN"`] : [];
  return wrapped([
    `curl -s ${shellQuoted(url)}`,
    `-H 'content-type: application/json'`,
    ...token,
    `-d ${shellQuoted(JSON.stringify(request, null, 2))}`,
  ]);
}

const wrapped = (parts: readonly string[]) => (parts.join(' ').length <= 90 ? parts.join(' ') : parts.join(' \\\n  '));
