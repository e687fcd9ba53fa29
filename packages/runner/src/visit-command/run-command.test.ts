import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { processIdentity } from '../machine/process-identity.ts';
import { testFolder } from '../testing/test-folder.ts';
import { runCommand } from './run-command.ts';

const forEver = new AbortController().signal;
const minute = { atMostMs: 60_000, signal: forEver };

test('a command is given the line and is a command of the shell, whose output is the answer', async () => {
  assert.equal(
    await runCommand('read line; test -n "$line" && echo "heard $line" | tr a-z A-Z', 'something\n', minute),
    'HEARD SOMETHING\n',
  );
});

test('one that ends without an answer is told with its exit code and its last words', async () => {
  await assert.rejects(runCommand('echo no such image >&2; exit 125', '', minute), {
    message: 'The visit command ended with exit code 125 and without an answer. It said: no such image',
  });
  await assert.rejects(runCommand('echo Welcome; echo no such image >&2; exit 125', '', minute), {
    message: 'The visit command ended with exit code 125. It said: no such image',
  });
  await assert.rejects(runCommand('echo Welcome; kill -9 $$', '', minute), { message: 'The visit command ended by SIGKILL.' });
  await assert.rejects(runCommand('kill -9 $$', '', minute), { message: 'The visit command ended by SIGKILL and without an answer.' });
});

test('one that says too much is ended', async () => {
  await assert.rejects(
    runCommand('yes', '', { ...minute, mostBytes: 100_000 }),
    /^Error: The visit command wrote more than 100000 bytes and was ended\.$/,
  );
});

test('one that hangs is ended with all of its processes', async (t) => {
  const pids = join(testFolder(t), 'pids');
  await assert.rejects(
    runCommand(`sleep 1000 & echo $$ $! > '${pids}'; echo waits >&2; wait`, '', { atMostMs: 3_000, signal: forEver }),
    /did not answer within 3 s and was ended\. It said: waits/,
  );
  for (const pid of readFileSync(pids, 'utf8').split(/\s+/).filter(Boolean)) assert.equal(processIdentity(Number(pid)), undefined);
});

test('one that is to stop is told by a signal and by the end of its standard input, and may leave in order', async (t) => {
  const folder = testFolder(t);
  const stop = new AbortController();
  const started = join(folder, 'started');
  const running = runCommand(`trap 'echo told >&2' TERM; touch '${started}'; cat > /dev/null; cat > /dev/null; echo input ended >&2`, '', {
    ...minute,
    signal: stop.signal,
  });
  while (!existsSync(started)) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await assert.rejects(running, /was told to stop\. It said: [\s\S]*told[\s\S]*input ended/);
  await assert.rejects(runCommand('touch "$0"', '', { ...minute, signal: stop.signal }), { name: 'AbortError' });
});
