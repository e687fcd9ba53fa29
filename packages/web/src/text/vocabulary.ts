// The vocabulary of packages/core in words for people.
import type {
  CampaignSpec,
  CampaignState,
  GateMetric,
  MetricName,
  Metrics,
  RequestError,
  Role,
  SiteClass,
  VerdictOutcome,
} from '@pronghorn/core/schemas';
import type { InvalidKind, InvalidReason, Protocol, View } from '@pronghorn/core/vocabulary';

export const protocolNames: Readonly<Record<Protocol, string>> = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' };

export const stateNames: Readonly<Record<CampaignState, string>> = {
  queued: 'queued',
  running: 'running',
  done: 'done',
  cancelled: 'cancelled',
};

/** The short word beside a verdict's mark; the sentence is the API's. */
export const outcomeNames: Readonly<Record<VerdictOutcome, string>> = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  'h1-faster': 'HTTP/1.1 faster',
  equivalent: 'equivalent',
  'not-shown-yet': 'not shown yet',
  inconclusive: 'inconclusive',
};

export const adjustmentNames: Readonly<Record<CampaignSpec['adjustment'], string>> = {
  hommel: 'Hommel',
  holm: 'Holm',
  'benjamini-hochberg': 'Benjamini–Hochberg',
};

export type Unit = 'ms' | 'µs' | 'bytes' | 'bytes/s' | 'per second' | 'count' | 'share' | 'score';

export const metricNames: Readonly<Record<MetricName, { name: string; unit: Unit }>> = {
  onLoad: { name: 'onLoad', unit: 'ms' },
  loadEventEnd: { name: 'End of load event', unit: 'ms' },
  domContentLoaded: { name: 'DOMContentLoaded', unit: 'ms' },
  ttfb: { name: 'Time to first byte', unit: 'ms' },
  documentHeaders: { name: 'Document’s headers', unit: 'ms' },
  firstPaint: { name: 'First paint', unit: 'ms' },
  firstContentfulPaint: { name: 'First contentful paint', unit: 'ms' },
  largestContentfulPaint: { name: 'Largest contentful paint', unit: 'ms' },
  cumulativeLayoutShift: { name: 'Cumulative layout shift', unit: 'score' },
  speedIndex: { name: 'SpeedIndex', unit: 'ms' },
  firstVisualChange: { name: 'First visual change', unit: 'ms' },
  lastVisualChange: { name: 'Last visual change', unit: 'ms' },
  totalBlockingTime: { name: 'Total blocking time', unit: 'ms' },
  linkedDownload: { name: 'Linked assets downloaded', unit: 'ms' },
  requests: { name: 'Requests', unit: 'count' },
  transferBytes: { name: 'Bytes received', unit: 'bytes' },
  finishedBytes: { name: 'Bytes of finished requests', unit: 'bytes' },
  connections: { name: 'Connections', unit: 'count' },
  hosts: { name: 'Hosts', unit: 'count' },
  failedRequests: { name: 'Failed requests', unit: 'count' },
  blockedRequests: { name: 'Blocked requests', unit: 'count' },
  webSockets: { name: 'WebSockets', unit: 'count' },
  h1Share: { name: 'Objects over HTTP/1.x', unit: 'share' },
  h2Share: { name: 'Objects over HTTP/2', unit: 'share' },
  h3Share: { name: 'Objects over HTTP/3', unit: 'share' },
  h1ByteShare: { name: 'Bytes over HTTP/1.x', unit: 'share' },
  h2ByteShare: { name: 'Bytes over HTTP/2', unit: 'share' },
  h3ByteShare: { name: 'Bytes over HTTP/3', unit: 'share' },
  largestConnectionShare: { name: 'Objects on the largest connection', unit: 'share' },
  ipv6Share: { name: 'Objects over IPv6', unit: 'share' },
  responseTime: { name: 'Response time', unit: 'ms' },
  responseTimeMean: { name: 'Mean response time', unit: 'ms' },
  responseTimeP95: { name: 'Response time, 95th percentile', unit: 'ms' },
  responseTimeP99: { name: 'Response time, 99th percentile', unit: 'ms' },
  latency: { name: 'Latency', unit: 'ms' },
  latencyMean: { name: 'Mean latency', unit: 'ms' },
  latencyP90: { name: 'Latency, 90th percentile', unit: 'ms' },
  latencyP95: { name: 'Latency, 95th percentile', unit: 'ms' },
  latencyP99: { name: 'Latency, 99th percentile', unit: 'ms' },
  latencyMax: { name: 'Largest latency', unit: 'ms' },
  ttfbMean: { name: 'Mean time to first byte', unit: 'ms' },
  ttfbP95: { name: 'First byte, 95th percentile', unit: 'ms' },
  ttfbP99: { name: 'First byte, 99th percentile', unit: 'ms' },
  timePerRequest: { name: 'Time per request', unit: 'ms' },
  handshake: { name: 'Handshake', unit: 'ms' },
  requestsPerSecond: { name: 'Requests per second', unit: 'per second' },
  bytesPerSecond: { name: 'Bytes per second', unit: 'bytes/s' },
  sentBytes: { name: 'Bytes sent', unit: 'bytes' },
  clientCpu: { name: 'Client’s CPU time per request', unit: 'µs' },
  serverCpu: { name: 'Server’s CPU time per request', unit: 'µs' },
  clientMemory: { name: 'Client’s memory', unit: 'bytes' },
  serverMemory: { name: 'Server’s memory', unit: 'bytes' },
  packets: { name: 'Packets', unit: 'count' },
  resentPackets: { name: 'Packets sent again', unit: 'count' },
};

/** Measured of pages and of runs of REST calls alike: what goes over the network. */
const ofBoth: readonly MetricName[] = [
  ...(['ttfb', 'requests', 'transferBytes', 'finishedBytes', 'connections', 'failedRequests'] as const),
  ...(['h1Share', 'h2Share', 'h3Share', 'h1ByteShare', 'h2ByteShare', 'h3ByteShare', 'largestConnectionShare', 'ipv6Share'] as const),
];
const names = Object.keys(metricNames) as MetricName[];
const firstOfRuns = names.indexOf('responseTime');
const ofPages = names.slice(0, firstOfRuns);
const ofRuns = [...names.slice(firstOfRuns), ...ofBoth];

/** What visits of a campaign measure. */
export const metricsIn = ({ engine }: Pick<CampaignSpec, 'engine'>): readonly MetricName[] => (engine === 'transaction' ? ofRuns : ofPages);

/** A metric of a visit; null: it has none, or measures something else. */
export const metricOf = (metrics: Metrics, name: MetricName): number | null =>
  (metrics as Partial<Record<MetricName, number | null>>)[name] ?? null;

/** The two that readers look for first. */
export const firstMetrics = ({ engine }: Pick<CampaignSpec, 'engine'>): readonly [MetricName, MetricName] =>
  engine === 'transaction' ? ['responseTime', 'responseTimeP99'] : ['onLoad', 'speedIndex'];

/** A metric's name in a campaign: SpeedIndex of a video and of frames are never to be taken for one another. */
export const metricNameIn = (spec: Pick<CampaignSpec, 'engine'>, metric: MetricName): string =>
  metric === 'speedIndex' && spec.engine === 'browsertime' ? 'SpeedIndex from video' : metricNames[metric].name;

/** What a view of a run of REST calls is: of connections, since nothing is cached. */
export const runViewWords: Readonly<Record<View, string>> = {
  cold: 'the first request of a connection opens it, so the handshake is part of its time',
  warm: 'each connection was opened, and has answered a request, before the run begins',
};

/** What a gate can hold against a limit. */
export const gateMetricNames: Readonly<Record<GateMetric, { name: string; unit: Unit }>> = {
  ...metricNames,
  failedShare: { name: 'Share of failed visits', unit: 'share' },
};

export const invalidReasons: Readonly<Record<InvalidReason, string>> = {
  'dns-error': 'a host name did not resolve',
  'tls-error': 'the certificate or the TLS handshake was refused, which Pronghorn never ignores',
  'quic-error': 'HTTP/3 was forced and failed: UDP is blocked, or there is no HTTP/3',
  'connection-error': 'the main document could not be fetched',
  'http-status': 'the main document came with another status than expected',
  'not-a-page': 'the URL is a download or has no document',
  'protocol-unavailable': 'the site does not offer this protocol',
  'wrong-protocol': 'loaded, but over another protocol than the one asked for',
  'protocol-unproven': 'nothing in the visit proves its protocol (all came from a cache)',
  'connection-reused': 'the visit began on a connection that was open before',
  redirected: 'the page ended on another URL than at discovery',
  'left-page': 'the page moved on by itself again and again, and never came to rest',
  challenge: 'a wall that asks for proof of a human answered instead of the page',
  incomplete: 'objects failed that load otherwise: a page with holes is another page',
  'load-timeout': 'the load event did not come in time',
  'page-too-big': 'more requests or bytes than the campaign allows',
  'tab-crashed': 'the page’s renderer crashed',
  'browser-crashed': 'the browser itself went away',
  'busy-machine': 'other work or a CPU limit took too much of the machine’s CPU',
  'no-visual-progress': 'the page painted, but no frame shows it: its SpeedIndex would be wrong',
  'step-failed': 'what comes before the page (login, consent, an earlier page) failed',
  'secret-missing': 'a secret that the page needs first was not found, or may not go to its hosts',
  'not-confirmed': 'the server has not shown that it may be loaded with requests',
  'engine-error': 'the measurement itself failed',
};

/** Whether an invalid visit is a failure of the page, one of the measurement, or of something else than was asked for. */
export const invalidKinds: Readonly<Record<InvalidReason, InvalidKind>> = {
  'dns-error': 'failure',
  'tls-error': 'failure',
  'quic-error': 'failure',
  'connection-error': 'failure',
  'http-status': 'failure',
  'not-a-page': 'unfit',
  'protocol-unavailable': 'unfit',
  'wrong-protocol': 'unfit',
  'protocol-unproven': 'unfit',
  'connection-reused': 'measurement',
  redirected: 'failure',
  'left-page': 'failure',
  challenge: 'failure',
  incomplete: 'failure',
  'load-timeout': 'failure',
  'page-too-big': 'failure',
  'tab-crashed': 'failure',
  'browser-crashed': 'measurement',
  'busy-machine': 'measurement',
  'no-visual-progress': 'measurement',
  'step-failed': 'unfit',
  'secret-missing': 'unfit',
  'not-confirmed': 'unfit',
  'engine-error': 'measurement',
};

/** The short word of each kind. */
export const kindNames: Readonly<Record<InvalidKind, string>> = {
  failure: 'failed',
  measurement: 'not measured',
  unfit: 'not the page asked for',
};

/** Why a request of a run is no success. */
export const requestErrors: Readonly<Record<RequestError, string>> = {
  dns: 'the host has no address',
  refused: 'nobody listens at its port',
  unreachable: 'there is no way to it',
  tls: 'its certificate, TLS version or cipher was refused',
  'wrong-protocol': 'it spoke another protocol than was asked for',
  timeout: 'no end within the time of a request',
  reset: 'the connection was cut off',
  closed: 'the server closed the connection',
  'stream-reset': 'the server gave up this request alone',
  incomplete: 'the body ended too early',
  'http-status': 'an answer that is no success',
  'not-sent': 'the time of the run was over before it was sent',
  other: 'something else',
};

/** What a role may do, for people. */
export const roleNames: Readonly<Record<Role, string>> = {
  viewer: 'may read',
  submitter: 'may start campaigns',
  runner: 'measures',
  admin: 'may do everything',
};

/** Where H3-Delta passes from one class of sites to the next (Trevisan et al. 2021). */
export const classBorder = 0.1;

export const classNames: Readonly<Record<SiteClass, string>> = { below: 'HTTP/3 lower', within: 'about the same', above: 'HTTP/2 lower' };
