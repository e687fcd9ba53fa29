import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { nextOutput } from './output.ts';

const program = (code: string) =>
  spawn(
    process.execPath,
    ['--input-type=module', '-e', `import { sayAtOnce } from ${JSON.stringify(import.meta.resolve('./output.ts'))}; ${code}`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );

test('what a program says is waited for, and its end instead is an error at once', async () => {
  const child = program("sayAtOnce('one'); process.exitCode = 3;");
  assert.equal(String(await nextOutput(child)), 'one\n');
  await assert.rejects(nextOutput(child), /ended with exit code 3 before it said more: .*node/);
  await assert.rejects(nextOutput(child), /exit code 3/, 'nor is one waited for that has ended before');
});

test('what was said before the end arrives, though nobody read it until the pipe was full', async () => {
  const child = program("for (let n = 0; n < 20_000; n++) sayAtOnce('x'.repeat(50)); process.kill(process.pid, 'SIGKILL');");
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  let said = 0;
  lines.on('line', () => said++);
  assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL']);
  assert.equal(said, 20_000);
});
