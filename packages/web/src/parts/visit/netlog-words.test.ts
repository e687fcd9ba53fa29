import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionFindings, NetlogFindings } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { besideEachOther, extraOf, type NetlogVisit, netlogGroups, noFindingsWords, notOverH3Words } from './netlog-words.ts';

const quic: ConnectionFindings = {
  host: 'shop.example:443',
  protocol: { found: 'h3' },
  rttMs: { found: 100.3 },
  handshake: { found: { ms: 101.2, roundTrips: 1 } },
  bytesByRoundTrip: { found: [14_300, 28_600] },
  quic: {
    urls: { 0: 'https://shop.example/', 4: 'https://shop.example/font.woff2', 8: 'https://shop.example/print.jpg?w=9' },
    holes: { found: { count: 2, longest: [{ stream: 4, offset: 0, length: 1_200, ms: 210, foreignBytes: 120_000 }] } },
    priorities: {
      found: {
        ...{ signals: 79, notFollowed: 6, passedBefore: 1, followed: 3, undecided: 69 },
        worst: [{ stream: 4, value: 'u=0', passedBytes: 1_000_000, passedBeforeBytes: 234_000, rule: 'urgency' }],
      },
    },
    capped: { found: [{ stream: 8, windowBytes: 65_536, roundTrips: 5 }] },
  },
};
const tcp = (given: Partial<ConnectionFindings> = {}): ConnectionFindings => ({
  ...{ host: 'shop.example:443', protocol: { found: 'h2' }, rttMs: { found: 100 } },
  ...{
    handshake: { found: { ms: 203, roundTrips: 2 } },
    bytesByRoundTrip: { unknown: 'The round trip is too short to count by.' },
    quic: null,
  },
  ...given,
});
const extra = (protocol: Protocol, connections: ConnectionFindings[], given: Partial<NetlogVisit> = {}): NetlogVisit => ({
  ...{ id: protocol, protocol, attempt: 1, slot: ['h1', 'h2', 'h3'].indexOf(protocol), finalUrl: 'https://shop.example/' },
  ...{ outcome: { verdict: 'valid' } as NetlogVisit['outcome'], netlog: { findings: { connections, notOverH3: [] } } },
  ...given,
});

test('what is found of two visits’ connections to the page’s host stands row by row beside each other, in words', () => {
  const cdn = tcp({ host: 'cdn.example:8443' });
  const [own, others, ...none] = netlogGroups([extra('h3', [cdn, quic]), extra('h2', [tcp()])]);
  assert.deepEqual([own?.host, others?.host, none], ['shop.example', 'cdn.example:8443', []]);
  assert.deepEqual(Object.fromEntries(own?.rows.map(({ name, cells }) => [name, cells]) ?? []), {
    Protocol: [['HTTP/3'], ['HTTP/2']],
    'Round trip': [['100 ms'], ['100 ms']],
    'Ready to send': [['after 1 round trip (101 ms)'], ['after 2 round trips (203 ms)']],
    'kB in each round trip': [['14.3 · 28.6'], ['unknown: The round trip is too short to count by.']],
    Holes: [
      [
        '2 times, bytes were missing while later ones were there.',
        'The longest: 210 ms in /font.woff2; 120.0 kB of other responses came meanwhile.',
      ],
      ['not seen: over TCP the kernel hides it'],
    ],
    Priorities: [
      [
        '79 signals: 6 not followed, 3 followed, 69 undecided; 1 passed before the response began.',
        '/font.woff2 (u=0): 1,234.0 kB of less urgent responses went first.',
      ],
      ['not seen: over TCP the kernel hides it'],
    ],
    'Capped streams': [
      ['/print.jpg?w=9 got 65.5 kB in each of 5 round trips, and nothing in between.'],
      ['not seen: over TCP the kernel hides it'],
    ],
  });
  assert.deepEqual(
    others?.rows.map(({ cells }) => cells[1]),
    others?.rows.map(() => []),
    'HTTP/2 has no such connection',
  );
});

test('of several connections to a host those over the visit’s protocol come first', () => {
  const [first, second] = netlogGroups([extra('h3', [tcp(), quic])]);
  assert.deepEqual([first?.rows[0]?.cells, second?.rows[0]?.cells], [[['HTTP/3']], [['HTTP/2']]]);
});

test('a request with the first packet and a log without holes or caps are told as that', () => {
  assert.ok(quic.quic !== null);
  const calm = { ...quic.quic, holes: { found: { count: 0, longest: [] } }, capped: { found: [] }, priorities: { unknown: 'why' } };
  const [{ rows } = { rows: [] }] = netlogGroups([extra('h3', [{ ...quic, handshake: { found: { ms: 0, roundTrips: 0 } }, quic: calm }])]);
  const words = Object.fromEntries(rows.map(({ name, cells }) => [name, cells[0]]));
  assert.deepEqual(words['Ready to send'], ['at once: the first request went out with the first packet']);
  assert.deepEqual(
    [words.Holes, words.Priorities, words['Capped streams']],
    [['none: no byte was missing while later ones were there'], ['unknown: why'], ['none']],
  );
});

test('an extra visit stands beside that of another protocol of its attempt, HTTP/3 before all else', () => {
  const [h1, h2, h3] = [extra('h1', []), extra('h2', []), extra('h3', [])];
  const lost = extra('h3', [], { id: 'lost', attempt: 0 });
  assert.deepEqual(
    besideEachOther(h2, [lost, h1, h2, h3]).map(({ id }) => id),
    ['h2', 'h3'],
  );
  assert.deepEqual(
    besideEachOther(h3, [h1, h2, h3]).map(({ id }) => id),
    ['h3', 'h2'],
  );
  assert.deepEqual([extraOf('h3', [lost, h3])?.id, extraOf('h1', [h3])], ['h3', null]);
});

test('why requests were not over HTTP/3 is counted by reason', () => {
  const request = (url: string, why: NetlogFindings['notOverH3'][number]['why']) => ({ url, protocol: 'h2', why });
  const notOverH3 = [
    request('https://a.example/1', { found: 'not-offered' }),
    request('https://a.example/2', { found: 'not-offered' }),
    request('https://b.example/', { unknown: 'Chrome says aNewWord of how it chose.' }),
  ];
  assert.deepEqual(notOverH3Words({ connections: [], notOverH3 }), [
    '2 requests to hosts that offer no HTTP/3, such as https://a.example/1',
    '1 request for an unknown reason (Chrome says aNewWord of how it chose.), such as https://b.example/',
  ]);
});

test('without a log there are words instead', () => {
  assert.equal(noFindingsWords(extra('h3', [quic])), null);
  assert.match(noFindingsWords(extra('h3', [], { netlog: { findings: null } })) ?? '', /There is no log/);
});
