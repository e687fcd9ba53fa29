import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pollIntervalMs } from './reading.ts';

test('what is read quickly is read as often as the page wishes, and what is not, no more often than its cost allows', () => {
  assert.equal(pollIntervalMs(2000, 30), 2000);
  assert.equal(pollIntervalMs(2000, 2000), 40_000);
  assert.equal(pollIntervalMs(60_000, 2000), 60_000);
});

test('one late answer stops no page for long, and what is read once stays so', () => {
  assert.equal(pollIntervalMs(2000, 60_000), 300_000);
  assert.equal(pollIntervalMs(600_000, 60_000), 600_000);
  assert.equal(pollIntervalMs(null, 30), null);
});
