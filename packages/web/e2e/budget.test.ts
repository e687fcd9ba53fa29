// What a reader's browser loads before there is something to read, and from where.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { builtDashboard } from '../build/dashboard.ts';
import { drawn } from './every-page.ts';
import { openPage } from './pages.ts';
import { setStage } from './stage.ts';

const mostInitialBytes = 60_000;
/** Names of XML vocabularies, a place that an error message names, and examples in hints: nothing that is loaded. */
const harmless = [
  /^http:\/\/www\.w3\.org\//,
  /^https:\/\/vuejs\.org\/error-reference\//,
  /^https?:\/\/([\w{}$-]+\.)*example(\.com)?(:\d+)?(\/|$)/,
  /^https?:\/\/\$\{/,
];

const { service, browser } = await setStage();

describe('what a browser loads at first', proves('dashboard-use'), () => {
  let folder = '';
  before(async () => {
    folder = await builtDashboard();
  });

  /** Scripts that the browser loads for a page, by name, with their gzipped bytes. */
  async function scriptsOf(hash: string): Promise<Map<string, number>> {
    await using page = await openPage(browser, 'about:blank');
    const scripts = new Map<string, number>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.endsWith('.js')) scripts.set(pathname, statSync(join(folder, `${pathname}.gz`)).size);
    });
    await page.goto(`${service.url}/${hash}`);
    await drawn(page);
    // The last of what home shows where there is no campaign yet.
    await page.waitForSelector('.first-steps');
    return scripts;
  }

  test('the first page needs at most 60 kB of JavaScript, gzipped, and no chart', async (t) => {
    const scripts = await scriptsOf('#/');
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${bytes} bytes in ${scripts.size} files: ${[...scripts].map(([name, size]) => `${name} ${size}`).join(', ')}`);
    assert.ok(scripts.size >= 2, 'the entry and the page');
    assert.ok(bytes <= mostInitialBytes, `${bytes} bytes`);
  });

  test('no page brings the schemas of the API, which are larger than any page', () => {
    const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    assert.deepEqual(
      scripts.filter((name) => readFileSync(join(folder, name), 'utf8').includes('additionalProperties')),
      [],
    );
  });

  test('nothing built names a place elsewhere that a browser could load from', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:js|css|html|svg)$/.test(name));
    assert.ok(files.length > 3);
    const foreign = files.flatMap((name) => {
      const urls = readFileSync(join(folder, name), 'utf8').match(/https?:\/\/[^\s"'`<>)\\]+/g) ?? [];
      return urls.filter((url) => !harmless.some((pattern) => pattern.test(url))).map((url) => `${name}: ${url}`);
    });
    assert.deepEqual(foreign, []);
  });
});
