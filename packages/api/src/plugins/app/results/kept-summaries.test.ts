import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '@pronghorn/core/schemas';
import { createKeptSummaries } from './kept-summaries.ts';

test('that the file of results cannot be read is said once, and again when it could be read meanwhile', () => {
  let broken = true;
  const said: string[] = [];
  const { withVerdicts } = createKeptSummaries({
    store: { verdicts: () => (broken ? assert.fail('disk I/O error') : new Map()) },
    versionOf: () => undefined,
    now: () => 0,
    log: { error: (_: unknown, words?: unknown) => void said.push(String(words)) },
  });
  const list = () => withVerdicts([{ id: '1' } as Campaign]).map(({ verdicts }) => verdicts);
  assert.deepEqual([list(), list()], [[null], [null]]);
  assert.equal(said.length, 1);
  broken = false;
  list();
  broken = true;
  list();
  assert.equal(said.length, 2);
});
