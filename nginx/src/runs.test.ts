import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { closeRun, openRun } from './runs.ts';

test('a start removes what killed and finished runs left, and nothing of those that live', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(directory, { recursive: true }));
  const dead = spawn('true');
  await once(dead, 'exit');
  await mkdir(join(directory, 'runs', `${dead.pid}-1`), { recursive: true });
  await writeFile(join(directory, 'runs', `${dead.pid}-1`, 'nginx.pid'), '1');
  await mkdir(join(directory, 'runs', `${process.ppid}-1`));

  const first = await openRun(directory);
  const second = await openRun(directory);
  const names = async () => (await readdir(join(directory, 'runs'))).sort();
  assert.deepEqual(await names(), [`${process.ppid}-1`, basename(first), basename(second)].sort());

  await closeRun(first);
  assert.deepEqual(await readdir(first), [], 'its temporary files are gone, the folder with its logs stays');
  const third = await openRun(directory);
  assert.deepEqual(await names(), [`${process.ppid}-1`, basename(second), basename(third)].sort());
});
