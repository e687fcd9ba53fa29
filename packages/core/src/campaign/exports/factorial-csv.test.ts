import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Campaign } from '../../schemas/campaign.ts';
import type { TransactionMetrics } from '../../schemas/metrics.ts';
import type { Visit } from '../../schemas/visit.ts';
import { transactionMetricNames } from '../../vocabulary/metric.ts';
import { factorialCsvHeader, factorialCsvLine } from './factorial-csv.ts';

const levels = { method: 'POST', payload: '2 MB', concurrency: '5×20' };
const campaign = {
  spec: {
    engine: 'transaction',
    views: ['warm'],
  },
  sites: [{ id: '7', name: 'a', url: 'https://a.example/', expectStatus: 200, levels, workload: { method: 'POST', bodyBytes: 2_000_000 } }],
} as unknown as Campaign;
const metrics: TransactionMetrics = {
  ...(Object.fromEntries(transactionMetricNames.map((name, place) => [name, place])) as TransactionMetrics),
  ...{ latencyMean: 500, latencyP95: 800, latencyP99: 900, ttfb: 440, ttfbMean: 450, requests: 101, failedRequests: 1 },
  // 1 of them sent a part.
  ...{ sentBytes: 201_000_000, finishedBytes: 0, bytesPerSecond: 12_500_000 },
};
const visit = (given: Partial<Visit>): Visit =>
  ({
    siteId: '7',
    protocol: 'h3',
    condition: 'poor',
    view: 'warm',
    roundNumber: 3,
    counted: true,
    outcome: { verdict: 'valid', metrics },
    ...given,
  }) as Visit;
const read = (line: string) => (parse(factorialCsvHeader(campaign) + line, { columns: true }) as Record<string, string>[])[0];

test('a run is a line with its levels, latency, first byte and throughput in the study’s units', () => {
  const { protocol, method, payload, concurrency, network, replication, ...row } = read(factorialCsvLine(visit({}), campaign)) ?? {};
  assert.deepEqual([protocol, method, payload, concurrency, network, replication], ['h3', 'POST', '2 MB', '5×20', 'poor', '3']);
  assert.deepEqual([row.latency_ms, row.latency_p95_ms, row.latency_p99_ms, row.ttfb_ms], ['500', '800', '900', '450']);
  // 2 MB in half a second, of each request that did not fail.
  assert.deepEqual([row.throughput_mb_s, row.total_throughput_mb_s], ['4', '12.5']);
});

test('a factor that is called as another column is told apart', () => {
  const sites = [{ url: 'https://a.example/', levels: { replication: 'r', latency_ms: 'l' } }];
  const columns = factorialCsvHeader({ ...campaign, sites } as unknown as Campaign)
    .trim()
    .split(',');
  assert.equal(new Set(columns).size, columns.length, columns.join(' '));
  assert.deepEqual(columns.slice(0, 4), ['protocol', 'factor replication', 'factor latency_ms', 'network']);
});

test('what broke off is in no throughput of requests', () => {
  const sites = [{ ...campaign.sites[0], levels: { ...levels, method: 'GET' }, workload: undefined }];
  const received = {
    ...metrics,
    sentBytes: 0,
    requests: 20,
    failedRequests: 10,
    latencyMean: 1_000,
    finishedBytes: 100_000_000,
    transferBytes: 190_000_000,
  };
  const line = factorialCsvLine(visit({ outcome: { verdict: 'valid', metrics: received } }), { ...campaign, sites } as unknown as Campaign);
  assert.equal(read(line)?.throughput_mb_s, '10');
});

test('one that failed has its reason and no number; one that does not count has no line', () => {
  const outcome = { verdict: 'invalid', reason: 'connection-error', detail: '' } as const;
  const row = read(factorialCsvLine(visit({ outcome }), campaign));
  assert.deepEqual([row?.verdict, row?.latency_ms, row?.throughput_mb_s], ['connection-error', '', '']);
  assert.equal(factorialCsvLine(visit({ counted: false }), campaign), '');
});
