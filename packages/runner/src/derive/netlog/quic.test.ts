import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logged } from './events.ts';
import { readQuic } from './quic.ts';

let clock = 0;
const event = (type: string, params: Logged['params'] = {}, phase: Logged['phase'] = 'instant'): Logged => ({
  ...{ atMs: clock++, source: 1, type, phase, params },
});
const sent = (number: number, level = 'FORWARD_SECURE') =>
  event('QUIC_SESSION_PACKET_SENT', { packet_number: number, encryption_level: `ENCRYPTION_${level}` });
const received = (number: number) =>
  event('QUIC_SESSION_UNAUTHENTICATED_PACKET_HEADER_RECEIVED', { packet_number: number, header_format: 'IETF_QUIC_SHORT_HEADER_PACKET' });
const acknowledged = (from: number, to: number, missing?: number[]) =>
  event('QUIC_SESSION_ACK_FRAME_RECEIVED', { smallest_observed: from, largest_observed: to, ...(missing && { missing_packets: missing }) });
const written = (stream: number) => event('QUIC_SESSION_STREAM_FRAME_SENT', { stream_id: stream });
const controlStream = () => event('HTTP3_LOCAL_CONTROL_STREAM_CREATED', { stream_id: 2 });
const update = (stream: number, value: string) =>
  event('HTTP3_PRIORITY_UPDATE_SENT', { prioritized_element_id: stream, priority_field_value: value });
const asked = (stream: number, priority?: string) =>
  event('HTTP3_HEADERS_SENT', { stream_id: stream, ':url': `https://a.example/${stream}`, ...(priority && { ':priority': priority }) });

test('the server knows a signal from the packet on that acknowledges the packet which carried it', () => {
  const { signals } = readQuic([
    ...[controlStream(), update(4, 'u=1'), sent(6), written(2), sent(7), update(8, 'u=2'), written(2), sent(8)],
    ...[received(30), acknowledged(1, 8, [7]), received(31), acknowledged(7, 8)],
  ]);
  assert.deepEqual(
    signals.map(({ stream, value, knownFrom }) => ({ stream, value, knownFrom })),
    [
      { stream: 4, value: 'u=1', knownFrom: 31 },
      { stream: 8, value: 'u=2', knownFrom: 30 },
    ],
  );
});

test('a frame and a header that say the same are one signal, known by whichever came first', () => {
  const { signals, requested, urls } = readQuic([
    ...[controlStream(), update(4, 'u=1, i'), written(2), sent(1), asked(4, 'u=1, i'), written(4), sent(2)],
    ...[received(10), acknowledged(2, 2), received(11), acknowledged(1, 2)],
  ]);
  assert.deepEqual(
    signals.map(({ knownFrom }) => knownFrom),
    [10],
  );
  assert.deepEqual([...requested], [[4, 10]]);
  assert.deepEqual([...urls], [[4, 'https://a.example/4']]);
});

test('a signal that was never acknowledged has no effect', () => {
  const { signals } = readQuic([controlStream(), update(4, 'u=1'), written(2), sent(1), received(10)]);
  assert.deepEqual(
    signals.map(({ knownFrom }) => knownFrom),
    [Number.POSITIVE_INFINITY],
  );
});

test('a round trip is the shortest time to an acknowledgement, a handshake ends with the first packet that can carry a request', () => {
  clock = 0;
  const { handshakeMs, rttMs, early } = readQuic([
    { ...sent(1, 'INITIAL'), atMs: 0 },
    { ...received(0), atMs: 100 },
    { ...sent(1), atMs: 103 },
    { ...received(1), atMs: 250 },
    { ...acknowledged(1, 1), atMs: 250 },
    { ...sent(2), atMs: 300 },
    { ...received(2), atMs: 401 },
    { ...acknowledged(1, 2), atMs: 401 },
  ]);
  assert.deepEqual({ handshakeMs, rttMs, early }, { handshakeMs: 103, rttMs: 101, early: false });
  assert.equal(readQuic([sent(1, 'INITIAL'), sent(2, 'ZERO_RTT'), received(0)]).early, true);
  clock = 0;
  const rejected = readQuic([sent(1, 'INITIAL'), sent(2, 'ZERO_RTT'), received(0), event('QUIC_SESSION_ZERO_RTT_REJECTED'), sent(3)]);
  assert.deepEqual([rejected.early, rejected.handshakeMs], [false, 4]);
});
