// What the tests of a file share: a service with its pages, and a Chrome that opens them.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { launchBrowser, openPage } from './pages.ts';
import { type Service, startService } from './service.ts';

export interface Stage {
  service: Service;
  browser: Browser;
  /** Opens a page of the service, such as `#/campaigns`; see `openPage`. */
  open: (hash: string) => Promise<Page & AsyncDisposable>;
}

/** For the top of a test file; all ends with its tests. @param options as of `startService`. */
export async function setStage(...options: Parameters<typeof startService>): Promise<Stage> {
  const things = new AsyncDisposableStack();
  after(() => things.disposeAsync());
  const service = things.use(await startService(...options));
  const browser = things.adopt(await launchBrowser(), (launched) => launched.close());
  return { service, browser, open: (hash) => openPage(browser, `${service.url}/${hash}`) };
}

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
