import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome, VisitRun } from '@pronghorn/core/schemas';
import { kindOf } from '@pronghorn/core/vocabulary';
import type { Connection, Summary } from './program.ts';
import { outcomeOfRun } from './run-outcome.ts';

const spread = (p50: number): VisitRun['latency'] => ({
  count: 100,
  min: 1,
  mean: p50,
  p50,
  p90: p50,
  p95: p50,
  p99: p50,
  p999: p50,
  max: p50,
  curve: [],
  hdr: '',
});
const connection: Connection = {
  handshakeMs: 3,
  resumed: false,
  earlyData: false,
  cipher: 'TLS',
  remote: '10.0.0.1:443',
  gso: true,
  receiveBuffer: 1,
};
const summaryOf = (succeeded: number, errors: Record<string, number> = {}): Summary => ({
  ...{ planned: 100, succeeded, errors, details: Object.fromEntries(Object.keys(errors).map((name) => [name, `${name} it was`])) },
  ...{
    wallSeconds: 2,
    connectionsBefore: 1,
    connections: 0,
    earlyData: 0,
    sentAgain: 0,
    requestsPerSecond: succeeded / 2,
    bytesSent: 1_000,
    bytesReceived: 3_000,
    bytesFinished: 2_900,
  },
  ...{ latency: spread(10), ttfb: spread(8), response: spread(12), handshake: 3 },
  traffic: { packetsSent: 10, packetsReceived: 20, retransmitted: 1, dropped: null, minRttMs: 1 },
  client: { cpuSeconds: 0.01, peakMemory: 5_000_000 },
  server: null,
});
const judged = (succeeded: number, errors?: Record<string, number>, protocol: 'h2' | 'h3' = 'h2', connectionsBefore = 1): Outcome =>
  outcomeOfRun({ summary: { ...summaryOf(succeeded, errors), connectionsBefore }, connections: [connection] }, protocol);
const reasonOf = (outcome: Outcome) => (outcome.verdict === 'invalid' ? outcome.reason : 'valid');

test('requests that were not sent took no CPU time, and bytes that broke off are not finished', () => {
  const outcome = judged(60, { 'not-sent': 40 });
  assert.ok(outcome.verdict === 'valid' && 'latency' in outcome.metrics);
  const { clientCpu, requests, failedRequests, finishedBytes, transferBytes } = outcome.metrics;
  assert.equal(clientCpu, 10_000 / 60);
  assert.deepEqual([requests, failedRequests, finishedBytes, transferBytes], [100, 40, 2_900, 3_000]);
});

test('a run of successes has its numbers', () => {
  const outcome = judged(100);
  assert.ok(outcome.verdict === 'valid' && 'latency' in outcome.metrics);
  const {
    latency,
    responseTime,
    timePerRequest,
    clientCpu,
    serverCpu,
    packets,
    requests,
    failedRequests,
    h2Share,
    h3Share,
    bytesPerSecond,
  } = outcome.metrics;
  assert.deepEqual([latency, responseTime, timePerRequest, clientCpu, serverCpu, packets], [10, 12, 20, 100, null, 30]);
  assert.deepEqual([requests, failedRequests, h2Share, h3Share, bytesPerSecond], [100, 0, 1, 0, 2_000]);
});

test('failed requests are counted, and make a failure of a run only where they are the larger part', () => {
  const some = judged(60, { timeout: 40 });
  assert.ok(some.verdict === 'valid' && some.metrics.failedRequests === 40 && some.metrics.requests === 100);
  const most = judged(40, { timeout: 35, reset: 25 });
  assert.equal(reasonOf(most), 'load-timeout');
  assert.match(
    most.verdict === 'invalid' ? most.detail : '',
    /60 of 100 requests failed; most frequent \(35\): no end within .* \(timeout it was\)/,
  );
  assert.equal(kindOf('load-timeout'), 'failure');
});

test('without any answer the reason is the most frequent error', () => {
  assert.equal(reasonOf(judged(0, { dns: 100 })), 'dns-error');
  assert.equal(reasonOf(judged(0, { tls: 100 })), 'tls-error');
  assert.equal(reasonOf(judged(0, { refused: 100 })), 'connection-error');
  assert.equal(reasonOf(judged(0, { 'http-status': 100 })), 'http-status');
  assert.equal(reasonOf(judged(0, { timeout: 100 }, 'h3', 0)), 'quic-error');
  assert.equal(reasonOf(judged(0, { timeout: 100 }, 'h3')), 'load-timeout', 'a connection came to be, and took too long');
  // How Chrome tells of a QUIC connection that never came to be.
  assert.equal(reasonOf(judged(0, { reset: 100 }, 'h3', 0)), 'quic-error');
  assert.equal(reasonOf(judged(60, { reset: 100 }, 'h3')), 'connection-error');
});

test('another protocol is never a number, however few requests had it', () => {
  assert.equal(reasonOf(judged(99, { 'wrong-protocol': 1 })), 'wrong-protocol');
  assert.equal(kindOf('wrong-protocol'), 'unfit');
});
