// Runs of REST calls: a visit has what became of its requests, a list of visits does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionMetrics, VisitRun } from '@pronghorn/core/schemas';
import { transactionMetricNames } from '@pronghorn/core/vocabulary';
import { sampleVisit } from '../../../testing/samples.ts';
import { testApi } from '../../../testing/test-api.ts';

const spread = { count: 3, min: 1, mean: 2, p50: 2, p90: 3, p95: 3, p99: 3, p999: 3, max: 3, hdr: 'HIST' };
const distribution: VisitRun['latency'] = {
  ...spread,
  curve: [
    [0, 1],
    [50, 2],
    [100, 3],
  ],
};
const run: VisitRun = {
  ...{ planned: 3, succeeded: 2, errors: { timeout: 1 }, details: { timeout: 'it was slow' }, wallSeconds: 1.5 },
  ...{
    connectionsBefore: 1,
    connections: 0,
    earlyData: 0,
    sentAgain: 1,
    latency: distribution,
    ttfb: distribution,
    response: distribution,
  },
  seconds: [{ at: 1, succeeded: 2, failed: 0, bytesReceived: 100, bytesSent: 0 }],
};
const metrics = Object.fromEntries(transactionMetricNames.map((name) => [name, name.endsWith('Share') ? 1 : 7])) as TransactionMetrics;

test('a visit and an export have what became of its requests, a list has its metrics alone', async (t) => {
  const api = await testApi(t);
  await api.campaign({ engine: 'transaction', protocols: ['h2', 'h3'], rounds: 1 });
  const lease = await api.lease({ campaignId: '1' });
  const visits = [0, 1].map((slot) => sampleVisit(lease, slot, { run, resources: [], outcome: { verdict: 'valid', metrics } }));
  for (const visit of visits) assert.equal((await api.upload(lease, visit)).status, 201);
  await api.complete(lease);
  assert.deepEqual((await api.get(`/visits/${visits[0]?.id}`)).body.run, run);
  const { items } = (await api.get('/campaigns/1/visits')).body;
  assert.equal(items.length, visits.length);
  for (const { run: listed, outcome } of items) assert.deepEqual([listed, outcome.metrics.latency], [undefined, 7]);
  const lines = (await api.app.inject('/api/v1/campaigns/1/visits.ndjson')).body;
  assert.deepEqual(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).run),
    [run, run],
  );
});
