// The whole story in a real Chrome, with nothing made up: a test is queued, measured at the demo origin, understood, compared, shared, judged.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { launchBrowser, lostConnection, openPage, texts } from './pages.ts';
import { type RealService, startRealService } from './real-service.ts';

let service: RealService;
let browser: Browser;
before(async () => {
  service = await startRealService();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

const says = (page: Page, selector: string, words: string, timeout = 30_000) =>
  page.waitForFunction((at, text) => document.querySelector(at)?.textContent?.includes(text) ?? false, { timeout }, selector, words);
const click = (page: Page, text: string, within = 'main') => page.locator(`${within} ::-p-text(${text})`).click();
const idIn = (page: Page): string => /campaigns\/(\d+)/.exec(page.url())?.[1] ?? '';
/** What a reader sees, without what depends on when it is looked at. */
const seen = async (page: Page) => {
  await drawn(page);
  return (await texts(page, 'main')).join().replaceAll(/\s+/g, ' ');
};

test('from the first click to the gate, with the service restarted in the middle', { timeout: 180_000 }, async () => {
  const complaints: string[] = [];
  const context = await browser.createBrowserContext();
  await context.overridePermissions(service.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
  const page = await openPage(context, `${service.url}/`, complaints);
  await page.setViewport({ width: 1280, height: 900 });

  // Queue: 6 rounds over HTTP/2 and HTTP/3. Other tests run beside this one: how busy the machine is, does not matter here.
  await page.locator('.site-header ::-p-text(New campaign)').click();
  await page.locator('::-p-aria([name="Page"][role="textbox"])').fill(service.siteUrl('shop'));
  await click(page, 'Runner’s own network');
  await click(page, 'More:');
  await page.locator('::-p-aria([name="Rounds per page and network"])').fill('6');
  await page.locator('::-p-aria([name="Max. other CPU load"])').fill('100');
  await says(page, '.plan', 'detects differences from');
  await page.locator('.plan button[type="submit"]').click();

  // Live: visits come in; the service goes away and comes back, the page stays and goes on.
  await says(page, 'h1', 'shop.pronghorn.test');
  await page.waitForFunction(() => Number(document.querySelector('.live-line')?.textContent?.match(/(\d+) valid/)?.[1] ?? 0) >= 2, {
    timeout: 60_000,
  });
  const before = page.url();
  const quiet = complaints.length;
  await service.stopApi();
  await says(page, 'main', 'does not answer');
  await service.startApi();
  await page.waitForFunction(() => !document.querySelector('main')?.textContent?.includes('does not answer'), { timeout: 40_000 });
  complaints.splice(quiet, complaints.length, ...complaints.slice(quiet).filter((words) => !lostConnection.test(words)));
  await page.waitForSelector('.campaign-head .state-done', { timeout: 90_000 });
  await page.waitForFunction(() => document.querySelector('.live-line') === null);
  assert.equal(page.url(), before);

  // Result: one sentence, and behind it every visit.
  assert.match((await texts(page, '.answer'))[0] ?? '', /Is HTTP\/3 faster than HTTP\/2/);
  await says(page, '.facts-line', '12 loads');
  await click(page, 'Every load', '.parts');
  await page.waitForSelector('.spread-part canvas');
  await page.click('.choice [data-metric=speedIndex]');
  await says(page, '.spread-part h2', 'SpeedIndex');
  await click(page, 'Log', '.spread-part');
  const shared = await copiedLink(page);
  assert.match(shared, /metric=speedIndex/);
  const shown = await seen(page);

  // Share: who opens the link sees the same.
  const elsewhere = await openPage(await browser.createBrowserContext(), shared);
  await elsewhere.setViewport({ width: 1280, height: 900 });
  await elsewhere.waitForSelector('.spread-part canvas');
  await elsewhere.waitForFunction(
    (words) => document.querySelector('main')?.textContent?.replaceAll(/\s+/g, ' ').replaceAll('\u00a0', ' ') === words,
    {},
    shown,
  );
  await elsewhere[Symbol.asyncDispose]();

  // Visit: an h3 and an h2 side by side, with their frames.
  const campaign = idIn(page);
  await click(page, 'Visits', '.parts');
  await page.locator('.visit-list a[href^="#/visits/"]').click();
  await says(page, 'h1', 'over HTTP/');
  await says(page, 'main', 'Waterfall');
  await page.locator('.put-beside').click();
  await says(page, 'main', 'A difference of two single visits proves nothing');
  await page.waitForSelector('main img[src^="data:image"]');

  // Compare: the same again, and what changed.
  await page.goto(`${service.url}/#/campaigns/${campaign}`);
  await page.locator('.campaign-actions .more summary').click();
  await page.locator('main ::-p-text(Clone and edit)').click();
  await says(page, 'main', ', which stays as it is.');
  await page.locator('.plan button[type="submit"]').click();
  await page.waitForFunction((id) => /campaigns\/\d+$/.test(location.hash) && !location.hash.endsWith(`/${id}`), {}, campaign);
  await page.waitForSelector('.campaign-head .state-done', { timeout: 90_000 });
  const second = idIn(page);
  await page.goto(`${service.url}/#/compare?a=${campaign}&b=${second}`);
  await page.waitForSelector('.change-plot svg');
  assert.match((await texts(page, '.answer'))[0] ?? '', /onLoad/);

  // Gate: written, and asked of what was measured.
  await page.locator('.site-header ::-p-text(Gates)').click();
  await page.locator('main .primary').click();
  await page.locator('[name=name]').fill('budget');
  await says(page, '.assertions .line', 'onLoad p75 <= 2500 ms');
  await page.locator('form .primary').click();
  await says(page, 'h1', 'budget');
  await page.locator('.check-campaign .campaign-picker summary').click();
  await page.locator('.check-campaign .panel input').fill(`#${campaign}`);
  await page.waitForSelector('.panel [aria-label="This number"]');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('.check-campaign button').click();
  await page.waitForSelector('.answer .gate-result');
  assert.match((await texts(page, '.answer .state'))[0] ?? '', /pass|fail|inconclusive/);
  await page[Symbol.asyncDispose]();
  await context.close();
});

async function copiedLink(page: Page): Promise<string> {
  await page.bringToFront();
  await page.locator('.site-footer button').click();
  const handle = await page.waitForFunction(async () => {
    const copied = await navigator.clipboard.readText();
    return copied.startsWith('http') && copied;
  });
  return (await handle.jsonValue()) as string;
}
