import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fill, SiteFiles } from './site-files.ts';

test("an asset's URL changes exactly when its content does", () => {
  const urlOf = (content: string) => {
    const site = new SiteFiles();
    site.asset('page.css', content);
    return site.pathOf('page.css');
  };
  assert.match(urlOf('a'), /^\/assets\/page\.[0-9a-f]{8}\.css$/);
  assert.equal(urlOf('a'), urlOf('a'));
  assert.notEqual(urlOf('a'), urlOf('b'));
});

test('values of a template may name assets themselves', () => {
  const filled = fill('<main>{{list}}</main>', (asset) => `/x/${asset}`, { list: '<img src="{{/a.png}}">' });
  assert.equal(filled, '<main><img src="/x/a.png"></main>');
});

test('an unknown name in a template is an error that lists the known ones', () => {
  assert.throws(() => fill('{{lits}}', String, { list: '' }), /wants \{\{lits\}\}, which is not among list/);
  const site = new SiteFiles();
  site.asset('a.png', 'x');
  assert.throws(() => site.fill('{{/b.png}}'), /no asset b\.png; there are a\.png/);
});

test('text lies compressed beside itself, pictures do not', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pronghorn-test-'));
  t.after(() => rm(directory, { recursive: true }));
  const site = new SiteFiles();
  site.document('/index.html', 'hello');
  site.document('/a.png', 'not really');
  await site.write(directory);
  assert.deepEqual((await readdir(directory)).sort(), ['a.png', 'index.html', 'index.html.gz']);
  assert.equal(gunzipSync(await readFile(join(directory, 'index.html.gz'))).toString(), 'hello');
});
