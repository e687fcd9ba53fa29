// Signing in and what other pages can do with it, in a real Chrome.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { openTokens, type RunningApi, startApi } from '../../api/src/index.ts';
import { builtDashboard } from '../build/dashboard.ts';
import { launchBrowser } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-access-'));
const database = join(folder, 'pronghorn.db');
/** A page of the same site (another port of the same host): SameSite alone doesn't keep it away. */
const neighbour = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<title>another page</title>'));
let api: RunningApi;
let browser: Browser;
let elsewhere = '';
let token = '';

before(async () => {
  api = await startApi({
    database,
    evidenceDirectory: join(folder, 'evidence'),
    webRoot: await builtDashboard(),
    access: { kind: 'tokens' },
  });
  const tokens = openTokens(database);
  ({ token } = await tokens.create({ name: 'a person', role: 'submitter' }));
  tokens.close();
  await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
  elsewhere = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`;
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  neighbour.close();
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The status of what a page asks for; null where the browser lets it see none. */
const ask = (page: Page, method: string, path: string, body?: object): Promise<number | null> =>
  page.evaluate(async (url, init) => (await fetch(url, init).catch(() => null))?.status ?? null, `${api.url}/api/v1${path}`, {
    method,
    credentials: 'include' as const,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });

test('a browser that is signed in reads and changes; a page of another port does neither, though the cookie would go along', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}/`);
  assert.equal(await ask(page, 'GET', '/campaigns'), 401);
  assert.equal(await ask(page, 'POST', '/session', { token }), 200);
  assert.equal(await page.evaluate(() => document.cookie), '', 'scripts see no cookie');
  assert.equal(await ask(page, 'GET', '/campaigns'), 200);
  const condition = { name: 'mine', up: {}, down: { rateKbps: 500 } };
  assert.equal(await ask(page, 'PUT', '/conditions/mine', condition), 201);

  const other = await browser.newPage();
  await other.goto(elsewhere);
  assert.equal(await ask(other, 'GET', '/campaigns'), null, 'is not let read');
  assert.equal(await ask(other, 'DELETE', '/conditions/mine'), null);
  // A form needs nobody's permission beforehand: it reaches the service, with the cookie, and is refused there.
  const [answer] = await Promise.all([
    other.waitForNavigation(),
    other.evaluate((action) => {
      const form = Object.assign(document.createElement('form'), { action, method: 'post' });
      document.body.append(form);
      form.submit();
    }, `${api.url}/api/v1/campaigns/1/cancel`),
  ]);
  assert.equal(answer?.status(), 403);
  assert.ok(answer?.request().headers().cookie?.startsWith('pronghorn='), 'with the cookie');
  assert.match((await answer?.text()) ?? '', /urn:pronghorn:problem:foreign-origin/);
  assert.equal(await ask(page, 'GET', '/conditions/mine'), 200, 'nothing was changed');

  assert.equal(await ask(page, 'DELETE', '/session'), 204);
  assert.equal(await ask(page, 'GET', '/campaigns'), 401);
});

test('no other page can put the dashboard into a frame', async () => {
  const page = await browser.newPage();
  await page.goto(elsewhere);
  await page.evaluate((src) => document.body.append(Object.assign(document.createElement('iframe'), { src })), `${api.url}/`);
  assert.ok(await page.waitForFrame('chrome-error://chromewebdata/'));
});
