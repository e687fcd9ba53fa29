import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { whole } from './exports.ts';

test('a file gets its name when it is whole; what was there stays until then', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-exports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'all.json');
  writeFileSync(path, 'before');
  const fails = whole(path, async (file) => {
    await writeFile(file, 'hal');
    throw new Error('ENOSPC');
  });
  await assert.rejects(fails, /ENOSPC/);
  assert.equal(readFileSync(path, 'utf8'), 'before');
  assert.deepEqual(readdirSync(folder), ['all.json']);
  await whole(path, (file) => writeFile(file, 'after'));
  assert.equal(readFileSync(path, 'utf8'), 'after');
  assert.deepEqual(readdirSync(folder), ['all.json']);
});

test('what is no file is written as it is', async () => {
  await whole('/dev/null', (file) => {
    assert.equal(file, '/dev/null');
    return writeFile(file, 'all');
  });
});
