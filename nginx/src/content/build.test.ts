import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureContent } from './build.ts';

const listing = async (directory: string) => (await readdir(directory, { recursive: true })).sort();

test('the sites are made once, two makers at once do no harm, and all is there', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(directory, { recursive: true }));
  const [first, second] = await Promise.all([ensureContent(directory), ensureContent(directory)]);
  assert.deepEqual(first, second);
  assert.deepEqual(await readdir(directory), [`sites-${first.version}`], 'no draft is left');

  const page = join(first.directory, 'shop', 'index.html');
  const { mtimeMs } = await stat(page);
  assert.deepEqual(await ensureContent(directory), first);
  assert.equal((await stat(page)).mtimeMs, mtimeMs, 'a second start makes nothing');

  const shop = await listing(join(first.directory, 'shop', 'assets'));
  assert.ok(shop.filter((name) => name.startsWith('pot-')).length >= 60, 'the shop has 60 products and more');
  const weights = await Promise.all(
    (await listing(join(first.directory, 'large-objects', 'assets'))).map(
      async (name) => (await stat(join(first.directory, 'large-objects', 'assets', name))).size,
    ),
  );
  assert.ok(weights.length >= 3 && Math.min(...weights) > 450_000 && Math.max(...weights) > 3_900_000, `large objects: ${weights}`);

  const hosts = new Set([...first.shardedDocument.matchAll(/https:\/\/([\w.-]+):\{\{port\}\}/g)].map(([, host]) => host));
  assert.equal(hosts.size, 5, 'five hosts besides the document’s own');
  assert.doesNotMatch(await readFile(page, 'utf8'), /\{\{/, 'nothing is left to fill');
});

test('versions not used for a week are removed, others stay', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [name, ageDays] of [
    ['sites-old', 8],
    ['sites-recent', 6],
    ['mine', 100],
  ] as const) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'file'), '');
    const used = new Date(Date.now() - ageDays * 24 * 3600_000);
    await utimes(join(directory, name), used, used);
  }
  const { version } = await ensureContent(directory);
  assert.deepEqual((await readdir(directory)).sort(), ['mine', 'sites-recent', `sites-${version}`].sort());
});
