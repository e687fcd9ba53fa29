// Without a mouse, on paper, and with the names that people and pages give themselves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn, pagesOf } from './every-page.ts';
import { hostileName } from './exhibit.ts';
import { openPage, texts } from './pages.ts';
import { hasFocus } from './reader.ts';
import { exhibitStage } from './stage.ts';

const { service, browser, exhibit } = await exhibitStage();

/** More than any page of the exhibit has; who is caught in a trap presses on and on. */
const mostStops = 400;
type Stop = { what: string; isSeen: boolean; isEnd: boolean };

/** Presses Tab from the page's start until its end. @returns where the focus was */
async function walk(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  while (stops.length < mostStops) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate((): Stop => {
      const at = document.activeElement as HTMLElement;
      // A legend's box is its label, which shows the focus.
      const { width, height } = (at.matches('label .hidden') ? (at.closest('label') as HTMLElement) : at).getBoundingClientRect();
      const what = `${at.tagName.toLowerCase()} ${at.getAttribute('aria-label') ?? at.textContent?.trim().slice(0, 40) ?? ''}`;
      return {
        what,
        isSeen: width > 1 && height > 1 && at.checkVisibility({ visibilityProperty: true }),
        isEnd: at === document.body || at.matches('.site-footer > :last-child'),
      };
    });
    stops.push(stop);
    if (stop.isEnd) break;
  }
  return stops;
}

test('every page of the navigation is reached by Tab and Enter, and says what it is', proves('dashboard-use'), async () => {
  await using page = await openPage(browser, `${service.url}/#/`);
  await page.setViewport({ width: 1366, height: 900 });
  await drawn(page);
  // By their address: how many alerts there are comes later.
  const sections = await page.$$eval('#sections a', (links) => links.map((link) => link.getAttribute('href') ?? ''));
  assert.ok(sections.length >= 7);
  for (const section of sections) {
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.focus('.home');
    for (let presses = 0; presses < sections.length; presses++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(() => document.activeElement?.getAttribute('href'))) === section) break;
    }
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
    assert.notEqual(outline, 'none', `${section} shows that it has the focus`);
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      (href) => document.querySelector('#sections [aria-current=page]')?.getAttribute('href') === href,
      {},
      section,
    );
    // A page that begins with a field puts the reader into it. Home was there already.
    if (section !== sections[0]) await hasFocus(page, 'main, .sites-field input');
    await drawn(page);
    assert.notEqual((await texts(page, 'h1'))[0], undefined);
  }
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
});

test('the first press of Tab offers to skip the navigation', proves('dashboard-use'), async () => {
  await using page = await openPage(browser, `${service.url}/#/`);
  await drawn(page);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the page');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
  assert.equal(page.url(), `${service.url}/#/`);
});

/** Of each kind of page: a form, a chart with its numbers, a list; thoroughly also those that are alike. */
const walked = ['new campaign on chosen networks', 'result', 'visit', 'sites'];
const alike = ['compare', 'across sites', 'change a gate', 'site', 'campaigns', 'alerts'];
for (const name of isThorough ? [...walked, ...alike] : walked) {
  test(
    `${name}: Tab leads through the page and out of it, and wherever it stops there is something to see`,
    proves('dashboard-use'),
    async () => {
      const hash = pagesOf(exhibit).find((page) => page.name === name)?.hash ?? '';
      await using page = await openPage(browser, `${service.url}/${hash}`);
      await drawn(page);
      const stops = await walk(page);
      assert.ok(stops.at(-1)?.isEnd, `${stops.length} stops, the last: ${stops.slice(-5).map(({ what }) => what)}`);
      assert.ok(stops.length > 10);
      assert.deepEqual(
        stops.filter(({ isSeen, isEnd }) => !isSeen && !isEnd).map(({ what }) => what),
        [],
      );
    },
  );
}

test('on paper a page is light, without what can only be clicked', proves('dashboard-use'), async () => {
  await using page = await openPage(browser, `${service.url}/#/campaigns/${exhibit.shop.id}`);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await drawn(page);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), 'dark');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await theme(), 'light');
  await page.waitForFunction(() => [...document.querySelectorAll('main svg')].every((svg) => svg.clientWidth <= 680)); // A4 within its margins
  await page.emulateMediaType('print');
  const shown = await page.$$eval('nav, button:not(.term), .site-footer', (all) =>
    all.filter((element) => element.checkVisibility()).map(({ className }) => className),
  );
  assert.deepEqual(shown, []);
  assert.match((await texts(page, '.answer'))[0] ?? '', /Is HTTP\/3 faster/);
  assert.ok(await page.$eval('.answer-table', (element) => element.checkVisibility()), 'the answer with its numbers');
  await page.emulateMediaType('screen');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
});

test('names are shown as they are, whatever they contain, and run nothing', proves('dashboard-use'), async () => {
  await using page = await openPage(browser, `${service.url}/#/campaigns/${exhibit.hostile.id}`);
  await drawn(page);
  assert.equal((await texts(page, 'h1'))[0]?.trim(), hostileName.trim());
  assert.equal(await page.$('main img[src="x"]'), null);
});

test('times are in the reader’s own zone', proves('dashboard-use'), async () => {
  const at = exhibit.shop.createdAt;
  for (const zone of ['Asia/Tokyo', 'America/St_Johns']) {
    await using page = await openPage(browser, 'about:blank');
    await page.emulateTimezone(zone);
    await page.goto(`${service.url}/#/campaigns/${exhibit.shop.id}`);
    await drawn(page);
    const expected = new Date(at).toLocaleTimeString('en-GB', { timeZone: zone, timeStyle: 'short' });
    assert.ok((await texts(page, '.campaign-head'))[0]?.includes(expected), `${expected} in ${(await texts(page, '.campaign-head'))[0]}`);
  }
});
