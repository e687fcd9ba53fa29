import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Workload, workloadOf } from '../schemas/workload.ts';
import { requestsOfRun, sizeWords, workloadWords } from './workload.ts';

const whole = (workload: Workload) => {
  const made = workloadOf({ engine: 'transaction', workload }, { url: 'https://api.example/items' });
  assert.ok(made);
  return made;
};
const words = (workload: Workload) => workloadWords(whole(workload));

test('what a run does is one plain sentence', () => {
  assert.equal(words({}), '1 user sends 100 GET requests, over one connection.');
  assert.equal(words({ users: 50, requests: 10 }), '50 users send 10 GET requests each, over one connection each; 500 requests.');
  assert.equal(
    words({ users: 20, requests: 25, method: 'POST', bodyBytes: 2_000_000, connections: 'shared', shared: 4 }),
    '20 users send 25 POST requests of 2 MB each, over 4 connections for all; 500 requests.',
  );
  assert.equal(
    words({ users: 2, requests: 1, paths: ['/a', '/b'], connections: 'each' }),
    '2 users send 1 GET request each, to 2 paths in turn, each request over a connection of its own.',
  );
  assert.equal(
    words({ mode: 'duration', seconds: 20, users: 200, connections: 'pool' }),
    '200 users send GET requests one after another for 20 seconds, over as many connections as Go’s HTTP client opens.',
  );
  assert.equal(
    words({ mode: 'rate', requestsPerSecond: 500, arrivals: 'poisson', users: 100, connections: 'shared', earlyData: true }),
    '500 GET requests are due a second at random distances for 10 seconds, with at most 100 under way, all over one connection; over HTTP/3 they may go with the handshake (0-RTT); about 5,000 requests.',
  );
});

test('how many requests a run sends is known but where time ends it', () => {
  assert.deepEqual(
    [{ users: 50, requests: 10 }, { mode: 'rate' as const, requestsPerSecond: 2.5, seconds: 3 }, { mode: 'duration' as const }].map(
      (workload) => requestsOfRun(whole(workload)),
    ),
    [500, 8, null],
  );
});

test('sizes keep the unit in which they are even', () => {
  assert.deepEqual([300, 1, 2_000_000, 524_288, 1_500_000, 1_234_567].map(sizeWords), [
    ...['300 bytes', '1 byte', '2 MB', '512 KiB', '1.5 MB', '1.23 MB'],
  ]);
});
