import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UsageError } from '../program/errors.ts';
import { namedSites, readSiteList, refuseFaults } from './site-list.ts';

function listFile(t: TestContext, text: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-sites-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'list.txt');
  writeFileSync(file, text);
  return file;
}

const options = { front: true };
const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UsageError, String(error));
  assert.match(error.message, words);
  return true;
};

test('a site stands on each line; empty lines and comments say nothing', async (t) => {
  const file = listFile(t, '\ufeff# shops\nhttps://a.example/\r\n\n  b.example  # the other\nhttps://c.example/#anchor\n');
  const { targets, lines } = await readSiteList(file, options);
  assert.deepEqual(
    targets.sites.map(({ url }) => url),
    ['https://a.example/', 'https://b.example', 'https://c.example/#anchor'],
  );
  assert.deepEqual(lines, [2, 4, 5]);
  assert.equal(targets.world, true);
  assert.equal((await readSiteList(file, options, 2)).targets.sites.length, 2);
});

test('a list may have ranks, be a sitemap, and be in UTF-16', async (t) => {
  const sites = (text: string) => namedSites(text).map(({ line, site }) => `${line} ${site}`);
  assert.deepEqual(sites('1,google.com\r\n2,www.b.example\r\n'), ['1 google.com', '2 www.b.example']);
  assert.deepEqual(sites('"rank","domain"\n"1","a.example"'.replaceAll('"1"', '1')), ['2 a.example']);
  assert.deepEqual(sites('origin,rank\nhttps://a.example,1000\nhttps://b.example,5000'), ['2 https://a.example', '3 https://b.example']);
  assert.deepEqual(sites('1\ta.example\n2\tb.example'), ['1 a.example', '2 b.example']);
  assert.deepEqual(
    sites('https://a.example/1,2\nhttps://b.example/'),
    ['1 https://a.example/1,2', '2 https://b.example/'],
    'a comma of its own',
  );
  assert.deepEqual(sites('https://a.example/1,2'), ['1 https://a.example/1,2'], 'no rank');
  const sitemap = `<?xml version="1.0"?>\n<urlset xmlns="x"><url><loc>https://a.example/?a=1&amp;b=2</loc></url>\n<url><loc>\thttps://b.example/</loc><lastmod>2026</lastmod></url></urlset>`;
  assert.deepEqual(sites(sitemap), ['2 https://a.example/?a=1&b=2', '3 https://b.example/']);
  const spread =
    '<urlset>\n<url><loc>\n  <![CDATA[ https://c.example/ ]]>\n</loc></url>\n<url><loc>\n  https://d.example/\n</loc></url></urlset>';
  assert.deepEqual(sites(spread), ['2 https://c.example/', '5 https://d.example/']);
  assert.throws(
    () => sites('<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>'),
    refused(/an index of sitemaps/),
  );
  const wide = Buffer.from('\ufeffhttps://a.example/\r\nhttps://b.example/', 'utf16le');
  for (const bytes of [wide, Buffer.from(wide).swap16()]) {
    const { targets } = await readSiteList(listFile(t, bytes), options);
    assert.deepEqual(
      targets.sites.map(({ url }) => url),
      ['https://a.example/', 'https://b.example/'],
    );
  }
});

test('folders may stand among them', async (t) => {
  const file = listFile(t, '');
  const dist = join(file, '..', 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'index.html'), '<title>x</title>');
  writeFileSync(file, `${dist}\nhttps://a.example/`);
  const { targets } = await readSiteList(file, options);
  assert.deepEqual(
    targets.hosts.map(({ name }) => name),
    ['dist.folder.pronghorn.test'],
  );
});

test('all bad lines are named at once, each with what is wrong', async (t) => {
  const file = listFile(
    t,
    [
      'https://a.example/',
      'not a site',
      'ftp://b.example/',
      'javascript:alert(1)',
      'https://a.example',
      './nowhere',
      'casino',
      `https://c.example/${'x'.repeat(2050)}`,
    ].join('\n'),
  );
  const listed = await readSiteList(file, options);
  assert.deepEqual(
    listed.targets.sites.map(({ url }) => url),
    ['https://a.example/'],
  );
  const problem = { pointer: '#/sites/0/url', detail: 'It is plain.', type: 'x' };
  assert.throws(
    () => refuseFaults('list.txt', listed, { problems: [problem] }),
    refused(
      /^Nothing was measured:\n {2}list\.txt, line 1: It is plain\.\n.*line 2: "not a site" contains a space[\s\S]*line 3: "ftp:\/\/b[^\n]*neither http nor https[\s\S]*line 4: [\s\S]*line 5: The same page is on line 1\.[\s\S]*line 6: There is no folder[\s\S]*line 7: casino is neither[\s\S]*line 8: .*longer than 2,048/,
    ),
  );
  // What is beyond the limit is nobody's concern.
  assert.deepEqual((await readSiteList(file, options, 1)).faults, []);
});

test('a list that is not there, is empty, or is longer than a campaign takes is refused', async (t) => {
  await assert.rejects(readSiteList('/nowhere/list.txt', options), refused(/can't be read \(there is no such file/));
  await assert.rejects(readSiteList(listFile(t, '# nothing\n'), options), refused(/is empty; expected a URL/));
  const many = Array.from({ length: 1001 }, (_, i) => `https://s${i}.example/`).join('\n');
  await assert.rejects(readSiteList(listFile(t, many), options), refused(/has 1,001 sites; a campaign takes at most 1,000/));
  assert.equal(namedSites(many).length, 1001);
});

test('what the service finds is told by the lines of the list', () => {
  const problem = (pointer: string, detail: string) => ({ pointer, detail, type: 'x' });
  const problems = [problem('#/sites/1/url', 'No.'), problem('#/rounds', 'Too many.')];
  assert.throws(
    () => refuseFaults('list.txt', { lines: [3, 9], faults: [] }, { problems }),
    refused(/ {2}Too many\.\n {2}list\.txt, line 9: No\.$/),
  );
  refuseFaults('list.txt', { lines: [], faults: [] }, null);
});
