import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { allowedForeignShare, CalmGate } from './calm.ts';

test('the gate stays shut while another process works, and opens when it has ended', async () => {
  // A shell that ends at once leaves its child to init: no longer below this process.
  const burn = 'const end = Date.now() + 900; while (Date.now() < end);';
  const gate = new CalmGate();
  const started = performance.now();
  await once(spawn('sh', ['-c', `setsid "${process.execPath}" -e '${burn}' > /dev/null 2>&1 &`], { stdio: 'ignore' }), 'exit');
  await gate.pass(0.15);
  assert.ok(performance.now() - started > 800, `passed after ${performance.now() - started} ms`);
});

test('of a large machine other work may take the share of five cores, whichever share that is', () => {
  assert.equal(allowedForeignShare(0.2, 2), 0.2);
  assert.equal(allowedForeignShare(0.2, 5), 0.2);
  assert.equal(allowedForeignShare(0.2, 16) * 16, 1);
  assert.equal(allowedForeignShare(0.4, 16) * 16, 2);
  assert.equal(allowedForeignShare(1, 16), 1);
});

test('a stop opens the gate', async () => {
  const stop = new AbortController();
  stop.abort();
  const started = performance.now();
  await new CalmGate().pass(-1, stop.signal);
  assert.ok(performance.now() - started < 1_000);
});
