import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, test } from 'node:test';
import { closeRun, closeSockets, openRun, openSockets } from './runs.ts';

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

const { TMPDIR } = process.env;
afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

test('paths are short enough for a socket wherever temporary files lie, and others may pass the folder but not list it', async (t) => {
  const run = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(run, { recursive: true }));
  process.env.TMPDIR = join(run, 'x'.repeat(120));
  await mkdir(process.env.TMPDIR);
  const sockets = await openSockets(run);
  assert.ok(sockets.upstream.length <= 107 && sockets.check.length <= 107);
  assert.equal((await stat(sockets.directory)).mode & 0o777, 0o711);
  await closeSockets(run);
  await assert.rejects(stat(sockets.directory), { code: 'ENOENT' });
});

test('closing is for every run, also one that has no sockets any more, and leaves what isn’t ours', async (t) => {
  const run = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(run, { recursive: true }));
  await closeSockets(run);
  const { directory } = await openSockets(run);
  t.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'other'), '');
  await closeSockets(run);
  assert.deepEqual(await readdir(directory), ['other']);
  await closeSockets(run);
});
