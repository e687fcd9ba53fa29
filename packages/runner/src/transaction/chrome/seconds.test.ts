import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondsOfRun } from './seconds.ts';

test('each whole second has all that ended before its end, in whatever order it was told', () => {
  const seconds = new SecondsOfRun();
  const request = (handed: number, error?: string) =>
    seconds.add({ handed, bytesReceived: 10, bytesSent: 1, ...(error === undefined ? {} : { error }) });
  request(2_500);
  request(900);
  request(950, 'timeout');
  assert.deepEqual(seconds.told(), [
    { at: 1, succeeded: 1, failed: 1, bytesReceived: 20, bytesSent: 2 },
    { at: 2, succeeded: 1, failed: 1, bytesReceived: 20, bytesSent: 2 },
  ]);
  assert.deepEqual(new SecondsOfRun().told(), []);
});
