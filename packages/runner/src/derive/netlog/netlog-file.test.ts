import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceEvent } from '../../gather/netlog.ts';
import { netlogFile } from './netlog-file.ts';

interface Written {
  type: number;
  phase: number;
  source: { id: number; start_time: string; type: number };
  time: string;
  params?: object;
}

let clock = 5_000_000;
const event = (local: string, kind: string | undefined, ph: string, name: string, params?: Record<string, unknown>): TraceEvent => ({
  ...{ cat: 'netlog', name, ph, ts: clock++, pid: 1, id2: { local } },
  args: kind === undefined ? {} : { source_type: kind, params: { source_start_time: '5000', ...params } },
});
const named = (id: number, type: number) => ({ source_dependency: { id, type } });
const read = (events: TraceEvent[]) => {
  const { constants, events: written } = JSON.parse(netlogFile(events, { epochMs: 1_700_000_000_000.4, product: 'Chrome/156.0.1.2' }));
  const nameOf = (names: Record<string, number>, number: number) => Object.keys(names).find((name) => names[name] === number);
  return {
    constants,
    events: written.map(({ type, phase, source, time, params }: Written) => ({
      name: nameOf(constants.logEventTypes, type),
      phase: nameOf(constants.logEventPhase, phase),
      source: { ...source, type: nameOf(constants.logSourceType, source.type) },
      ...{ time, params },
    })),
  };
};

test('a log has Chrome’s form: numbered types and phases, milliseconds as texts, and what viewers look for before they read', () => {
  const { constants, events } = read([
    event('0x1', 'URL_REQUEST', 'b', 'REQUEST_ALIVE', { url: 'https://a.example/' }),
    event('0x1', 'URL_REQUEST', 'n', 'URL_REQUEST_JOB_BYTES_READ', { byte_count: 3 }),
    event('0x1', undefined, 'e', 'REQUEST_ALIVE'),
  ]);
  assert.deepEqual([constants.logFormatVersion, constants.timeTickOffset], [1, 1_700_000_000_000]);
  assert.deepEqual(constants.clientInfo, { name: 'Chrome', version: '156.0.1.2', command_line: '' });
  for (const name of ['loadFlag', 'netError', 'addressFamily']) assert.equal(typeof constants[name], 'object', name);
  const source = { id: events[0].source.id, start_time: '5000', type: 'URL_REQUEST' };
  assert.deepEqual(events, [
    { name: 'REQUEST_ALIVE', phase: 'PHASE_BEGIN', source, time: '5000', params: { url: 'https://a.example/' } },
    { name: 'URL_REQUEST_JOB_BYTES_READ', phase: 'PHASE_NONE', source, time: '5000', params: { byte_count: 3 } },
    { name: 'REQUEST_ALIVE', phase: 'PHASE_END', source, time: '5000', params: undefined },
  ]);
});

test('sources have the ids and types by which other events name them, also those that took the track of another', () => {
  const bound = (start: string, request: number, controller: number): TraceEvent[] => [
    event('0x1', 'URL_REQUEST', 'n', 'HTTP_STREAM_JOB_CONTROLLER_BOUND', { source_start_time: start, ...named(controller, 32) }),
    event('0x2', 'HTTP_STREAM_JOB_CONTROLLER', 'n', 'HTTP_STREAM_JOB_CONTROLLER_BOUND', { source_start_time: start, ...named(request, 1) }),
    event('0x1', 'URL_REQUEST', 'n', 'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION', { source_start_time: start, ...named(900, 13) }),
  ];
  const { events } = read([
    event('0x3', 'QUIC_SESSION', 'b', 'QUIC_SESSION', { source_start_time: '4999' }),
    ...bound('5000', 70, 71),
    ...bound('5009', 80, 81),
  ]);
  assert.deepEqual(
    events.map(({ source }: { source: { id: number; type: string } }) => [source.type, source.id]),
    [
      ['QUIC_SESSION', 900],
      ...[
        ['URL_REQUEST', 70],
        ['HTTP_STREAM_JOB_CONTROLLER', 71],
        ['URL_REQUEST', 70],
      ],
      ...[
        ['URL_REQUEST', 80],
        ['HTTP_STREAM_JOB_CONTROLLER', 81],
        ['URL_REQUEST', 80],
      ],
    ],
  );
});
