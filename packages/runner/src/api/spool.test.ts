import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../testing/test-folder.ts';
import { Spool, SpoolFull } from './spool.ts';
import type { Upload } from './uploads.ts';

const uploadOf = (path: string, what: Upload['what'] = 'visit', bytes = 10): Upload => ({
  path,
  contentType: 'application/json',
  body: Buffer.alloc(bytes, path),
  what,
  leaseId: 'lease',
});

test('uploads come out in the order in which they went in, as they were', (t) => {
  const spool = new Spool(testFolder(t), 1000);
  const uploads = Array.from({ length: 12 }, (_, place) => uploadOf(`/${place}`, place % 2 ? 'visit' : 'link check'));
  for (const upload of uploads) spool.put(upload);
  const out: (Upload | undefined)[] = [];
  for (; spool.length > 0; spool.removeFirst()) out.push(spool.first());
  assert.deepEqual(out, uploads);
  assert.equal(spool.first(), undefined);
});

test('a spool takes as many bytes as it may, and again when some are gone', (t) => {
  const folder = testFolder(t);
  const spool = new Spool(folder, 100);
  spool.put(uploadOf('/a', 'visit', 60));
  assert.throws(() => spool.put(uploadOf('/b', 'visit', 41)), SpoolFull);
  spool.put(uploadOf('/c', 'evidence', 40));
  assert.deepEqual([spool.length, spool.bytes, readdirSync(folder).length], [2, 100, 2]);
  assert.equal(
    spool.remove(({ what }) => what === 'evidence'),
    1,
  );
  spool.put(uploadOf('/d', 'visit', 40));
  spool.removeFirst();
  assert.equal(spool.first()?.path, '/d');
  assert.equal(readdirSync(folder).length, 1);
});

test('a folder that cannot be written is a full spool, and nothing is kept in part', (t) => {
  const folder = testFolder(t);
  const spool = new Spool(join(folder, 'gone'), 100);
  assert.throws(() => spool.put(uploadOf('/a')), SpoolFull);
  assert.equal(spool.length, 0);
});
