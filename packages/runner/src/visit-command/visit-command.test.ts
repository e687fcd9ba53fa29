import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { defaultLimits } from '@pronghorn/core/schemas';
import type { Load } from '../engines/engine.ts';
import { processIdentity } from '../machine/processes.ts';
import { testFolder } from '../testing/test-folder.ts';
import { runCommand, surveyVisitCommand, timeoutOf, VisitCommand } from './visit-command.ts';
import { answerLine } from './wire.ts';

const condition = conditionNamed('native');
assert.ok(condition);
const link = {
  choice: 'auto' as const,
  conditions: [condition],
  allowNet: [],
  fencing: 'fenced' as const,
  congestionControl: 'cubic',
  hosts: {},
};
const load = (view: Load['view']): Load => ({
  ...{ url: 'https://shop.example/', protocol: 'h2', discovery: 'forced', forced: [], view },
  ...{ isolation: 'container', browser: 'chrome', limits: { ...defaultLimits, loadTimeoutMs: 60_000, settleMaxMs: 10_000 } },
});

test('a visit is waited for as long as its engine’s own limits and two minutes more, a repeat view for both loads', () => {
  const timeout = (view: Load['view']) => timeoutOf({ ask: 'load', link, lab: null, condition, load: load(view) });
  assert.equal(timeout('cold'), 120_000 + 90_000);
  assert.equal(timeout('warm'), 120_000 + 180_000);
});

test('capabilities are those that the command tells', async () => {
  const capabilities = { engines: ['puppeteer' as const], browsers: ['chrome' as const], backends: ['direct' as const] };
  const line = answerLine({ kind: 'capabilities', capabilities });
  assert.deepEqual(await surveyVisitCommand(`read request; cat <<'END'\n${line}END`, 'auto', 'fenced'), capabilities);
});

test('requests wait for each other, also for one that fails', async (t) => {
  // Fails when another is at work; its own folder is the lock.
  const command = new VisitCommand(
    `lock='${join(testFolder(t), 'lock')}'; mkdir $lock || exit 3; read request; sleep 0.05; rmdir $lock; exit 1`,
  );
  const asked = [1, 2, 3].map(() => command.ask({ ask: 'capabilities', choice: 'auto', fencing: 'fenced' }));
  for (const one of asked) await assert.rejects(one, /ended with exit code 1 and without an answer/);
});

const forEver = new AbortController().signal;
const minute = { timeoutMs: 60_000, signal: forEver };

test('a command is given the line and is a command of the shell, whose output is the answer', async () => {
  assert.equal(
    await runCommand('read line; test -n "$line" && echo "heard $line" | tr a-z A-Z', 'something\n', minute),
    'HEARD SOMETHING\n',
  );
});

test('one that ends without an answer is reported with its exit code and its last words', async () => {
  await assert.rejects(runCommand('echo no such image >&2; exit 125', '', minute), {
    message: 'The visit command ended with exit code 125 and without an answer. It said: no such image',
  });
  await assert.rejects(runCommand('echo Welcome; echo no such image >&2; exit 125', '', minute), {
    message: 'The visit command ended with exit code 125. It said: no such image',
  });
  await assert.rejects(runCommand('echo Welcome; kill -9 $$', '', minute), { message: 'The visit command ended by SIGKILL.' });
  await assert.rejects(runCommand('kill -9 $$', '', minute), { message: 'The visit command ended by SIGKILL and without an answer.' });
});

test('one that prints too much is ended', async () => {
  await assert.rejects(
    runCommand('yes', '', { ...minute, maxBytes: 100_000 }),
    /^Error: The visit command wrote more than 100000 bytes and was ended\.$/,
  );
});

test('one that hangs is ended with all of its processes', async (t) => {
  const pids = join(testFolder(t), 'pids');
  await assert.rejects(
    runCommand(`sleep 1000 & echo $$ $! > '${pids}'; echo waits >&2; wait`, '', { timeoutMs: 3_000, signal: forEver }),
    /did not answer within 3 s and was ended\. It said: waits/,
  );
  const processes = readFileSync(pids, 'utf8').split(/\s+/).filter(Boolean);
  assert.equal(processes.length, 2);
  // A process closes what it writes to a moment before it is gone.
  for (const pid of processes) while (processIdentity(Number(pid)) !== undefined) await new Promise((resolve) => setImmediate(resolve));
});

test('one that is to stop gets a signal and the end of its standard input, and may clean up', async (t) => {
  const folder = testFolder(t);
  const stop = new AbortController();
  const started = join(folder, 'started');
  const running = runCommand(`trap 'echo told >&2' TERM; touch '${started}'; cat > /dev/null; cat > /dev/null; echo input ended >&2`, '', {
    ...minute,
    signal: stop.signal,
  });
  while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await assert.rejects(running, /was stopped\. It said: [\s\S]*told[\s\S]*input ended/);
  await assert.rejects(runCommand('touch "$0"', '', { ...minute, signal: stop.signal }), { name: 'AbortError' });
});
