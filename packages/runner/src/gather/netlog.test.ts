import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slimNetlog, type TraceEvent } from './netlog.ts';

let clock = 8_000_000;
const event = (
  local: string,
  kind: string | undefined,
  ph: string,
  name: string,
  params?: Record<string, unknown>,
  startedMs = 8_000,
): TraceEvent => ({
  ...{ cat: 'netlog', name, ph, ts: clock++, pid: 1, id2: { local } },
  args: kind === undefined ? {} : { source_type: kind, params: { source_start_time: `${startedMs}`, ...params } },
});
const typesOf = (events: TraceEvent[]) => slimNetlog(events).events.map(([, , type]) => type);

test('of a log what findings need is kept, each event with the time since the one before', () => {
  const { startUs, events } = slimNetlog([
    event('0x1', 'SOCKET', 'b', 'TCP_CONNECT', { remote_address: '10.0.0.1:443', address_list: ['10.0.0.1:443'] }),
    event('0x1', 'SOCKET', 'n', 'SOCKET_BYTES_SENT', { byte_count: 3 }),
    event('0x1', undefined, 'e', 'TCP_CONNECT'),
  ]);
  assert.equal(startUs, 8_000_000);
  assert.deepEqual(events, [
    [0, 1, 'TCP_CONNECT', 'begin', { remote_address: '10.0.0.1:443' }],
    [2, 1, 'TCP_CONNECT', 'end'],
  ]);
});

test('of a request’s headers its URL and priority are kept alone', () => {
  const headers = [':method: GET', ':authority: a.example', ':scheme: https', ':path: /x?y=1', 'cookie: id=secret', 'priority: u=1, i'];
  const { events } = slimNetlog([event('0x2', 'QUIC_SESSION', 'n', 'HTTP3_HEADERS_SENT', { stream_id: 4, headers })]);
  assert.deepEqual(events[0]?.[4], { stream_id: 4, ':url': 'https://a.example/x?y=1', ':priority': 'u=1, i' });
});

test('events that began before the recording belong to another visit, even if their track leads to this one', () => {
  const { events } = slimNetlog([
    event('0x9', 'NONE', 'n', 'PROXY_CONFIG_CHANGED', {}, 9_000),
    event('0x3', 'QUIC_SESSION', 'n', 'QUIC_SESSION_PACKET_SENT', { packet_number: 7 }, 5_000),
    event('0x3', 'QUIC_SESSION', 'n', 'QUIC_SESSION_PACKET_SENT', { packet_number: 1 }, 9_000),
    event('0x3', 'QUIC_SESSION', 'n', 'QUIC_SESSION_PACKET_SENT', { packet_number: 1 }, 9_001),
  ]);
  assert.deepEqual(
    events.map(([, source, , , params]) => [source, params?.packet_number]),
    [
      [1, 1],
      [2, 1],
    ],
  );
});

test('an event of a QUIC connection that is not known is kept by its name alone, one of another source not at all', () => {
  assert.deepEqual(
    typesOf([event('0x4', 'QUIC_SESSION', 'n', 'QUIC_SESSION_NEW', { token: 'x' }), event('0x5', 'SOCKET', 'n', 'SOCKET_NEW')]),
    ['QUIC_SESSION_NEW'],
  );
  assert.deepEqual(slimNetlog([event('0x4', 'QUIC_SESSION', 'n', 'QUIC_SESSION_NEW', { token: 'x' })]).events[0]?.length, 4);
  assert.deepEqual(typesOf([event('0x4', 'QUIC_SESSION', 'n', 'QUIC_SESSION_PACKET_RECEIVED', { size: 3 })]), []);
});
