// What is found in golden logs of real visits (fixtures/make-netlogs.ts), and that what is not known accuses nobody.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ConnectionFindings, Finding, NetlogFindings } from '@pronghorn/core/schemas';
import type { GoldenNetlog } from '../../../fixtures/make-netlogs.ts';
import type { Netlog, NetlogEvent } from '../../gather/netlog.ts';
import { deriveNetlog } from './findings.ts';

const folder = new URL('../../../fixtures/netlogs/', import.meta.url);
const read = (version: string, name: string): GoldenNetlog =>
  JSON.parse(gunzipSync(readFileSync(new URL(`chrome-${version}-${name}.json.gz`, folder))).toString());
const derived = ({ netlog, resources, protocol }: GoldenNetlog): NetlogFindings => deriveNetlog(netlog, resources, { protocol });

const versions = new Set(readdirSync(folder).map((name) => name.split('-')[1] as string));
const foundOf = <T>(finding: Finding<T> | undefined): T => {
  assert.ok(finding !== undefined && 'found' in finding, JSON.stringify(finding));
  return finding.found;
};
const isUnknown = (finding: Finding<unknown> | undefined, why: RegExp) => {
  assert.ok(finding !== undefined && 'unknown' in finding, JSON.stringify(finding));
  assert.match(finding.unknown, why);
};
const near = (value: number, expected: number, by: number) =>
  assert.ok(Math.abs(value - expected) <= by, `${value}, expected ${expected} ± ${by}`);
const only = ({ connections }: NetlogFindings): ConnectionFindings => {
  assert.equal(connections.length, 1);
  return connections[0] as ConnectionFindings;
};
const quicOf = (golden: GoldenNetlog) => only(derived(golden)).quic ?? assert.fail('not over QUIC');

for (const version of versions) {
  describe(`the log of Chrome ${version}`, () => {
    test('HTTP/1.1 has up to six connections of TCP and TLS 1.3, each in two round trips', () => {
      const { connections, notOverH3 } = derived(read(version, 'nginx-h1'));
      assert.equal(connections.length, 6);
      for (const { protocol, rttMs, handshake, bytesByRoundTrip, quic } of connections) {
        assert.deepEqual([foundOf(protocol), quic], ['h1', null]);
        near(foundOf(rttMs), 100, 2);
        near(foundOf(handshake).roundTrips, 2, 0.1);
        assert.ok(foundOf(bytesByRoundTrip).length > 3);
      }
      assert.deepEqual(notOverH3, [], 'it was not to use HTTP/3');
    });

    test('HTTP/2 has one, whose window grows from ten packets', () => {
      const connection = only(derived(read(version, 'nginx-h2')));
      assert.equal(foundOf(connection.protocol), 'h2');
      near(foundOf(connection.handshake).roundTrips, 2, 0.1);
      const [, second = 0, third = 0] = foundOf(connection.bytesByRoundTrip);
      assert.ok(second > 10_000 && third > 1.5 * second, `${second} ${third}`);
    });

    test('HTTP/3 needs one round trip, and doubles what comes in each until the page has no more', () => {
      const connection = only(derived(read(version, 'nginx-h3')));
      near(foundOf(connection.rttMs), 100, 2);
      near(foundOf(connection.handshake).roundTrips, 1, 0.2);
      const [, , , third = 0, fourth = 0] = foundOf(connection.bytesByRoundTrip);
      near(fourth / third, 2, 0.3);
      assert.equal(foundOf(connection.quic?.holes).count, 0);
      assert.deepEqual(foundOf(connection.quic?.capped), []);
    });

    test('nginx sends in the order of requests, so that the urgent font waits for all pictures', () => {
      const { priorities, urls } = quicOf(read(version, 'nginx-h3'));
      const { signals, notFollowed, passedBefore, worst } = foundOf(priorities);
      assert.deepEqual([signals, notFollowed, passedBefore], [79, 0, 5]);
      const [most] = worst;
      assert.match(urls[most?.stream ?? -1] ?? '', /\.woff2$/);
      assert.deepEqual([most?.value, most?.rule], ['u=0', 'urgency']);
      assert.ok((most?.passedBeforeBytes ?? 0) > 1_900_000);
    });

    test('a Caddy without priorities sends all responses in turns: the urgent ones are passed while they are under way', () => {
      const { priorities } = quicOf(read(version, 'caddy-h3-loss'));
      const { signals, notFollowed, worst } = foundOf(priorities);
      assert.deepEqual([signals, notFollowed], [79, 6]);
      assert.ok(worst.every(({ value, rule, passedBytes }) => /^u=[02]/.test(value) && rule === 'urgency' && passedBytes > 900_000));
    });

    test('lost packets make holes that last a round trip or more, while other responses come', () => {
      const { rttMs, quic } = only(derived(read(version, 'caddy-h3-loss')));
      const { count, longest } = foundOf(quic?.holes);
      assert.ok(count > 1);
      assert.ok((longest[0]?.ms ?? 0) > foundOf(rttMs) && (longest[0]?.foreignBytes ?? 0) > 10_000, JSON.stringify(longest[0]));
    });

    test('nginx’s usual stream buffer caps each stream at 64 KB a round trip', () => {
      const { capped, urls } = quicOf(read(version, 'nginx-h3-capped'));
      const streams = foundOf(capped);
      assert.ok(streams.length >= 1);
      for (const { stream, windowBytes, roundTrips } of streams) {
        near(windowBytes, 65_536, 1_500);
        assert.ok(roundTrips >= 4);
        assert.match(urls[stream] ?? '', /print-\d/);
      }
    });

    test('a repeat view asks with its first packet, and its objects are from the cache', () => {
      const findings = derived(read(version, 'nginx-h3-warm'));
      assert.deepEqual(foundOf(only(findings).handshake), { ms: 0, roundTrips: 0 });
      assert.ok(findings.notOverH3.length > 60);
      for (const { why } of findings.notOverH3) assert.equal(foundOf(why), 'cached');
    });

    test('a first visitor’s document begins before HTTP/3 is known, and what follows finds the connection there', () => {
      const { connections, notOverH3 } = derived(read(version, 'nginx-h3-alt-svc'));
      assert.deepEqual(
        connections.map(({ protocol }) => foundOf(protocol)),
        ['h2', 'h3'],
      );
      const [document, ...others] = notOverH3.map(({ why }) => foundOf(why));
      assert.equal(document, 'not-known-yet');
      assert.ok(others.length > 20 && others.every((why) => why === 'race-lost'));
    });
  });
}

const [version = ''] = versions;
const golden = read(version, 'caddy-h3-loss');
const changed = (change: (event: NetlogEvent) => NetlogEvent[], of = golden): GoldenNetlog => {
  const netlog: Netlog = { ...of.netlog, events: of.netlog.events.flatMap(change) };
  return { ...of, netlog };
};
const ofType = (type: string, change: (event: NetlogEvent) => NetlogEvent[]) => (event: NetlogEvent) =>
  event[2] === type ? change(event) : [event];

test('an unknown event makes accusations unknown, and leaves measurements', () => {
  const { handshake, quic } = only(
    derived(changed(ofType('HTTP3_LOCAL_CONTROL_STREAM_CREATED', (event) => [event, [0, event[1], 'QUIC_SESSION_NEW_THING', 'instant']]))),
  );
  isUnknown(quic?.priorities, /QUIC_SESSION_NEW_THING/);
  isUnknown(quic?.capped, /QUIC_SESSION_NEW_THING/);
  assert.deepEqual(handshake, only(derived(golden)).handshake);
});

test('a parameter that is missing or of another kind makes the connection unknown', () => {
  for (const [name, value] of [
    ['offset', 'many'],
    ['stream_id', -4],
    ['length', undefined],
  ] as const) {
    const { quic, handshake } = only(
      derived(
        changed(
          ofType('QUIC_SESSION_STREAM_FRAME_RECEIVED', ([since, source, type, phase, params]) => [
            [since, source, type, phase, { ...params, [name]: value as never }],
          ]),
        ),
      ),
    );
    for (const finding of [handshake, quic?.holes, quic?.priorities, quic?.capped])
      isUnknown(finding, new RegExp(`as ${name}; expected a count`));
  }
  const { quic } = only(
    derived(
      changed(
        ofType('QUIC_SESSION_PACKET_SENT', ([since, source, type, phase, params]) => [
          [since, source, type, phase, { ...params, encryption_level: 'ENCRYPTION_2' }],
        ]),
      ),
    ),
  );
  isUnknown(quic?.priorities, /encryption level ENCRYPTION_2/);
});

test('frames that are not in the log make holes unknown, never a server that did not send', () => {
  let count = 0;
  const { quic } = only(derived(changed(ofType('QUIC_SESSION_STREAM_FRAME_RECEIVED', (event) => (count++ === 40 ? [] : [event])))));
  isUnknown(quic?.holes, /are nowhere in the log/);
});

test('a path without delay has no round trips to count by', () => {
  const fast = changed(([since, ...rest]) => [[Math.floor(since / 100), ...rest]]);
  const { rttMs, handshake, bytesByRoundTrip, quic } = only(derived(fast));
  for (const finding of [rttMs, handshake, bytesByRoundTrip, quic?.capped]) isUnknown(finding, /too short to judge by/);
  assert.equal(foundOf(quic?.priorities).signals, 79, 'the order is that of packets, whatever the time');
});

test('if Chrome’s two reports contradict each other, why it was not HTTP/3 is unknown', () => {
  const altSvc = read(version, 'nginx-h3-alt-svc');
  const [document, ...others] = altSvc.resources;
  assert.ok(document !== undefined);
  const resources = [{ ...document, alternateProtocolUsage: 'mainJobWonRace' }, ...others];
  isUnknown(derived({ ...altSvc, resources }).notOverH3[0]?.why, /the log that it was not known/);
  isUnknown(
    derived({ ...altSvc, resources: [{ ...document, alternateProtocolUsage: 'aNewWord' }, ...others] }).notOverH3[0]?.why,
    /aNewWord/,
  );
});

test('a log of nothing has no findings', () => {
  assert.deepEqual(derived({ ...golden, netlog: { version: 1, startUs: 0, events: [] } }), { connections: [], notOverH3: [] });
});
