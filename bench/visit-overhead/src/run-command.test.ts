import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'visit-overhead-test-'));
after(() => rmSync(folder, { recursive: true }));
const never = new AbortController().signal;
const env = { PATH: process.env.PATH ?? '', MARK: folder };
const run = (script: string, { timeoutMs = 20_000, signal = never } = {}) =>
  runCommand(['bash', '-c', script], { cwd: folder, env, mark: folder, timeoutMs, signal });

/** A zombie has ended; that nobody has asked for its exit code yet is not ours to mend. */
function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}

test('a command is timed to its own end, with its exit code and what it said', async () => {
  const { wallMs, exitCode, said } = await run('echo out; sleep 0.2; exit 3');
  assert.deepEqual([exitCode, said], [3, 'out\n']);
  assert.ok(wallMs >= 200 && wallMs < 5_000, `${wallMs} ms`);
});

test('what a command leaves behind is ended, in its session and out of it', async () => {
  const { said } = await run('sleep 300 & echo $!; setsid sleep 300 > /dev/null & echo $!');
  const pids = said.trim().split('\n').map(Number);
  assert.equal(pids.length, 2);
  assert.deepEqual(pids.filter(isAlive), []);
});

test('what does not end politely is killed', async () => {
  const { said } = await run('(trap "" TERM; while :; do sleep 0.1; done) > /dev/null & echo $!');
  assert.equal(isAlive(Number(said)), false);
});

test('a command is ended at its time limit, politely, so that it can clean up', async () => {
  writeFileSync(join(folder, 'lock'), '');
  const { exitCode, said } = await run('trap "rm lock; exit 7" TERM; while :; do sleep 0.05; done', { timeoutMs: 500 });
  assert.deepEqual([exitCode, existsSync(join(folder, 'lock'))], [7, false]);
  assert.match(said, /ended after 500 ms/);
});

test('an abort ends the command and is thrown', async () => {
  const interrupted = new AbortController();
  setTimeout(() => interrupted.abort(new Error('enough')), 300);
  await assert.rejects(run('echo $$ > pid; sleep 300', { signal: interrupted.signal }), /enough/);
});

test('a program that is not there is an error', async () => {
  await assert.rejects(runCommand(['/nowhere/program'], { cwd: folder, env, mark: folder, timeoutMs: 1_000, signal: never }), /ENOENT/);
});
