// Who fills in forms in tests: signed in by a token, in a profile of its own.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'puppeteer-core';
import { openPage } from './pages.ts';
import type { Service } from './service.ts';

/**
 * Signs in and opens a page; fails the test on any complaint of the console when it is closed.
 * @param options.token default: an admin's.
 * @param options.refusals requests that fail, of which Chrome's console tells, are expected.
 */
export async function visitor(
  browser: Browser,
  service: Service,
  hash: string,
  { token = service.adminToken, refusals = false } = {},
): Promise<Page & AsyncDisposable> {
  const context = await browser.createBrowserContext();
  const complaints: string[] = [];
  const page = await openPage(context, `${service.url}/#token=${token}`, complaints);
  // The router hears of another address once it has shown the first.
  await page.waitForSelector('main h1');
  await page.goto(`${service.url}/${hash}`);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await context.close();
      const unexpected = refusals ? complaints.filter((words) => !/status of 4\d\d|ERR_INTERNET_DISCONNECTED/.test(words)) : complaints;
      assert.deepEqual(unexpected, []);
    },
  });
}
