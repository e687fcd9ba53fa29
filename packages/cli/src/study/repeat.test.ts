import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseForService } from './repeat.ts';

test('files of what is measured here are refused where a service measures, not left out', () => {
  assert.throws(() => refuseForService({ csv: 'visits.csv' }), /^Error: --csv exports what this machine measures/);
  refuseForService({ harHeaders: 'safe' });
});
