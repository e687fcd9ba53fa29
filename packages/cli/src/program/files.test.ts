import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from './errors.ts';
import { dataFolder, makeFolder } from './files.ts';

test('a data folder is made with those above it, and its flag finds it again', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-data-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { database, flag } = dataFolder(join(folder, 'a b', 'c'));
  assert.ok(existsSync(join(folder, 'a b', 'c')));
  assert.equal(database, join(folder, 'a b', 'c', 'pronghorn.db'));
  assert.equal(flag, ` --data '${join(folder, 'a b', 'c')}'`);
  makeFolder(folder);
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => dataFolder(join(folder, 'file')), UsageError);
  assert.throws(() => dataFolder(join(folder, 'file', 'below')), /a part of the path is a file/);
});

test('a folder where none can be is an error at once', () => {
  assert.throws(() => makeFolder('/proc/nowhere/at/all'), { code: 'ENOENT' });
});

test('a new data folder can not be read by other users; by root it can be passed, for the demo’s servers', (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'pronghorn-data-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const { path } = dataFolder(join(parent, 'new'));
  assert.equal((statSync(path).mode & 0o777).toString(8), process.geteuid?.() === 0 ? '711' : '700');
});
