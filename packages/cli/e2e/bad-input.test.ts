// What can't be measured is told in plain words, with the exit code for it, and never as a number.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { type Ended, exported, quick, quickShell, run, temporaryData } from './command.ts';
import { type Pages, plainPages, selfSignedPages } from './pages.ts';

let data: string;
let plain: Pages;
let selfSigned: Pages;
const cleanUp: (() => unknown)[] = [];
before(async () => {
  data = await temporaryData((remove) => cleanUp.push(remove));
  plain = await plainPages();
  selfSigned = await selfSignedPages(data);
  cleanUp.unshift(plain.close, selfSigned.close);
});
after(async () => {
  for (const undo of cleanUp) await undo();
});

function assertRefused({ code, stdout, stderr }: Ended, expected: number, words: RegExp): void {
  assert.equal(code, expected, stderr);
  assert.match(stderr, words);
  assert.doesNotMatch(stderr, /^\s+at |node:internal/m, 'no stack trace');
  assert.doesNotMatch(stderr, /secret/, 'no secret of a URL');
  assert.equal(stdout, '');
}

describe('refused before anything is measured, with exit code 2', proves('hostile', 'command-line'), () => {
  const refused: [args: string[], words: RegExp][] = [
    [['measure'], /missing required argument 'url'/],
    [['measure', 'ftp://a.invalid/'], /scheme ftp; expected https or http/],
    [['measure', 'file:///etc/passwd'], /scheme file; expected https or http/],
    [['measure', 'javascript:alert(1)'], /scheme javascript; expected https or http/],
    [['measure', 'https://'], /is not a URL; expected one such as/],
    [['measure', 'http://127.0.0.1:1/'], /plain http, over which browsers speak only HTTP\/1\.1/],
    [['measure', 'https://someone:secret@a.invalid/'], /credentials in it/],
    [['measure', 'a.invalid', '--protocols', 'h2,h9'], /"h9" is none of h1, h2, h3/],
    [['measure', 'a.invalid', '--protocols', ''], /"" is none of/],
    [['measure', 'a.invalid', '--rounds', 'nine'], /whole number from 1 to 10000/],
    [['measure', 'a.invalid', '--rounds', '0'], /whole number from 1 to 10000/],
    [['measure', 'a.invalid', '--view', 'lukewarm'], /"lukewarm" is none of cold, warm/],
    [['measure', 'a.invalid', '--journey', '--view', 'cold'], /views are cold\. Ask for views warm, or leave out after/],
    [['measure', 'a.invalid', '--busy', '20'], /share from 0 to 1, or a percentage such as 20%/],
    [['measure', 'a.invalid', '--metric', 'onLaod'], /no metric "onLaod"\. Did you mean onLoad\?/],
    [['measure', 'a.invalid', '--metric', 'frobnication'], /no metric "frobnication": it is none of onLoad, /],
    [
      ['measure', 'a.invalid', '--conditions', '4G'],
      /no condition 4G\. Did you mean 4g\? Known conditions: native, .*; sets of them: typical, mobile/,
    ],
    [['measure', 'a.invalid', '--condition', '4g'], /condition file 4g can't be read .* Names such as 4g go to --conditions\./],
    [
      ['measure', 'a.invalid', '--json', '/proc/nowhere/out.json'],
      /--json \/proc\/nowhere\/out\.json can't be written \(there is no such file or folder\)/,
    ],
    [['demo', '--protocols', 'h2', 'h3'], /got 1: h3\. Separate the items of a list by commas, without spaces/],
    [['demo', '--sites', 'article,casino'], /no site "casino"; its sites are article, shop/],
    [['resume', '999'], /no campaign 999/],
    [['resume', '../health'], /no campaign/],
    [['results', '999'], /no campaign 999/],
    [['results', '--data', '/proc/nowhere/data'], /\/proc\/nowhere\/data can't be created/],
    [['gallop'], /unknown command 'gallop'/],
  ];
  for (const [args, words] of refused) {
    test(`pronghorn ${args.join(' ')}`, async () => assertRefused(await run(args, { PRONGHORN_DATA: join(data, 'refused') }), 2, words));
  }
});

test('a data folder that is a file, and a database that is none, are named with what to do', proves('hostile'), async () => {
  const file = join(data, 'file');
  await writeFile(file, '');
  assertRefused(await run(['results', '--data', file]), 2, /a file of that name exists\)\. Name another with --data/);
  const damaged = join(data, 'damaged');
  await mkdir(damaged);
  await writeFile(join(damaged, 'pronghorn.db'), 'no database at all\n'.repeat(1_000));
  assertRefused(await run(['results', '--data', damaged]), 4, /pronghorn\.db is damaged or no SQLite database .* Move it away/);
});

test('hosts that do not resolve are dns-error, a self-signed site is tls-error, another status than expected is http-status', {
  ...proves('invalid-visits'),
}, async (t) => {
  const own = await temporaryData((remove) => t.after(remove));
  const urls = ['bücher.invalid', selfSigned.url, `${plain.url}/found`];
  const asked = ['--protocols', 'h1', '--rounds', '1', '--expect-status', '404', ...quickShell, '--data', own];
  const { code, stdout, stderr } = await run(['measure', ...urls, ...asked]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /bücher\.invalid: a host name did not resolve/);
  assert.match(stdout, /^https:\/\/xn--bcher-kva\.invalid\/ could not be loaded: a host name did not resolve \(1 of 1 visit\)\.$/m);
  assert.match(stdout, /^Check the host’s spelling, the runner’s network, and that its resolver knows the host\.$/m);
  const { visits, campaign } = await exported(own);
  assert.deepEqual(
    campaign.sites.map(({ url }) => url),
    ['https://xn--bcher-kva.invalid/', `${selfSigned.url}/`, `${plain.url}/found`],
  );
  const reasons = ['dns-error', 'tls-error', 'http-status'];
  assert.deepEqual(
    visits.map(({ siteId, outcome }) => `${siteId} ${outcome.verdict === 'invalid' && outcome.reason}`).sort(),
    campaign.sites.map(({ id }, site) => `${id} ${reasons[site]}`).sort(),
  );
  assert.deepEqual(selfSigned.requested, [], 'nothing was even asked for');
});

test('a page that never ends is told of after its first time limit, and is looked at four times, however many rounds', {
  ...proves('invalid-visits'),
}, async (t) => {
  const own = await temporaryData((remove) => t.after(remove));
  const url = `${plain.url}/endless`;
  const asked = ['--protocols', 'h1', '--rounds', '4', '--timeout', '2', ...quickShell, '--data', own];
  const { code, stdout, stderr } = await run(['measure', url, ...asked]);
  assert.equal(code, 1, stderr);
  const detail = `No load event after 2 s, still open: ${url}.png.`;
  const words = stderr.replaceAll(/\s+/g, ' ');
  assert.ok(words.includes(`endless: ${detail} It is loaded once more, over HTTP/1.1.`), stderr);
  assert.ok(words.includes(`over HTTP/1.1: load-timeout. ${detail}`), stderr);
  assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(detail), stdout);
  assert.equal(plain.requested.filter((path) => path === '/endless').length, 4);
  const { visits } = await exported(own);
  assert.equal(visits.length, 4);
});

test('a journey is measured page by page, and what was measured is not lost when its file cannot be written', {
  ...proves('journeys', 'results'),
}, async (t) => {
  const own = await temporaryData((remove) => t.after(remove));
  const [list, item] = [`${plain.url}/list`, `${plain.url}/item`];
  plain.requested.length = 0;
  const asked = ['--journey', '--protocols', 'h1', '--rounds', '1', ...quick, '--json', '/dev/full'];
  const { code, stdout, stderr } = await run(['measure', list, item, '--verbose', ...asked, '--data', own]);
  assert.equal(code, 2, stderr + stdout);
  assert.match(stdout, /list .*native, warm\nIts warm view: opened first, with nothing kept\./);
  assert.match(stdout, new RegExp(`item .*native, warm\nIts warm view: after ${list}.`));
  const [, again = ''] = /the disk is full\)\. Nothing measured is lost: write it again with \.\/pronghorn (.+) PATH/.exec(stderr) ?? [];
  assert.equal(again, `results 1 --data ${own} --json`);

  const pages = plain.requested.filter((path) => /list|item/.test(path));
  assert.equal(pages[pages.lastIndexOf('/item') - 1], '/list', pages.join());
  const { campaign, visits } = await exported(own);
  assert.deepEqual(
    campaign.sites.map(({ visitor }) => visitor?.after),
    [[], [list]],
  );
  assert.equal(visits.filter(({ counted }) => counted).length, 2);
});
