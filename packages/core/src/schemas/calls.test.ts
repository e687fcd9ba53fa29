import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsHostProblem, isLoopbackHost } from '../visitor/own-hosts.ts';
import { urlsOfRun, workloadLimits, workloadProblems } from './workload.ts';

const { paths: _, ...most } = workloadLimits;

test('a host may be loaded when it is on the list, below a * of it, or the demo origin', () => {
  const policy = { hosts: ['api.example.org', '*.own.example', 'Bücher.example', '203.0.113.5'], loopback: false };
  const yes = ['api.example.org', 'API.example.org.', 'api.example.org:8443', 'own.example', 'a.b.own.example', 'xn--bcher-kva.example'];
  for (const host of [...yes, '203.0.113.5', 'calls.pronghorn.test:4433'])
    assert.equal(callsHostProblem(`https://${host}/x`, policy), undefined, host);
  const no = ['example.org', 'x.api.example.org', 'api.example.org.evil.example', 'notown.example', 'localhost', '127.0.0.1', '[::1]'];
  for (const host of [...no, '2130706433', 'pronghorn.test', 'pronghorn.test.example'])
    assert.match(callsHostProblem(`https://${host}/x`, policy) ?? '', /may not be loaded.*calls\.hosts.*well-known\/pronghorn/, host);
  assert.equal(callsHostProblem('https://anything.example/', { hosts: null, loopback: true }), undefined);
});

test('loopback is told by the name or the address alone', () => {
  for (const host of ['localhost', 'x.localhost', '127.0.0.1', '127.8.8.8', '[::1]']) assert.ok(isLoopbackHost(host), host);
  for (const host of ['localhost.example', '128.0.0.1', '[::2]', '[::ffff:7f00:1]', 'x127.0.0.1']) assert.ok(!isLoopbackHost(host), host);
});

test('no path leads a run to another host', () => {
  const wrong = [
    '//evil.example/x',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/\r//evil.example',
    '/a b',
    'https://evil.example/',
  ];
  for (const path of [...wrong, '@evil.example/', '', ':8443/'])
    assert.deepEqual(
      workloadProblems({ paths: ['/fine', path] }).map(({ pointer }) => pointer),
      ['paths'],
      JSON.stringify(path),
    );
  assert.deepEqual(workloadProblems({ paths: ['/', '/a//b', '/?to=//evil.example', '/%2F/evil', '/ä'] }), []);
  // Whatever passed by: none of them can.
  for (const path of [...wrong.filter((one) => one.startsWith('/')), '/..//evil.example', '/@evil.example'])
    assert.equal(new URL(urlsOfRun('https://own.example:8443/x?y', [path])[0] ?? '').host, 'own.example:8443', JSON.stringify(path));
});

test('a workload stays below the limits of the service, what is left out included', () => {
  const limits = { ...most, users: 20, requestsPerSecond: 50, requests: 1_000, seconds: 8, bodyBytes: 100 };
  const wrong = [
    [{ users: 21, requests: 1 }, 'users', /^21 users work at the same time; expected at most 20/],
    [{ users: 11 }, 'requests', /1100 in all; expected at most 1000/],
    [{ mode: 'duration' }, 'seconds', /takes 10 seconds; expected at most 8/],
    [{ mode: 'rate', requestsPerSecond: 10, seconds: 5 }, 'users', /Without users, mode rate has up to 1000/],
    [
      { mode: 'rate', requestsPerSecond: 51, seconds: 5, users: 5 },
      'requestsPerSecond',
      /51 requests are due per second; expected at most 50/,
    ],
    [{ method: 'POST', bodyBytes: 101 }, 'bodyBytes', /has 101 bytes; expected at most 100/],
  ] as const;
  for (const [workload, at, words] of wrong) {
    const problems = workloadProblems(workload, limits);
    assert.deepEqual(
      problems.map(({ pointer }) => pointer),
      [at],
      JSON.stringify(workload),
    );
    assert.match(problems[0]?.detail ?? '', words);
  }
  assert.match(
    workloadProblems({ mode: 'rate', requestsPerSecond: 50_000, seconds: 600 })[0]?.detail ?? '',
    /are 30000000 in all; expected at most 1000000/,
  );
  assert.deepEqual(workloadProblems({ mode: 'rate', requestsPerSecond: 50, seconds: 8, users: 20 }, limits), []);
});
