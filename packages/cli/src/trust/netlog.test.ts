import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { ConnectionFindings } from '@pronghorn/core/schemas';
import type { NetlogVisit } from '@pronghorn/runner';
import { netlogReport } from './netlog.ts';

const place = { site: 'shop', condition: 'latency-100' };
const invalid = { verdict: 'invalid', reason: 'incomplete', detail: 'two pictures are missing' } as const;
const quic: ConnectionFindings = {
  host: 'shop.example:443',
  protocol: { found: 'h3' },
  rttMs: { found: 100.3 },
  handshake: { found: { ms: 110, roundTrips: 1.1 } },
  bytesByRoundTrip: { found: [11_900, 500, 0] },
  quic: {
    urls: { 4: 'https://shop.example/font.woff2?v=1' },
    holes: { found: { count: 2, longest: [{ stream: 4, offset: 0, length: 10, ms: 204.2, foreignBytes: 12_345 }] } },
    priorities: {
      found: {
        ...{ signals: 79, notFollowed: 6, passedBefore: 1, followed: 3, undecided: 69 },
        worst: [{ stream: 4, value: 'u=0', passedBytes: 1_000, passedBeforeBytes: 1_900_000, rule: 'urgency' }],
      },
    },
    capped: { found: [{ stream: 8, windowBytes: 65_536, roundTrips: 12 }] },
  },
};
const linesOf = (visit: Partial<NetlogVisit>) =>
  stripVTControlCharacters(netlogReport(place, { protocol: 'h3', outcome: invalid, findings: null, file: null, ...visit })).split('\n');

test('what a netlog says stands in a line for each finding', () => {
  const lines = linesOf({ findings: { connections: [quic], notOverH3: [] } });
  assert.deepEqual(lines, [
    'shop latency-100, HTTP/3: invalid: incomplete, two pictures are missing',
    'shop.example:443 HTTP/3, round trip 100 ms',
    '  connected in 1.1 round trips (110 ms)',
    '  kB by round trip: 12 0.5 0.0',
    '  holes: 2, the longest 204 ms in /font.woff2?v=1, during which 12 kB of other responses arrived',
    '  priorities: 79 signals, 6 not followed, 1 passed before the response began, 3 followed, 69',
    '  undecided',
    '  1901 kB passed /font.woff2?v=1 (u=0): less urgent ones',
    '  capped: stream 8 at 66 kB in each of 12 round trips',
  ]);
});

test('what is unknown says why, and a log that is missing says so', () => {
  const unknown = { unknown: 'No round trip was measured.' };
  const lines = linesOf({ findings: { connections: [{ ...quic, handshake: unknown, quic: null }], notOverH3: [] } });
  assert.ok(lines.includes('  connected in unknown (No round trip was measured.)'));
  assert.match(linesOf({}).join('\n'), /No netlog: Chrome gave none, or lost part of it\./);
});

test('requests that were not over HTTP/3 are told by why, with one of each', () => {
  const other = (path: string, why: 'cached' | 'not-offered') => ({
    url: `https://cdn.example/${path}`,
    protocol: 'h2',
    why: { found: why },
  });
  const lines = linesOf({
    findings: { connections: [], notOverH3: [other('a', 'not-offered'), other('b', 'not-offered'), other('c', 'cached')] },
  });
  assert.deepEqual(lines.slice(1), [
    'Not over HTTP/3: 3 requests',
    '  2 to hosts without HTTP/3, such as https://cdn.example/a',
    '  1 from a cache, such as https://cdn.example/c',
  ]);
});
