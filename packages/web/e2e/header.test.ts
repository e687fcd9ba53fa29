// What stands around every page: the navigation on a phone, and the colours of one's choice.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { openPage } from './pages.ts';
import { press } from './reader.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens', publicReading: true });

/** Until these are shown, or not. */
const isShown = (page: Page, selector: string, wanted: boolean) =>
  page.waitForFunction((at, is) => document.querySelector(at)?.checkVisibility() === is, {}, selector, wanted);

describe('what stands around every page', proves('dashboard-use'), () => {
  test('on a phone the navigation and signing in wait behind a button, which the keyboard reaches and leaves', async () => {
    await using page = await openPage(browser, `${service.url}/#/`);
    await page.setViewport({ width: 320, height: 640 });
    await page.waitForSelector('h1');
    await page.waitForSelector('.who a');
    for (const selector of ['#sections', '.who a']) await isShown(page, selector, false);
    await page.focus('.menu-button');
    await page.keyboard.press('Enter');
    for (const selector of ['#sections', '.who a']) await isShown(page, selector, true);
    assert.equal(await page.$eval('.menu-button', (button) => button.getAttribute('aria-expanded')), 'true');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await isShown(page, '#sections', false);
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'menu-button');
    await page.keyboard.press('Enter');
    await press(page, '#sections a[href="#/conditions"]');
    // Another page begins with its menu closed.
    await page.waitForFunction(() => location.hash === '#/conditions' && document.querySelector('#sections')?.checkVisibility() === false);
  });

  test('light and dark follow the system until one is chosen, which the browser keeps', async (t) => {
    const context = await browser.createBrowserContext();
    t.after(() => context.close());
    await using page = await openPage(context, `${service.url}/#/`);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await page.select('.theme-choice select', 'light');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    await page.reload();
    await page.waitForSelector('h1');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    await page.select('.theme-choice select', 'system');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  });

  test('from a tablet on its side to a large screen the navigation stands in one line, also of who is signed in', async () => {
    const { token } = await service.makeToken('a token with a long name', 'submitter');
    await using page = await visitor(browser, service, '#/', { token });
    await page.waitForSelector('.who button');
    for (const width of [1024, 1280, 1366, 1920]) {
      await page.setViewport({ width, height: 900 });
      const { tops, height, beyond } = await page.evaluate(() => ({
        tops: [...document.querySelectorAll('#sections a, .home, .who button')].map((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return Math.round((top + bottom) / 20);
        }),
        height: document.querySelector('.site-header')?.getBoundingClientRect().height ?? 0,
        beyond: [...document.querySelectorAll('.site-header :is(a, button)')].filter(
          (element) => element.getBoundingClientRect().right > innerWidth,
        ).length,
      }));
      assert.deepEqual([width, new Set(tops).size <= 2, height < 75, beyond], [width, true, true, 0]);
    }
  });
});
