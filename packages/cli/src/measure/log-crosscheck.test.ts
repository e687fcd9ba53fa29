import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource, Visit } from '@pronghorn/core/schemas';
import type { AccessLogEntry, DemoSite } from '@pronghorn/origin';
import { prove } from './log-crosscheck.ts';

const startedAt = '2026-01-02T03:04:05.000Z';
const start = Date.parse(startedAt) / 1_000;

const site: DemoSite = {
  name: 'page',
  title: 'A page',
  standsFor: '',
  url: 'https://a.test:1/',
  hosts: [
    { host: 'a.test:1', protocols: ['h1', 'h2', 'h3'] },
    { host: 'old.test:1', protocols: ['h1'] },
  ],
};

const visit = (protocol: Visit['protocol'], metrics: object = { onLoad: 1 }) =>
  ({ protocol, startedAt, wallMs: 1_000, outcome: { verdict: 'valid', metrics } }) as Visit;
const resource = (url: string, protocol: string, more: Partial<Resource> = {}) =>
  ({ url, host: new URL(url).host, protocol, cache: 'none', status: 200, endMs: 50, ...more }) as Resource;
const entry = (host: string, uri: string, protocol: string, time = start + 0.02) => ({ host, uri, protocol, time }) as AccessLogEntry;

const resources = [
  resource('https://a.test:1/', 'h3'),
  resource('https://a.test:1/x?y=1', 'h3'),
  resource('https://old.test:1/z', 'http/1.1'),
];
const log = [entry('a.test:1', '/', 'h3'), entry('a.test:1', '/x?y=1', 'h3'), entry('old.test:1', '/z', 'http/1.1')];

test('a visit is proven when Chrome and log agree, and a host that lacks the protocol speaks the next lower one', () => {
  const proof = prove([{ visit: visit('h3'), resources }], log, [site]);
  assert.deepEqual(proof, { visits: 1, proven: 1, objects: 3, logged: 3, contradictions: [] });
});

test('a run is proven by as many answers in the log as its client tells of, and not by those of another protocol or time', () => {
  const run = { visit: visit('h2', { latency: 1, requests: 4, failedRequests: 1 }), resources: [] };
  const answers = [0.1, 0.2, 0.9].map((later) => entry('a.test:1', '/', 'h2', start + later));
  assert.deepEqual(prove([run], answers, [site]), { visits: 1, proven: 1, objects: 3, logged: 3, contradictions: [] });
  for (const other of [entry('a.test:1', '/', 'h3', start + 0.2), entry('a.test:1', '/', 'h2', start + 5)]) {
    const proof = prove([run], [...answers.slice(1), other], [site]);
    assert.equal(proof.logged, 2);
    assert.match(proof.contradictions.join(), /reports 3 answers over h2 .* has 2 at that time/);
  }
});

test('another protocol by the browser’s word is a contradiction, and the visit is not proven', () => {
  const [document, , old] = resources as [Resource, Resource, Resource];
  const proof = prove(
    [{ visit: visit('h3'), resources: [document, resource('https://a.test:1/x?y=1', 'h2'), old] }],
    [...log.slice(0, 1), entry('a.test:1', '/x?y=1', 'h2'), ...log.slice(2)],
    [site],
  );
  assert.deepEqual([proof.proven, proof.logged], [0, 3]);
  assert.match(proof.contradictions.join('\n'), /^https:\/\/a\.test:1\/x\?y=1 came over h2 in a visit over h3; expected h3\.$/);
});

test('another protocol in the log, no request in the log, and one at another time are contradictions', () => {
  for (const [what, entries] of [
    ['another protocol', [entry('a.test:1', '/', 'h2'), ...log.slice(1)]],
    ['no request', log.slice(1)],
    ['another time', [entry('a.test:1', '/', 'h3', start + 10), ...log.slice(1)]],
    ['another host', [entry('b.test:1', '/', 'h3'), ...log.slice(1)]],
  ] as const) {
    const proof = prove([{ visit: visit('h3'), resources }], entries, [site]);
    assert.equal(proof.logged, 2, what);
    assert.equal(proof.contradictions.length, 1, what);
    assert.match(proof.contradictions[0] ?? '', /The browser reports https:\/\/a\.test:1\/ over h3; the origin's log has no such request/);
  }
});

test('one line of the log stands for one request only', () => {
  const [document] = resources as [Resource];
  const proof = prove([{ visit: visit('h3'), resources: [document, document] }], log, [site]);
  assert.equal(proof.logged, 1);
});

test('what came from a cache, failed, or is of a foreign host is not asked of the log', () => {
  const others = [
    resource('https://a.test:1/cached', 'h2', { cache: 'disk' }),
    resource('https://a.test:1/failed', 'h2', { status: null }),
    resource('https://elsewhere.test/', 'h2'),
  ];
  assert.equal(prove([{ visit: visit('h3'), resources: others }], [], [site]).objects, 0);
});

test('a stream that outlives its visit is not asked of the log, but its protocol counts', () => {
  const [document] = resources as [Resource];
  const stream = (protocol: string) => resource('https://a.test:1/events', protocol, { endMs: null });
  assert.deepEqual(prove([{ visit: visit('h3'), resources: [document, stream('h3')] }], log, [site]), {
    visits: 1,
    proven: 1,
    objects: 1,
    logged: 1,
    contradictions: [],
  });
  assert.equal(prove([{ visit: visit('h3'), resources: [document, stream('h2')] }], log, [site]).proven, 0);
});
