// A real Chrome, and the page in it.
import assert from 'node:assert/strict';
import { findChrome } from '@pronghorn/runner';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

export function launchBrowser(): Promise<Browser> {
  // Only this page is loaded here, of this very test: root may do without the sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return puppeteer.launch({ executablePath: findChrome('chrome'), args });
}

/** Opens an address of the page, and fails the test on anything that the console has to complain about. */
export async function openPage(browser: Pick<Browser, 'newPage'>, url: string, complaints: string[] = []): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.close();
      assert.deepEqual(complaints, []);
    },
  });
}

/** What Chrome says of a service that went away: it depends on how far the connection was. */
export const lostConnection = /^Failed to load resource: net::ERR_/;

/** With a plain space for each that does not break. */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (elements) => elements.map((element) => (element.textContent ?? '').replaceAll('\u00a0', ' ')));

/** Everything on a result's page that can be opened. */
export async function openAll(page: Page): Promise<void> {
  await page.$$eval('.results details', (elements) => {
    for (const details of elements) (details as HTMLDetailsElement).open = true;
  });
  await page.waitForFunction(() => [...document.querySelectorAll('.results details')].every((details) => details.childElementCount > 1));
}
