import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import type { Resource } from '@pronghorn/core/schemas';
import { madeResources } from '../../../e2e/made-visits.ts';
import { colourOf, connectionsOf, endOf, phaseWords, resourceFacts, segmentsOf, usageWords } from './resources.ts';

const resources = madeResources('h2', 'https://shop.example', randomSource(1));
const made = (given: Partial<Resource>): Resource => ({ ...(resources[0] as Resource), ...given });
const failed = resources.at(-1) as Resource;

test('phases follow each other from the start on, and TLS is told apart from connecting', () => {
  const segments = segmentsOf(made({ startMs: 10, queueingMs: 1, dnsMs: 2, connectMs: 20, tlsMs: 15, sendMs: 0, waitMs: 5, receiveMs: 4 }));
  assert.deepEqual(
    segments.map(({ phase, startMs, endMs }) => [phase, startMs, endMs]),
    [
      ['queueing', 10, 11],
      ['dns', 11, 13],
      ['connect', 13, 18],
      ['tls', 18, 33],
      ['wait', 33, 38],
      ['receive', 38, 42],
    ],
  );
  const quic = segmentsOf(made({ connectMs: 12, tlsMs: 12, dnsMs: null, queueingMs: null }));
  assert.equal(quic[0]?.phase, 'tls');
  assert.equal(
    quic.some(({ phase }) => phase === 'connect'),
    false,
  );
});

test('what failed without any phase is one bar, and what never ended is none', () => {
  assert.deepEqual(segmentsOf(failed), [{ phase: 'whole', startMs: 60, endMs: 110 }]);
  const endless = { ...failed, endMs: null };
  assert.deepEqual([segmentsOf(endless), endOf(endless)], [[], 60]);
  assert.equal(phaseWords(failed), 'start 60 ms');
});

test('connections are numbered as they were first used, with all that they carried', () => {
  const some = [
    made({ seq: 0, startMs: 5, connectionId: 90, host: 'b', transferBytes: 10 }),
    made({ seq: 1, startMs: 1, connectionId: 7, host: 'a', transferBytes: 1 }),
    made({ seq: 2, startMs: 9, connectionId: 7, host: 'c', transferBytes: 2 }),
    made({ seq: 3, startMs: 0, connectionId: null }),
  ];
  const connections = [...connectionsOf(some).values()];
  assert.deepEqual(
    connections.map(({ id, number, hosts, requests, transferBytes }) => [id, number, hosts.join(), requests, transferBytes]),
    [
      [7, 1, 'a,c', 2, 3],
      [90, 2, 'b', 1, 10],
    ],
  );
  assert.deepEqual(
    [1, 8, 9].map((number) => colourOf({ number })),
    [0, 7, 0],
  );
});

test('Chrome’s reason for a protocol is told in words, and one that is new as it is', () => {
  assert.match(usageWords('mainJobWonRace') ?? '', /TCP was ready first\. \(mainJobWonRace\)/);
  assert.deepEqual([usageWords('somethingNew'), usageWords('toString'), usageWords(null)], ['somethingNew', 'toString', null]);
});

test('all that is known of a resource is told, and nothing that is not', () => {
  const facts = new Map(resourceFacts(made({ altSvc: 'h3=":443"' }), connectionsOf(resources).get(7)));
  assert.deepEqual(
    ['Server', 'Alt-Svc', 'Connection'].map((name) => facts.get(name)),
    ['nginx/1.30.0', 'h3=":443"', '1, opened for this request, carries 23 requests'],
  );
  const nothing = new Map(resourceFacts(failed, undefined));
  assert.equal(nothing.get('Failure'), 'net::ERR_CONNECTION_REFUSED');
  assert.deepEqual(
    ['Status', 'Connection', 'Waiting'].filter((name) => nothing.has(name)),
    [],
  );
});
