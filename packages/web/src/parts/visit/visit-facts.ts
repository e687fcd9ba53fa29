// The circumstances of a visit, in words.
import type { Campaign, Condition, Environment, Resource, RoundLinkCheck, SiteDiscovery, Visit, VisitRun } from '@pronghorn/core/schemas';
import { workloadWords } from '@pronghorn/core/text';
import { workloadOf } from '@pronghorn/core/vocabulary';
import { many, number, percent, quantity, time } from '../../text/format.ts';
import { discoveryWords } from '../../text/sentence.ts';
import { invalidReasons, kindOf, metricOf, protocolNames } from '../../text/vocabulary.ts';
import { linkCheckWords } from '../conditions/link-checks.ts';
import { type Fact, wireProtocol } from './resources.ts';

/** Whether the visit counts: what it came to, and what follows from that. @param isRun true: a run of REST calls */
export function verdictOf(
  { outcome, counted, netlog, watchedEqually }: Pick<Visit, 'outcome' | 'counted' | 'netlog' | 'watchedEqually'>,
  isRun = false,
): { what: string; so: string } {
  const words = outcome.verdict === 'valid' ? '' : (invalidReasons[outcome.reason] ?? outcome.reason);
  if (netlog !== undefined) {
    const so = 'An extra visit that records Chrome’s network log, which slows a load: it counts nowhere.';
    return { what: words === '' ? 'Valid' : `Invalid: ${words}`, so };
  }
  if (outcome.verdict === 'valid' && counted && watchedEqually === false)
    return {
      what: 'Valid',
      so: 'It counts for onLoad and other times of the load alone: the visits of its round did not see the same late content, so that SpeedIndex, LCP, CLS, TBT, requests and bytes are left out.',
    };
  if (outcome.verdict === 'valid')
    return counted
      ? { what: 'Valid', so: missingSpeedIndex(outcome.metrics) ? 'It counts, but has no SpeedIndex.' : 'It counts in the results.' }
      : {
          what: 'Valid',
          so: 'It does not count: its round is not finished or was tried again, or a later visit, watched for longer, counts in its place.',
        };
  const [page, load] = isRun ? ['server', 'run'] : ['page', 'load'];
  if (kindOf(outcome.reason) === 'measurement')
    return { what: `Not measured: ${words}`, so: `It says nothing about the ${page} and counts nowhere.` };
  if (kindOf(outcome.reason) !== 'failure') return { what: `Not the requested ${page}: ${words}`, so: 'It counts nowhere.' };
  const so = counted
    ? `It counts as slower than every ${load} that succeeded.`
    : 'It does not count: its round is not finished, or was tried again.';
  return { what: `Failed: ${words}`, so };
}

/** As one line. */
export function verdictWords(visit: Pick<Visit, 'outcome' | 'counted' | 'netlog' | 'watchedEqually'>, isRun = false): string {
  const { what, so } = verdictOf(visit, isRun);
  return `${what}. ${so}`;
}

/**
 * The last link check before the visit: the round's, or, where each visit has a container, the container's. Checks come in the order of time.
 * A visit that was loaded began after the check in its container; for any other visit, `startedAt` is when its container started.
 */
function checkOf(visit: Visit, ofContainers: boolean, checks: readonly RoundLinkCheck[]): RoundLinkCheck | undefined {
  const began = Date.parse(visit.startedAt);
  const [from, to] = visit.environmentId === null ? [began, began + visit.wallMs] : [Number.NEGATIVE_INFINITY, began];
  return checks.findLast(({ attempt, checkedAt }) => {
    const checked = Date.parse(checkedAt);
    return attempt === visit.attempt && (!ofContainers || (checked >= from && checked <= to));
  });
}

/** @param checks of the link, made for the visit's round; undefined where they can't be read. */
export function visitFacts(
  visit: Visit,
  campaign: Campaign | null,
  checks: readonly RoundLinkCheck[] | undefined,
  resources: readonly Resource[],
): Fact[] {
  const { view, roundNumber, position, retry, attempt, cpu, link } = visit;
  const spec = campaign?.spec;
  const run = visit.run ?? null;
  const check = checks && checkOf(visit, spec?.isolation === 'container', checks);
  const condition = spec?.conditions.find(({ name }) => name === visit.condition);
  const place = `place ${position + 1} of its round`;
  const retried = retry > 0 ? `, retry ${retry} of its slot` : '';
  const facts: (readonly [string, string | null])[] = [
    ...(run === null ? pageFacts(visit, resources) : runFacts(run, campaign, visit)),
    ['Condition', visit.condition],
    ['View', (run === null ? pageViews : runViews)[view]],
    [
      'Round',
      `${roundNumber}${spec ? ` of ${spec.maximumRounds === null ? spec.rounds : `at most ${spec.maximumRounds}`}` : ''}, ${place}${retried}${attempt > 1 ? `, attempt ${attempt} of the round` : ''}`,
    ],
    ['Started', time(visit.startedAt)],
    [
      'Took',
      `${quantity(visit.wallMs, 'ms')} in all, ${run === null ? 'from its fresh context or container to its verdict' : 'from the start of its client to its verdict'}`,
    ],
    ['Ended', settledWords(visit.settled)],
    ['No SpeedIndex', missingWords(visit)],
    ['Watched', watchWords(visit.watch)],
    ['Moved', motionWords(visit.settled?.motion)],
    ['Beside discovery', likenessWords(visit.likeness)],
    ['Not waited for', notAwaitedWords(visit.settled)],
    [
      'CPU',
      cpu &&
        `${percent(cpu.ownShare)} by the runner and its ${run === null ? 'browser' : 'client'}, ${percent(cpu.foreignShare)} by others`,
    ],
    ['Link', link === null && !check && visit.environmentId !== null ? 'the machine’s own network' : null],
    [
      spec?.isolation === 'container' ? 'Link, measured before it' : 'Link, measured before its round',
      check ? linkCheckWords(check) : checks && link ? uncheckedWords(condition) : null,
    ],
    [
      run === null ? 'Lost in the browser' : 'Lost in the client',
      link && link.receiveDrops > 0 ? `${many(link.receiveDrops, 'UDP datagram')}: the machine’s fault, not the network’s` : null,
    ],
    ['Refused by the egress policy', link && link.refused.length > 0 ? link.refused.join(', ') : null],
    ['HTTP/3 discovery', spec && run === null && visit.protocol === 'h3' ? discoveryWords(spec.discovery) : null],
  ];
  return facts.filter((fact): fact is Fact => fact[1] !== null && fact[1] !== undefined);
}

const pageViews = { cold: 'cold: nothing kept from before', warm: 'warm: a repeat view' } as const;
const runViews = {
  cold: 'cold: requests open their connections',
  warm: 'warm: connections were opened, and had answered, before the run began',
} as const;

const pageFacts = ({ finalUrl }: Visit, resources: readonly Resource[]) =>
  [
    ['Document', finalUrl ?? 'none was loaded'],
    ['Loaded', amountWords(resources)],
    ['Protocols', mixWords(resources)],
  ] as const;

/** Such as: 50 over HTTP/3, 16 over HTTP/2, 1 failed, 2 blocked, 3 from a cache. */
function mixWords(resources: readonly Resource[]): string | null {
  const counts = new Map<string, number>();
  for (const { protocol, cache, failure, blocked } of resources) {
    const known = wireProtocol(protocol);
    const kind =
      cache !== 'none'
        ? 'from a cache'
        : known !== 'other'
          ? `over ${protocolNames[known]}`
          : failure !== null
            ? 'failed'
            : blocked !== null
              ? 'blocked'
              : 'over something else';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

/** Such as: 2,094 kB of 82 resources from 6 hosts. */
function amountWords(resources: readonly Resource[]): string | null {
  if (resources.length === 0) return null;
  const bytes = resources.reduce((sum, { transferBytes }) => sum + transferBytes, 0);
  const hosts = new Set(resources.map(({ host }) => host)).size;
  return `${quantity(bytes, 'bytes')} of ${many(resources.length, 'resource')} from ${many(hosts, 'host')}`;
}

function runFacts(run: VisitRun, campaign: Campaign | null, { finalUrl, siteId }: Visit) {
  const { planned, succeeded, connectionsBefore, connections, earlyData, sentAgain, wallSeconds } = run;
  const failed = Object.values(run.errors).reduce((sum, count) => sum + count, 0);
  const whole = number(planned, 'count');
  const site = campaign?.sites.find(({ id }) => id === siteId);
  const workload = campaign && site ? workloadOf(campaign.spec, site) : null;
  return [
    ['Address', site?.url ?? finalUrl],
    ['Workload', workload && `${workloadWords(workload)} At most ${workload.requestTimeoutMs / 1000} s a request.`],
    [
      'Requests',
      `${planned > 0 ? `${whole} planned, ` : ''}${number(succeeded, 'count')} succeeded, ${number(failed, 'count')} failed${sentAgain ? `; ${number(sentAgain, 'count')} sent once more, which the server had not processed` : ''}`,
    ],
    ['Run', `${quantity(wallSeconds * 1000, 'ms')} from the first request due to the last end`],
    [
      'Connections',
      `${number(connectionsBefore, 'count')} opened before the run, ${number(connections, 'count')} in it${earlyData > 0 ? `, ${number(earlyData, 'count')} of them with requests in the handshake (0-RTT)` : ''}`,
    ],
  ] as const;
}

const busyWords = { network: 'the network', script: 'scripts', paint: 'the picture' } as const;

/** Changes at the end may be missing from the numbers. */
function settledWords(settled: Visit['settled']): string | null {
  if (settled === null || settled === undefined) return null;
  const busy = settled.busy.map((part) => busyWords[part]).join(' and ');
  if (settled.cut) return `cut off ${quantity(settled.ms, 'ms')} after load, with ${busy || 'something'} still active`;
  return `${quantity(settled.ms, 'ms')} after load${busy === '' ? '' : `, while ${busy} still changed`}`;
}

function notAwaitedWords(settled: Visit['settled']): string | null {
  const { notAwaited = [], polls = false } = settled ?? {};
  const parts = [
    ...(notAwaited.length === 0 ? [] : [`${notAwaited.join(', ')}: open to the end without an answer, or silent`]),
    ...(polls ? ['what a script asks for again and again, by a timer'] : []),
  ];
  return parts.join('; ') || null;
}

/** Whether a page that showed something has no SpeedIndex. */
const missingSpeedIndex = (metrics: Parameters<typeof metricOf>[0]): boolean =>
  metricOf(metrics, 'speedIndex') === null && metricOf(metrics, 'firstVisualChange') !== null;

/** Why a page that showed something has no SpeedIndex; null: it has, or its browser reports no pictures. */
function missingWords({ outcome, settled }: Visit): string | null {
  if (outcome.verdict !== 'valid') return null;
  if (!missingSpeedIndex(outcome.metrics)) return null;
  const moved = settled?.busy.includes('paint') || settled?.motion !== undefined;
  return `${moved ? 'the picture still moved when the visit ended' : 'the picture changed again and again'}, so that it would depend on that moment`;
}

function motionWords(motion: NonNullable<Visit['settled']>['motion']): string | null {
  if (motion === undefined) return null;
  const what = motion.isVideo
    ? 'a video'
    : motion.cycleMs === null
      ? 'a long animation'
      : `what repeats within ${quantity(motion.cycleMs, 'ms')}`;
  return `${percent(motion.share)} of the viewport when the page was first idle, by ${what}`;
}

function watchWords(watch: Visit['watch']): string | null {
  if (watch === undefined) return null;
  const { untilMs, pauseMs, again } = watch;
  const least = [
    ...(untilMs > 0 ? [`${quantity(untilMs, 'ms')} from the navigation`] : []),
    ...(pauseMs > 0 ? [`${quantity(pauseMs, 'ms')} without activity`] : []),
  ];
  return `at least ${least.join(', and ')}, because ${again ? 'another visit of its round' : 'discovery, or another visit of the page,'} showed or requested something late${again ? '; made in place of one that ended sooner' : ''}`;
}

/** What differs from the page that discovery found; null: nothing, or nothing is known. */
function likenessWords(likeness: Visit['likeness']): string | null {
  if (likeness === undefined) return null;
  const { otherAnswers, otherEncodings, edgeMisses, picture, requestShare, bodyShare } = likeness;
  const few = Math.min(requestShare ?? 1, bodyShare ?? 1);
  const parts = [
    ...(few < 0.5 ? [`${percent(few)} of its requests or bytes`] : []),
    ...(otherAnswers > 0 ? [`${many(otherAnswers, 'object')} answered otherwise`] : []),
    ...(otherEncodings > 0 ? [`${many(otherEncodings, 'object')} in another encoding`] : []),
    ...(edgeMisses > 0 ? [`${many(edgeMisses, 'object')} not in the edge cache`] : []),
    ...(picture !== null && picture > 0.02 ? [`${percent(picture)} of the final picture differs`] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

/** A runner checks the link for every round, of native ones too; what is stored may be older than that, or not all. */
const uncheckedWords = (condition: Condition | undefined): string =>
  condition && (condition.baseRttMs ?? 0) === 0 && [condition.up, condition.down].every((shape) => Object.keys(shape).length === 0)
    ? 'no check is stored; its condition adds nothing to the link'
    : 'no check is stored';

export function environmentFacts({ machine, browser, link, runner, cpuSlowdown, origin }: Environment): Fact[] {
  const gib = (machine.memoryBytes / 2 ** 30).toFixed(1);
  const buffers = [
    link.receiveBuffers.tcp === null ? null : `TCP ${link.receiveBuffers.tcp}`,
    link.receiveBuffers.udpMaxBytes === null ? null : `UDP at most ${quantity(link.receiveBuffers.udpMaxBytes, 'bytes')}`,
  ].filter((words) => words !== null);
  return [
    ...(browser.product.startsWith(clientOfRuns) ? clientFacts(browser) : browserFacts(browser)),
    ['Machine', `${machine.cpu}, ${many(machine.cores, 'core')}, ${gib} GiB, ${machine.arch}, kernel ${machine.kernel}`],
    ...(cpuSlowdown === undefined ? [] : [['CPU slowdown', slowdownWords(cpuSlowdown)] as const]),
    ['Runner', `Pronghorn ${runner.version}, Node ${runner.node}`],
    [
      'Link',
      `${link.backend}${link.kernel === null ? '' : `, kernel ${link.kernel}`}, priority ${link.priority}, offloads ${link.offloads}`,
    ],
    [
      'TCP congestion control',
      link.congestionControl === null
        ? 'unknown'
        : `${link.congestionControl} ${origin === null ? 'at the browser’s end; servers use their own' : 'at both ends'}`,
    ],
    ...(link.uplink === undefined ? [] : [['Uplink', uplinkWords(link.uplink)] as const]),
    ['Receive buffers', buffers.length === 0 ? 'unknown' : buffers.join('; ')],
    ...(origin === null ? [] : [['Demo origin', JSON.stringify(origin)] as const]),
  ];
}

/** How the product of the client for REST calls begins. */
const clientOfRuns = 'Pronghorn-Transaction/';

const browserFacts = ({ product, sandbox, flags }: Environment['browser']): Fact[] => [
  ['Browser', `${product}, ${sandbox ? 'sandboxed' : 'without its sandbox'}`],
  ['Its flags', flags.join(' ')],
];

const clientFacts = ({ product, preferences }: Environment['browser']): Fact[] => [
  ['Client', product.slice(clientOfRuns.length)],
  [
    'Its settings',
    Object.entries(preferences)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  ],
];

function slowdownWords({ factor, machineIndex }: NonNullable<Environment['cpuSlowdown']>): string {
  const from = machineIndex === null ? 'named by the campaign' : `benchmark index of this machine: ${quantity(machineIndex, 'count')}`;
  return `${factor === 1 ? 'none' : `${factor} times slower`}; ${from}`;
}

const ipv6Words = { works: '(works)', 'leads-nowhere': '(leads nowhere, not used)', unproven: '(unproven)', none: '(not used)' } as const;

function uplinkWords({ mtu, ipv6 }: NonNullable<Environment['link']['uplink']>): string {
  const families = [
    mtu.v4 === null ? null : `IPv4 with an MTU of ${quantity(mtu.v4, 'bytes')}`,
    mtu.v6 === null ? null : `IPv6 ${ipv6Words[ipv6]} with an MTU of ${quantity(mtu.v6, 'bytes')}`,
  ].filter((words) => words !== null);
  return families.length === 0 ? 'no route to the internet' : families.join(', ');
}

export function discoveryFacts(discovery: SiteDiscovery): Fact[] {
  const { hosts, forced, objectCoverage, byteCoverage } = discovery;
  const offering = hosts.filter(({ h3 }) => h3 === 'proven').length;
  return [
    ['Hosts', `${many(hosts.length, 'host')}, HTTP/3 proven for ${offering}`],
    ['Forced over HTTP/3', forced.length === 0 ? 'none' : forced.join(', ')],
    ['Served by these', `${quantity(objectCoverage, 'share')} of the objects, ${quantity(byteCoverage, 'share')} of the bytes`],
    ...(discovery.redirects.length === 0 ? [] : [['Redirects', [...discovery.redirects, discovery.finalUrl ?? ''].join(' → ')] as const]),
    ...(discovery.failure === null ? [] : [['Failed', discovery.failure.detail] as const]),
  ];
}
