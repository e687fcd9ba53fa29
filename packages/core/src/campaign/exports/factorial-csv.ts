// The runs of a factorial campaign as a table, one line each, in the format of the published study: factors, replication, numbers with
// units in their names.
import type { Campaign } from '../../schemas/campaign.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import type { Visit } from '../../schemas/visit.ts';
import { toLine } from '../../text/csv.ts';
import { metricOf } from '../../vocabulary/metric.ts';

type Column = { name: string; of: (visit: Valid, bodyBytes: number) => number | null };
type Valid = Extract<Visit['outcome'], { verdict: 'valid' }>['metrics'];

const plain = (name: string, metric: MetricName): Column => ({ name, of: (metrics) => metricOf(metrics, metric) });

/** 1 MB is 10⁶ bytes. */
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

/** Per request, as in the study: its payload ÷ mean latency; failed requests count with their time limits. */
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
  // Column names must be unique.
  const factors = factorsOf(sites).map((factor) => (taken.includes(factor) ? `factor ${factor}` : factor));
  return toLine(['protocol', ...factors, 'network', ...views, 'replication', 'verdict', ...own]);
}

/**
 * The line of a visit that counts, valid or failed, with its end of line; empty for others. The numbers of a failed visit are unknown, so
 * its cells are empty.
 */
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
