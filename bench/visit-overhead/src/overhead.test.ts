import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from './browsertime.ts';
import { browsertimeRow, oneMoreVisitMs, overheadMs, pronghornRow } from './overhead.ts';

const command = (wallMs: number, loadMs: number[], speedIndexMs: number[] = []): Command => ({
  wallMs,
  loadMs,
  speedIndexMs,
  foreignCpuShare: 0,
});

test('the overhead of a command is its wall time without the loads of all its visits', () => {
  assert.equal(overheadMs(command(10_000, [200, 300, 500])), 9_000);
});

test('one more visit costs what the longer command adds, without its loads, for each visit that it makes more', () => {
  assert.equal(oneMoreVisitMs(command(13_000, [250]), command(37_000, [200, 300, 500])), (36_000 - 12_750) / 2);
});

test('an invalid command is counted as such, one that was never made is not, and neither gives a cost of one more visit', () => {
  const row = browsertimeRow('tuned', [
    { single: command(3_000, [200]), several: command(8_000, [200, 200, 200]) },
    { single: command(9_000, [400]), several: 'invalid' },
    { single: undefined, several: undefined },
  ]);
  assert.deepEqual(row, {
    name: 'tuned',
    visits: 5,
    invalid: 1,
    loadMs: 200,
    speedIndexMs: null,
    oneMoreMs: (7_400 - 2_800) / 2,
    apartMs: null,
    oneCommandMs: (2_800 + 8_600) / 2,
  });
});

test('a mode without any valid command has no numbers', () => {
  const { visits, invalid, loadMs, oneMoreMs, oneCommandMs } = browsertimeRow('default', [{ single: 'invalid', several: 'invalid' }]);
  assert.deepEqual([visits, invalid, loadMs, oneMoreMs, oneCommandMs], [0, 2, null, null, null]);
});

test('each of Pronghorn’s visits is one more visit', () => {
  const { oneMoreMs, apartMs, visits, invalid } = pronghornRow([
    [
      { wallMs: 500, loadMs: 200, settledMs: 110, speedIndexMs: 150 },
      { wallMs: 700, loadMs: 300, settledMs: 110, speedIndexMs: 150 },
      { wallMs: 900, loadMs: 300, settledMs: 160, speedIndexMs: 150 },
    ],
    'invalid',
    undefined,
  ]);
  assert.deepEqual([oneMoreMs, apartMs, visits, invalid], [400, 290, 3, 1]);
});
