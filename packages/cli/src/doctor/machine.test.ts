import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { firefox, rights, transaction } from './machine.ts';

test('a missing Firefox is a note, and a fault to who asks for its engine', async (t) => {
  const before = process.env.PRONGHORN_FIREFOX;
  t.after(() => {
    if (before === undefined) delete process.env.PRONGHORN_FIREFOX;
    else process.env.PRONGHORN_FIREFOX = before;
  });
  process.env.PRONGHORN_FIREFOX = '/nowhere/firefox';
  assert.equal((await firefox('note')).level, 'note');
  const { level, text } = await firefox('bad');
  assert.equal(level, 'bad');
  assert.match(text, /names \/nowhere\/firefox, which is not an executable file/);
});

test('a client of REST calls that does not run here is a fault to who asks for its engine, and says which program it is', (t) => {
  const before = process.env.PRONGHORN_TRANSACTION;
  t.after(() => {
    if (before === undefined) delete process.env.PRONGHORN_TRANSACTION;
    else process.env.PRONGHORN_TRANSACTION = before;
  });
  process.env.PRONGHORN_TRANSACTION = '/bin/false';
  const { level, text } = transaction('bad');
  assert.equal(level, 'bad');
  assert.equal(text, '/bin/false does not run here (exit 1).');
  assert.equal(transaction('note').level, 'note');
});

test('a data folder that other users may read is warned of, with what closes it', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'pronghorn-doctor-'));
  t.after(() => rmSync(path, { recursive: true }));
  const folder = { path, database: join(path, 'pronghorn.db') };
  assert.equal(rights(folder).level, 'good');
  chmodSync(path, 0o755);
  writeFileSync(folder.database, '');
  chmodSync(folder.database, 0o644);
  const { level, text } = rights(folder);
  assert.equal(level, 'note');
  assert.match(text, new RegExp(`every user of this machine can read ${path}, ${folder.database}, and .* Close it: chmod -R o= ${path}`));
});
