import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVisualMetrics } from './visual-metrics.ts';

test('what the program prints is read as milliseconds and a curve of shares', () => {
  const said =
    '{"FirstVisualChange": 133, "LastVisualChange": 433, "SpeedIndex": 190, "VisualProgress": "0=0, 133=80, 433=100", "videoRecordingStart": 900}';
  assert.deepEqual(readVisualMetrics(said), {
    ...{ speedIndex: 190, firstVisualChange: 133, lastVisualChange: 433 },
    curve: [
      { atMs: 0, completeness: 0 },
      { atMs: 133, completeness: 0.8 },
      { atMs: 433, completeness: 1 },
    ],
  });
});

test('a number that is missing is a failure, and no 0', () => {
  assert.match(JSON.stringify(readVisualMetrics('{"FirstVisualChange": 133}')), /no SpeedIndex/);
});
