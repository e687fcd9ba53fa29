// Runs of REST calls for made campaigns: real ones of this machine's loopback, and behind a link the same, each request so much later.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Outcome, TransactionMetrics, VisitRun } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { Outcomes } from './made-rounds.ts';

export interface MadeRun {
  protocol: Protocol;
  view: View;
  /** Its place in the campaign that it is from: see make-runs.ts. */
  site: number;
  outcome: Extract<Outcome, { verdict: 'valid' }>;
  run: VisitRun;
}

const stored = (): MadeRun[] => JSON.parse(gunzipSync(readFileSync(new URL('runs.json.gz', import.meta.url))).toString());

/** @param laterMs by condition; `failing`: no run of this protocol succeeds. */
export function madeRuns(laterMs: Readonly<Record<string, number>> = {}, failing?: Protocol): Outcomes {
  const runs = stored();
  return (protocol, round, _random, condition, url, view) => {
    const site = url.includes('/json') ? 0 : 1;
    const those = runs.filter((one) => one.protocol === protocol && one.view === view && one.site === site);
    const made = those[round % those.length];
    if (made === undefined) throw new Error(`No run over ${protocol} in a ${view} view of ${url} is stored.`);
    const { outcome, run } = delayed(made, laterMs[condition] ?? 0);
    if (protocol !== failing) return [{ ...outcome, run }];
    return [{ verdict: 'invalid', reason: 'quic-error', detail: 'every request timed out', run: withoutSuccess(run) }];
  };
}

/** What a request that failed counts as. */
const limitMs = 30_000;

function delayed({ outcome, run }: MadeRun, laterMs: number): Pick<MadeRun, 'outcome' | 'run'> {
  const later = (spread: VisitRun['latency']): VisitRun['latency'] => {
    const times = Object.fromEntries(
      (['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const).map((name) => [
        name,
        Math.min(limitMs, spread[name] + laterMs),
      ]),
    );
    return { ...spread, ...times, curve: spread.curve.map(([percentile, ms]) => [percentile, Math.min(limitMs, ms + laterMs)]) };
  };
  const metrics = { ...(outcome.metrics as TransactionMetrics) };
  const [response, latency, ttfb] = [later(run.response), later(run.latency), later(run.ttfb)];
  const slower = run.response.p50 / response.p50;
  Object.assign(metrics, {
    ...{
      responseTime: response.p50,
      ...{ responseTimeMean: response.mean, responseTimeP95: response.p95, responseTimeP99: response.p99 },
      latency: latency.p50,
      latencyMean: latency.mean,
      latencyP90: latency.p90,
    },
    ...{ latencyP95: latency.p95, latencyP99: latency.p99, latencyMax: latency.max, ttfb: ttfb.p50 },
    ...{ ttfbMean: ttfb.mean, ttfbP95: ttfb.p95, ttfbP99: ttfb.p99 },
    ...{ requestsPerSecond: metrics.requestsPerSecond * slower, bytesPerSecond: metrics.bytesPerSecond * slower },
    ...{ timePerRequest: metrics.timePerRequest / slower, handshake: (metrics.handshake ?? 0) + 2 * laterMs },
  });
  const made = slowed(run, slower);
  const failedRequests = Object.values(made.errors).reduce((sum, count) => sum + count, 0);
  const transferBytes = run.planned > 0 ? metrics.transferBytes : Math.round(metrics.transferBytes * slower);
  Object.assign(metrics, { failedRequests, requests: made.succeeded + failedRequests, transferBytes, finishedBytes: transferBytes });
  return { outcome: { verdict: 'valid', metrics }, run: { ...made, response, latency, ttfb } };
}

/** A run of a number of requests lasts longer, one of so many seconds has fewer. */
function slowed(run: VisitRun, by: number): VisitRun {
  if (run.planned > 0) return { ...run, wallSeconds: run.wallSeconds / by };
  const fewer = <Counts extends object>(counts: Counts): Counts =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, name === 'at' ? count : Math.round(count * by)])) as Counts;
  return { ...run, succeeded: Math.round(run.succeeded * by), errors: fewer(run.errors), seconds: run.seconds.map(fewer) };
}

/** Each request came to its limit. */
function withoutSuccess(run: VisitRun): VisitRun {
  const none = (spread: VisitRun['latency']): VisitRun['latency'] => {
    const times = { min: limitMs, mean: limitMs, p50: limitMs, p90: limitMs, p95: limitMs, p99: limitMs, p999: limitMs, max: limitMs };
    return { ...spread, ...times, curve: spread.curve.map(([percentile]) => [percentile, limitMs]) };
  };
  return {
    ...run,
    ...{ succeeded: 0, errors: { timeout: run.succeeded }, details: { timeout: 'no answer within 30 s' } },
    ...{ latency: none(run.latency), ttfb: none(run.ttfb), response: none(run.response) },
    seconds: run.seconds.map((second) => ({ ...second, succeeded: 0, failed: second.succeeded, bytesReceived: 0 })),
  };
}
