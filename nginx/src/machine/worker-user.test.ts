import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { canReach, workerUser } from './worker-user.ts';

const stranger = { uid: 65_534, gid: 65_534 };

test('a stranger reaches a file when every folder above it lets him pass', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(directory, { recursive: true }));
  await chmod(directory, 0o755);
  const folder = join(directory, 'sites');
  const file = join(folder, 'index.html');
  await mkdir(folder, { mode: 0o755 });
  await writeFile(file, '', { mode: 0o644 });
  await chmod(file, 0o644);
  await chmod(folder, 0o755);
  assert.equal(await canReach(file, stranger), true);
  await chmod(folder, 0o700);
  assert.equal(await canReach(file, stranger), false);
  assert.equal(await canReach(file, await stat(file)), true, 'its owner still does');
  await chmod(folder, 0o711);
  assert.equal(await canReach(file, stranger), true, 'passing needs no right to list');
  await chmod(file, 0o600);
  assert.equal(await canReach(file, stranger), false);

  // Started by root, the server's workers are nobody as long as nobody can read; else the owner. Others can't choose.
  const root = process.geteuid?.() === 0;
  assert.equal((await workerUser([file]))?.user, root ? 'root' : undefined);
  await chmod(file, 0o644);
  assert.equal((await workerUser([file]))?.user, root ? 'nobody' : undefined);
});
