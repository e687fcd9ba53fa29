import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UsageError } from '../program/errors.ts';
import { namedSites, readSiteList, refuseFaults } from './site-list.ts';

function listFile(t: TestContext, text: string): string {
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
