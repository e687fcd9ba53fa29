import type { Outcome, TransactionMetrics, VisitRun } from '@pronghorn/core/schemas';
import { type InvalidReason, type Protocol, type RequestError, requestErrors } from '@pronghorn/core/vocabulary';
import { type RunReport, recordedFigures } from './program.ts';

/** Reason of a failed run, by the most frequent error of its requests. */
const reasonOf: Readonly<Record<RequestError, InvalidReason>> = {
  dns: 'dns-error',
  refused: 'connection-error',
  unreachable: 'connection-error',
  tls: 'tls-error',
  'wrong-protocol': 'wrong-protocol',
  timeout: 'load-timeout',
  reset: 'connection-error',
  closed: 'connection-error',
  'stream-reset': 'connection-error',
  incomplete: 'connection-error',
  'http-status': 'http-status',
  'not-sent': 'load-timeout',
  other: 'connection-error',
};

/** With fewer successes even the median is a failed request. */
const minSuccesses = 0.5;

/** Errors by their number, the most frequent first. */
export const errorsOf = ({ errors }: Pick<VisitRun, 'errors'>): [RequestError, number][] =>
  (Object.entries(errors) as [RequestError, number][]).filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);

/** CPU time by the requests that were sent, in microseconds: what was due and could not be sent took none. */
export function cpuPerRequest({ succeeded, errors }: Pick<VisitRun, 'succeeded' | 'errors'>, cpuSeconds: number): number {
  const failed = errorsOf({ errors }).reduce((sum, [, count]) => sum + count, 0);
  return Math.max(0, (cpuSeconds * 1e6) / Math.max(1, succeeded + failed - (errors['not-sent'] ?? 0)));
}

/**
 * A run is valid when at least half of its requests succeeded; the others count as requests that took their whole time limit, and are counted. It is a
 * failure, slower than every run that is none, when most of them failed; and it is unfit when its server spoke another protocol.
 */
export function outcomeOfRun({ summary, connections }: Pick<RunReport, 'summary' | 'connections'>, protocol: Protocol): Outcome {
  const [worst] = errorsOf(summary);
  const failed = Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
  const sent = summary.succeeded + failed;
  const invalid = (reason: InvalidReason, detail: string): Outcome => ({ verdict: 'invalid', reason, detail });
  if (summary.errors['wrong-protocol'])
    return invalid('wrong-protocol', `${summary.errors['wrong-protocol']} of ${sent} requests: ${summary.details['wrong-protocol'] ?? ''}`);
  if (worst === undefined && sent === 0) return invalid('engine-error', 'No request was sent.');
  if (summary.succeeded < minSuccesses * sent && worst !== undefined) {
    const [name, count] = worst;
    const isUnreached = summary.succeeded === 0 && summary.connectionsBefore + summary.connections === 0;
    const reason = protocol === 'h3' && isUnreached && ['timeout', 'refused', 'reset'].includes(name) ? 'quic-error' : reasonOf[name];
    return invalid(
      reason,
      `${failed} of ${sent} requests failed; most frequent (${count}): ${requestErrors[name]} (${summary.details[name] ?? name}).`,
    );
  }
  return { verdict: 'valid', metrics: metricsOf(summary, connections, protocol, sent, failed) };
}

/** The part of a report that the visit's record holds. */
export function runOf(summary: RunReport['summary'], seconds: RunReport['seconds']): VisitRun {
  const recorded = Object.fromEntries(recordedFigures.map((name) => [name, summary[name]])) as Pick<
    VisitRun,
    (typeof recordedFigures)[number]
  >;
  const details = Object.fromEntries(Object.entries(summary.details).map(([name, words]) => [name, words.slice(0, 2_000)]));
  return { ...recorded, details, seconds };
}

function metricsOf(
  summary: RunReport['summary'],
  connections: RunReport['connections'],
  protocol: Protocol,
  sent: number,
  failed: number,
): TransactionMetrics {
  const { latency, ttfb, response, wallSeconds, bytesSent, bytesReceived, traffic, client, server } = summary;
  const over = (one: Protocol) => (one === protocol ? 1 : 0);
  const perRequest = (seconds: number | undefined) => (seconds === undefined ? null : cpuPerRequest(summary, seconds));
  const packets = traffic.packetsSent === null || traffic.packetsReceived === null ? null : traffic.packetsSent + traffic.packetsReceived;
  const used = new Set(connections.map(({ remote }) => remote));
  return {
    latency: latency.p50,
    latencyMean: latency.mean,
    latencyP90: latency.p90,
    latencyP95: latency.p95,
    latencyP99: latency.p99,
    latencyMax: latency.max,
    ttfb: ttfb.p50,
    ttfbMean: ttfb.mean,
    ttfbP95: ttfb.p95,
    ttfbP99: ttfb.p99,
    responseTime: response.p50,
    responseTimeMean: response.mean,
    responseTimeP95: response.p95,
    responseTimeP99: response.p99,
    timePerRequest: summary.requestsPerSecond > 0 ? 1_000 / summary.requestsPerSecond : wallSeconds * 1_000,
    handshake: summary.handshake,
    requestsPerSecond: summary.requestsPerSecond,
    bytesPerSecond: (bytesSent + bytesReceived) / Math.max(wallSeconds, 1e-9),
    sentBytes: bytesSent,
    clientCpu: perRequest(client.cpuSeconds),
    serverCpu: perRequest(server?.cpuSeconds),
    clientMemory: client.peakMemory,
    serverMemory: server?.peakMemory ?? null,
    packets,
    resentPackets: traffic.retransmitted,
    requests: sent,
    transferBytes: bytesReceived,
    finishedBytes: summary.bytesFinished,
    connections: summary.connectionsBefore + summary.connections,
    failedRequests: failed,
    h1Share: over('h1'),
    h2Share: over('h2'),
    h3Share: over('h3'),
    h1ByteShare: over('h1'),
    h2ByteShare: over('h2'),
    h3ByteShare: over('h3'),
    // Requests are spread evenly; a pool reports no shares.
    largestConnectionShare: connections.length === 0 ? 1 : 1 / connections.length,
    ipv6Share: used.size > 0 && [...used].every((address) => address.startsWith('[')) ? 1 : 0,
  };
}
