// HAR files of others become the adoption table.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { proves } from '@pronghorn/core/testing';
import { run, temporaryData } from './command.ts';

const har = (month: string, host: string, altSvc: string | null) =>
  JSON.stringify({
    log: {
      version: '1.2',
      creator: { name: 'browsertime', version: '20' },
      pages: [{ id: 'page_1', startedDateTime: `${month}-10T12:00:00.000Z` }],
      entries: [
        {
          pageref: 'page_1',
          startedDateTime: `${month}-10T12:00:00.000Z`,
          request: { url: `https://${host}/` },
          response: {
            status: 200,
            headers: [{ name: 'Server', value: 'cloudflare' }, ...(altSvc === null ? [] : [{ name: 'Alt-Svc', value: altSvc }])],
          },
        },
      ],
    },
  });

test(
  'HAR files are counted once, those that are none are named, and the table shows months, versions and providers',
  proves('other-hars'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const file = (name: string) => join(data, name);
    await writeFile(file('first.har'), har('2020-10', 'a.example', null));
    await writeFile(file('second.har.gz'), gzipSync(har('2020-11', 'a.example', 'h3-29=":443"; ma=86400, h3-27=":443"')));
    await writeFile(file('bare.har'), har('2020-12', 'b.example', null).replace(/"headers":\[.*?\]/, '"headers":[]'));
    await writeFile(file('none.har'), '{"log": {}}');
    const files = ['first.har', 'second.har.gz', 'bare.har', 'none.har', 'missing.har'].map(file);
    const { code, stdout, stderr } = await run(['import', 'har', ...files, '--data', data]);
    assert.equal(code, 2, stderr);
    assert.match(stdout, /first\.har: 1 page, 1 request, 1 host, 2020-10/);
    assert.match(stdout, /bare\.har: 1 page, 1 request, 0 hosts\n {2}unknown: 1 request without headers in the file\n/);
    assert.doesNotMatch(stdout, /^2020-12/m);
    assert.match(stderr, /none\.har: The body is JSON, but no HAR/);
    assert.match(stderr, /missing\.har: there is no such file or folder|missing\.har: .*no such file/);
    assert.match(stdout, /2020-11 +1 +1 \(100\.0 %\) +1 \(100\.0 %\) +h3-27 100\.0 %, h3-29 100\.0 %/);
    assert.match(stdout, /Cloudflare +1 +1 +100\.0 %/);

    const again = await run(['import', 'har', file('first.har'), '--data', data]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /first\.har: counted before/);
    const table = await run(['adoption', '--unit', 'host', '--data', data]);
    assert.match(table.stdout, /2020-10 +1 +0 \(0\.0 %\)/);
  },
);
