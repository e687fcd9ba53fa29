import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Workload, workloadOf } from '@pronghorn/core/schemas';
import { workloadWords } from './workload.ts';

test('a workload is told with what core takes where nothing was chosen', () => {
  const asked: Workload[] = [
    {},
    { users: 5 },
    { mode: 'duration' },
    { mode: 'rate', requestsPerSecond: 50 },
    { connections: 'shared', users: 3 },
  ];
  for (const workload of asked) {
    const whole = workloadOf({ engine: 'transaction', workload }, { url: 'https://api.example/items' }) ?? undefined;
    assert.equal(workloadWords(workload), workloadWords(whole), JSON.stringify(workload));
  }
});

test('each way to send requests, and each way to connect, has its words', () => {
  assert.equal(workloadWords(), '1 user, 100 GET requests, one after another; one connection; at most 30 s a request');
  assert.equal(
    workloadWords({ users: 20, requests: 25, method: 'POST', bodyBytes: 2_000_000, connections: 'pool' }),
    '20 users, 25 POST requests each, one after another; bodies of 2,000.0 kB; connections as Go’s HTTP client opens them; at most 30 s a request',
  );
  assert.equal(
    workloadWords({
      mode: 'rate',
      requestsPerSecond: 200,
      seconds: 5,
      arrivals: 'poisson',
      users: 50,
      earlyData: true,
      requestTimeoutMs: 500,
    }),
    '200 GET requests due each second for 5 s, at random distances, at most 50 requests under way; a connection for each user; with 0-RTT where a ticket allows it; at most 0.5 s a request',
  );
  assert.match(
    workloadWords({ mode: 'duration', seconds: 2.5, connections: 'each', paths: ['/a', '/b'] }),
    /^1 user, GET requests one after another for 2.5 s; 2 paths in turn; every request opens a connection/,
  );
});
