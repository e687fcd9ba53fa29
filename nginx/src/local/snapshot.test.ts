import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { NoBuild, takeSnapshot } from './snapshot.ts';

async function folderOf(t: TestContext, files: Record<string, string>): Promise<{ build: string; target: string }> {
  const above = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(above, { recursive: true }));
  const build = join(above, 'build');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(build, path, '..'), { recursive: true });
    await writeFile(join(build, path), content);
  }
  return { build, target: join(above, 'copy') };
}

test('hidden files and what links out of the folder are not copied, and each is named', async (t) => {
  const files = { 'index.html': 'page', '.env': 'SECRET=1', '.git/config': 'x', '.well-known/security.txt': 'mail', 'a/.hidden/x': 'x' };
  const { build, target } = await folderOf(t, { ...files, '../outside.txt': 'secret', 'a/inside.txt': 'inside' });
  await symlink(join(build, '..', 'outside.txt'), join(build, 'out.txt'));
  await symlink('..', join(build, 'up'));
  await symlink('a/inside.txt', join(build, 'in.txt'));
  await symlink('nothing', join(build, 'broken'));
  await symlink('.env', join(build, 'environment'));
  await symlink('.', join(build, 'circle'));
  execFileSync('mkfifo', [join(build, 'pipe')]);
  const { notServed, files: count } = await takeSnapshot(build, target);
  assert.deepEqual(
    notServed.map(({ path, why }) => `${path}: ${why}`),
    [
      '.env: hidden',
      '.git: hidden',
      'a/.hidden: hidden',
      'broken: a link to nothing',
      'environment: a link that leads out of the folder',
      'out.txt: a link that leads out of the folder',
      'pipe: neither file nor folder',
      'up: a link that leads out of the folder',
    ],
  );
  const copied = (await readdir(join(target, 'plain'), { recursive: true })).sort();
  assert.deepEqual(copied, ['.well-known', '.well-known/security.txt', 'a', 'a/inside.txt', 'in.txt', 'index.html']);
  assert.equal(count, 4);
});

test('text is compressed beside itself unless the build has done so; brotli files make a tree of their own', async (t) => {
  const text = 'pronghorn '.repeat(500);
  const { build, target } = await folderOf(t, {
    ...{ 'index.html': text, 'app.js': text, 'app.js.gz': 'gz of the build', 'app.js.br': 'br of the build', 'small.css': 'a{}' },
    ...{ 'data.tar.gz': 'not of anything', 'picture.png': text },
  });
  const { brotli, files } = await takeSnapshot(build, target);
  assert.deepEqual([brotli, files], [['/app.js'], 5]);
  assert.equal(gunzipSync(await readFile(join(target, 'plain/index.html.gz'))).toString(), text);
  assert.equal(await readFile(join(target, 'plain/app.js.gz'), 'utf8'), 'gz of the build');
  assert.deepEqual((await readdir(join(target, 'plain'))).sort(), [
    ...['app.js', 'app.js.gz', 'data.tar.gz', 'index.html', 'index.html.gz', 'picture.png', 'small.css'],
  ]);
  assert.equal(await readFile(join(target, 'br/app.js'), 'utf8'), 'br of the build');
  assert.deepEqual((await readdir(join(target, 'br'))).sort(), [
    ...['app.js', 'data.tar.gz', 'index.html', 'index.html.gz', 'picture.png', 'small.css'],
  ]);
});

test('the version is that of the content, and the copy stays when the folder changes', async (t) => {
  const { build, target } = await folderOf(t, { 'index.html': 'one', 'b c/ü.html': 'two' });
  const first = await takeSnapshot(build, target);
  assert.deepEqual(first.pages, ['b c/ü.html', 'index.html']);
  assert.equal((await takeSnapshot(build, `${target}2`)).version, first.version);
  await writeFile(join(build, 'index.html'), 'other');
  assert.equal(await readFile(join(target, 'plain/index.html'), 'utf8'), 'one');
  assert.notEqual((await takeSnapshot(build, `${target}3`)).version, first.version);
});

test('unreadable files are named, and a file of 200 MB is accepted', { timeout: 60_000 }, async (t) => {
  const { build, target } = await folderOf(t, { 'index.html': 'page', 'secret.html': 'x', 'big.mp4': '' });
  await truncate(join(build, 'big.mp4'), 200_000_000);
  await chmod(join(build, 'secret.html'), 0);
  const { bytes, notServed } = await takeSnapshot(build, target);
  // Root may read everything.
  const root = process.getuid?.() === 0;
  assert.deepEqual(notServed, root ? [] : [{ path: 'secret.html', why: 'not readable' }]);
  assert.equal(bytes, 200_000_004 + (root ? 1 : 0));
});

test('files in a folder that can be listed but not entered are named', async (t) => {
  const { build, target } = await folderOf(t, { 'index.html': 'page', 'closed/index.html': 'x', 'closed/below/index.html': 'x' });
  await chmod(join(build, 'closed'), 0o444);
  const root = process.getuid?.() === 0;
  for (const path of ['..', '.', 'index.html', 'closed']) await chown(join(build, path), root ? 65_534 : -1, -1);
  if (root) process.seteuid?.(65_534); // root may enter everything
  const { pages, notServed } = await takeSnapshot(build, target).finally(async () => {
    if (root) process.seteuid?.(0);
    await chmod(join(build, 'closed'), 0o755);
  });
  assert.deepEqual(
    [pages, notServed.map(({ path, why }) => `${path}: ${why}`)],
    [['index.html'], ['closed/below: not readable', 'closed/index.html: not readable']],
  );
});

test('a folder that is too much in all is no build, be it by many files or by links in a thousand ways', { timeout: 60_000 }, async (t) => {
  const large = await folderOf(t, { 'index.html': 'page', 'a.bin': '', 'b.bin': '' });
  for (const name of ['a.bin', 'b.bin']) await truncate(join(large.build, name), 6e9);
  await assert.rejects(takeSnapshot(large.build, large.target), NoBuild);

  const names = Array.from({ length: 12 }, (_, n) => `d${n}`);
  const linked = await folderOf(t, { 'index.html': 'page', ...Object.fromEntries(names.map((name) => [`${name}/.keep`, ''])) });
  for (const name of names) for (const other of names) await symlink(`../${other}`, join(linked.build, name, `to-${other}`));
  await assert.rejects(takeSnapshot(linked.build, linked.target), NoBuild);
});

test('a folder whose files disappear while it is read is reported as changing', async (t) => {
  const { build, target } = await folderOf(t, Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}.txt`, 'text'])));
  const [taken] = await Promise.allSettled([takeSnapshot(build, target), rm(build, { recursive: true })]);
  assert.ok(taken.status === 'rejected' && taken.reason instanceof NoBuild, JSON.stringify(taken));
  assert.match(taken.reason.message, /disappeared while the folder was read: a build may still be writing to it\. Run this again/);
});
