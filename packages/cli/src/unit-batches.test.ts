import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unitBatches } from './unit-batches.ts';

const root = join(import.meta.dirname, '../../..');

test('every unit test is in one batch, with few others of its package, unless its package stays out', (t) => {
  const { files, remove } = unitBatches(root, ['web']);
  t.after(remove);
  const batches = files.map((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^import "(.+)";$/gm)].map(([, url = '']) => fileURLToPath(url)),
  );
  const all = globSync('packages/*/src/**/*.test.ts', { cwd: root }).filter((path) => !path.startsWith('packages/web/'));
  assert.deepEqual(batches.flat().sort(), all.map((path) => join(root, path)).sort());
  for (const batch of batches) {
    assert.ok(batch.length > 0 && batch.length <= 8, `${batch}`);
    assert.equal(new Set(batch.map((path) => path.slice(root.length).split('/')[2])).size, 1, `${batch}`);
  }
  remove();
  assert.ok(files.every((file) => !existsSync(file)));
});
