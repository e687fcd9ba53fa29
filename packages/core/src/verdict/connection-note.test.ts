import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionNote } from '../campaign/results.ts';
import type { SlotResults, Summary } from '../schemas/index.ts';
import type { Protocol, View } from '../vocabulary/index.ts';

const slot = (protocol: Protocol, connections: number, at: number): SlotResults => ({
  ...{ slot: at, protocol, valid: 3, invalid: [], receiveDrops: null },
  failures: { failed: 0, loads: 3, share: 0, low: 0, high: 0.7 },
  metrics: { connections: { n: 3, median: connections } as Summary },
});
const group = (view: View, h2: number, h3: number) => ({ view, slots: [slot('h2', h2, 0), slot('h3', h3, 1)] });
const runs = { engine: 'transaction', workload: { connections: 'pool' } } as const;

test('cold runs with twice the connections over one protocol are explained', () => {
  const note = connectionNote(group('cold', 50, 1), runs) ?? '';
  assert.match(note, /opened 50 connections over HTTP\/2 and 1 connection over HTTP\/3\. Go’s HTTP\/2 client dials/);
  const shared = connectionNote(group('cold', 4, 2), { ...runs, workload: { connections: 'shared', shared: 2 } }) ?? '';
  assert.match(shared, /4 connections/);
  assert.doesNotMatch(shared, /Go’s/);
});

test('a protocol that is compared with itself is told of once', () => {
  const slots = [slot('h2', 40, 0), slot('h2', 44, 1), slot('h3', 1, 2)];
  assert.match(connectionNote({ view: 'cold', slots }, runs) ?? '', /opened 42 connections over HTTP\/2 and 1 connection over HTTP\/3\./);
  assert.equal(connectionNote({ view: 'cold', slots: slots.slice(0, 2) }, runs), null);
});

test('nothing is said where counts are alike, connections were open before, or nothing was opened', () => {
  assert.equal(connectionNote(group('cold', 3, 2), runs), null);
  assert.equal(connectionNote(group('warm', 50, 1), runs), null);
  assert.equal(connectionNote(group('cold', 50, 0), runs), null);
});

test('pages have connections of their own, and no such note', () => {
  assert.equal(connectionNote(group('cold', 6, 1), { engine: 'puppeteer' } as never), null);
});
