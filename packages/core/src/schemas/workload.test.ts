import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromeProblems, type Workload, workloadOf, workloadProblems } from './workload.ts';

test('a workload has every choice made: the campaign’s, and in its place the site’s', () => {
  const url = 'https://api.example/items?page=1';
  assert.equal(workloadOf({ engine: 'puppeteer' }, { url }), null);
  const plain = workloadOf({ engine: 'transaction' }, { url });
  assert.deepEqual([plain?.method, plain?.mode, plain?.users, plain?.requests, plain?.paths], ['GET', 'count', 1, 100, ['/items?page=1']]);
  const mixed = workloadOf(
    { engine: 'transaction', workload: { users: 5, method: 'POST', bodyBytes: 10 } },
    { url, workload: { users: 20 } },
  );
  assert.deepEqual([mixed?.method, mixed?.bodyBytes, mixed?.users], ['POST', 10, 20]);
  // So many wait at most where nobody waits for answers.
  assert.equal(workloadOf({ engine: 'transaction', workload: { mode: 'rate', requestsPerSecond: 10 } }, { url })?.users, 1_000);
});

test('what a mode does not know is named at its place, with what to do', () => {
  const wrong: [Workload, keyof Workload, RegExp][] = [
    [{ bodyBytes: 10 }, 'bodyBytes', /has no body\. Use method POST/],
    [{ mode: 'duration', requests: 10 }, 'requests', /seconds end a run/],
    [{ users: 1_000, requests: 1_001 }, 'requests', /1001000 in all; expected at most 1000000/],
    [{ paths: ['/a%20b', '/100%'] }, 'paths', /"\/100%" has a % that is not followed by two hexadecimal digits\. Write %25/],
    [{ seconds: 10 }, 'seconds', /requests end a run/],
    [{ mode: 'rate' }, 'requestsPerSecond', /needs requestsPerSecond/],
    [{ requestsPerSecond: 5 }, 'requestsPerSecond', /Only mode rate/],
    [{ arrivals: 'poisson' }, 'arrivals', /Only mode rate/],
    [{ shared: 2 }, 'shared', /Only shared connections/],
    [{ connections: 'shared', shared: 5, users: 4 }, 'shared', /some would be idle/],
  ];
  for (const [workload, at, words] of wrong) {
    const [problem, ...more] = workloadProblems(workload);
    assert.deepEqual([problem?.pointer, more], [at, []], JSON.stringify(workload));
    assert.match(problem?.detail ?? '', words);
  }
  for (const right of [
    {},
    { method: 'POST', bodyBytes: 2e6, users: 20, requests: 25 },
    { mode: 'rate', requestsPerSecond: 100, seconds: 5, arrivals: 'poisson' },
  ] as const)
    assert.deepEqual(workloadProblems(right), []);
});

test('at a rate as many may be under way as share connections, where nobody says how many', () => {
  const shared = { connections: 'shared', shared: 2 } as const;
  assert.deepEqual(workloadProblems({ ...shared, mode: 'rate', requestsPerSecond: 5 }), []);
  assert.match(workloadProblems(shared)[0]?.detail ?? '', /^2 connections for 1 user:/);
});

test('what Chrome can’t do and the client in Go can is named, with what to ask for instead', () => {
  const wrong: [Workload, keyof Workload, RegExp][] = [
    [{ connections: 'each' }, 'connections', /cannot open one for each request\. Use connections user, shared or pool/],
    [{ users: 101 }, 'users', /101 connections in Chrome need as many browser contexts; expected at most 100/],
    [{ users: 300, connections: 'shared', shared: 200 }, 'shared', /200 connections in Chrome need as many/],
    [{ mode: 'rate', requestsPerSecond: 10 }, 'connections', /sends from one page\. Use connections pool/],
    [{ mode: 'rate', requestsPerSecond: 10, users: 5, connections: 'shared', shared: 2 }, 'connections', /sends from one page/],
    [{ earlyData: true }, 'earlyData', /decides by itself/],
  ];
  for (const [workload, at, words] of wrong) {
    const [problem, ...more] = chromeProblems(workload);
    assert.deepEqual([problem?.pointer, more], [at, []], JSON.stringify(workload));
    assert.match(problem?.detail ?? '', words);
    assert.deepEqual(workloadProblems(workload), []);
  }
  for (const right of [
    { users: 20, requests: 25 },
    { users: 1_000, connections: 'pool' },
    { users: 50, connections: 'shared', shared: 2 },
    { mode: 'rate', requestsPerSecond: 100, connections: 'pool' },
    { mode: 'rate', requestsPerSecond: 100, connections: 'shared' },
  ] as const)
    assert.deepEqual(chromeProblems(right), []);
});
