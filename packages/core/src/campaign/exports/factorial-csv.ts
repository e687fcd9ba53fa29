// The runs of a factorial campaign as a table, a line for each, in the shape of the published study: factors, replication, numbers with their units in their names.
import type { Campaign } from '../../schemas/campaign.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import type { Visit } from '../../schemas/visit.ts';
import { toLine } from '../../text/csv.ts';
import { metricOf } from '../../vocabulary/metric.ts';

type Column = { name: string; of: (visit: Valid, bodyBytes: number) => number | null };
type Valid = Extract<Visit['outcome'], { verdict: 'valid' }>['metrics'];

const plain = (name: string, metric: MetricName): Column => ({ name, of: (metrics) => metricOf(metrics, metric) });

/** MB are 10⁶ bytes. */
const ofRuns: readonly Column[] = [
  plain('latency_ms', 'latencyMean'),
  plain('latency_p50_ms', 'latency'),
  plain('latency_p95_ms', 'latencyP95'),
  plain('latency_p99_ms', 'latencyP99'),
  plain('ttfb_ms', 'ttfbMean'),
  plain('ttfb_p50_ms', 'ttfb'),
  plain('ttfb_p95_ms', 'ttfbP95'),
  plain('ttfb_p99_ms', 'ttfbP99'),
  { name: 'throughput_mb_s', of: throughput },
  { name: 'total_throughput_mb_s', of: (metrics) => scaled(metricOf(metrics, 'bytesPerSecond'), 1e-6) },
  plain('requests_per_s', 'requestsPerSecond'),
  plain('requests', 'requests'),
  plain('failed_requests', 'failedRequests'),
  plain('client_cpu_us', 'clientCpu'),
  plain('server_cpu_us', 'serverCpu'),
];

const ofPages: readonly Column[] = [
  plain('onload_ms', 'onLoad'),
  plain('speedindex_ms', 'speedIndex'),
  plain('lcp_ms', 'largestContentfulPaint'),
  plain('fcp_ms', 'firstContentfulPaint'),
  plain('ttfb_ms', 'ttfb'),
  plain('requests', 'requests'),
  plain('transfer_bytes', 'transferBytes'),
];

/** Of one request, as the study has it: its payload by what requests took in the mean, those that failed with their time limits. */
function throughput(metrics: Valid, bodyBytes: number): number | null {
  const [latency, requests, lost] = [
    metricOf(metrics, 'latencyMean'),
    metricOf(metrics, 'requests') ?? 0,
    metricOf(metrics, 'failedRequests') ?? 0,
  ];
  if (latency === null || latency === 0 || requests <= lost) return null;
  const payload = bodyBytes + (metricOf(metrics, 'finishedBytes') ?? 0) / (requests - lost);
  return payload / latency / 1_000;
}

const scaled = (value: number | null, by: number) => (value === null ? null : value * by);
const columnsOf = ({ engine }: Pick<Campaign['spec'], 'engine'>) => (engine === 'transaction' ? ofRuns : ofPages);
const factorsOf = (sites: Campaign['sites']) => Object.keys(sites[0]?.levels ?? {});

/** The line of column names, with its end of line. The condition is the study’s network. */
export function factorialCsvHeader({ spec, sites }: Pick<Campaign, 'spec' | 'sites'>): string {
  const views = spec.views.length > 1 ? ['view'] : [];
  const own = columnsOf(spec).map(({ name }) => name);
  const taken = ['protocol', 'network', 'view', 'replication', 'verdict', ...own];
  // No two columns have one name.
  const factors = factorsOf(sites).map((factor) => (taken.includes(factor) ? `factor ${factor}` : factor));
  return toLine(['protocol', ...factors, 'network', ...views, 'replication', 'verdict', ...own]);
}

/** The line of a visit that counts, valid or failed, with its end of line; nothing of another. What a failed one took nobody knows: its numbers are empty. */
export function factorialCsvLine(visit: Visit, { spec, sites }: Pick<Campaign, 'spec' | 'sites'>): string {
  const { outcome, counted, condition, view, protocol, roundNumber, siteId } = visit;
  const site = sites.find(({ id }) => id === siteId);
  const levels = site?.levels;
  if (!counted || levels === undefined) return '';
  return toLine([
    ...[protocol, ...factorsOf(sites).map((factor) => levels[factor]), condition, ...(spec.views.length > 1 ? [view] : []), roundNumber],
    outcome.verdict === 'valid' ? 'valid' : outcome.reason,
    ...columnsOf(spec).map(({ of }) => (outcome.verdict === 'valid' ? of(outcome.metrics, site?.workload?.bodyBytes ?? 0) : null)),
  ]);
}
