import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hearTime, now } from './clock.ts';

const ahead = () => now() - Date.now();
/** Whether the service's clock is taken to be so far ahead of the browser's, give or take the time of the test itself. */
const isAhead = (ms: number) => assert.ok(Math.abs(ahead() - ms) < 50, `${ahead()} ms ahead; expected ${ms}`);
const at = Date.parse('2026-03-01T12:00:00Z');
const date = new Date(at).toUTCString();

test('a browser whose clock is right is believed; one that is an hour behind is corrected, and again once somebody sets it', () => {
  isAhead(0);
  hearTime(date, at + 300, at + 400);
  isAhead(0);
  hearTime(date, at - 3_600_000, at - 3_600_000 + 200);
  isAhead(3_600_000 - 200);
  hearTime(date, at + 300, at + 400);
  isAhead(700);
  hearTime(date, at - 10, at + 990);
  isAhead(700);
});

test('an answer without a date teaches nothing', () => {
  const before = ahead();
  hearTime(null, at, at);
  hearTime('soon', at, at);
  isAhead(before);
});
