import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { closeSockets, openSockets } from './sockets.ts';

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
