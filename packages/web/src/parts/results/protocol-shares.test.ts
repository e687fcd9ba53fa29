import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellResults } from '@pronghorn/core/schemas';
import { measuredH3 } from './protocol-shares.ts';

const slot = (protocol: 'h2' | 'h3', objects: number, bytes: number) => ({
  ...{ slot: protocol === 'h2' ? 0 : 1, protocol },
  metrics: { h1Share: { mean: 0 }, h3Share: { mean: objects }, h3ByteShare: { mean: bytes } },
});
const cell = (condition: string, slots: unknown[]) => ({ condition, slots }) as unknown as CellResults;

test('what came over HTTP/3 is of the visits that asked for it', () => {
  const cells = [cell('native', [slot('h2', 0, 0), slot('h3', 1, 0.5)]), cell('4g', [slot('h2', 0, 0), slot('h3', 0.5, 0.25)])];
  assert.deepEqual(measuredH3(cells), { objects: 0.75, bytes: 0.375 });
  assert.equal(measuredH3([cell('native', [slot('h2', 0, 0), { ...slot('h3', 1, 1), metrics: {} }])]), null, 'no visit counts yet');
});
