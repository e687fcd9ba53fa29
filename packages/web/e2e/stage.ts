// What the tests of a file have in common: a service with its pages, and a Chrome that opens them.
import { after } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { launchBrowser, openPage } from './pages.ts';
import { type Service, startService } from './service.ts';

export interface Stage {
  service: Service;
  browser: Browser;
  /** Opens a page of the service, such as `#/trends`; see `openPage`. */
  open: (hash: string) => Promise<Page & AsyncDisposable>;
}

/** For the top of a test file; all ends with its tests. @param asked as of `startService`. */
export async function setStage(...asked: Parameters<typeof startService>): Promise<Stage> {
  const things = new AsyncDisposableStack();
  after(() => things.disposeAsync());
  const service = things.use(await startService(...asked));
  const browser = things.adopt(await launchBrowser(), (launched) => launched.close());
  return { service, browser, open: (hash) => openPage(browser, `${service.url}/${hash}`) };
}
