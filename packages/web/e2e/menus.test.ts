// Whatever opens on a page stays inside the window, on screens of any width.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn, pagesOf } from './every-page.ts';
import { openPage } from './pages.ts';
import { exhibitStage } from './stage.ts';

const { service, browser, exhibit } = await exhibitStage();
const pages = pagesOf(exhibit);

/** Of a small phone, a tablet and a desk; thoroughly also those between them. */
const widths = isThorough ? [320, 390, 768, 1024, 1280, 1366, 1920] : [320, 768, 1366];
/** Of a kind that a page repeats, such as a row's details, the first ones show what all do. */
const mostOfKind = 3;

/** Opens menus one by one, and terms; then all other parts that open, together. @returns what leaves the window, and how much was opened */
const openEverything = (page: Page) =>
  page.evaluate(async (most) => {
    const faults = new Set<string>();
    const frames = async () => {
      for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
    };
    const nameOf = (element: Element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
    const check = (element: Element, what: string) => {
      const { left, right, width } = element.getBoundingClientRect();
      const edge = document.documentElement.clientWidth;
      if (width > 0 && (left < 0 || right > edge))
        faults.add(`${what}: ${nameOf(element)} from ${Math.round(left)} to ${Math.round(right)}`);
    };
    const seen = new Map<string, number>();
    const isOften = (element: Element) => {
      const name = nameOf(element);
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return (seen.get(name) ?? 0) > most;
    };
    let opened = 0;
    for (const details of document.querySelectorAll('details')) {
      if (details.open || isOften(details)) continue;
      details.open = true;
      opened += 1;
      await frames();
      const floating = details.querySelectorAll('.floating');
      for (const element of floating) check(element, details.querySelector('summary')?.textContent?.trim() ?? 'menu');
      if (floating.length > 0) details.open = false;
    }
    for (const term of document.querySelectorAll<HTMLElement>('.explained .term')) {
      if (isOften(term) || term.checkVisibility() === false) continue;
      term.focus();
      opened += 1;
      await frames();
      const words = term.nextElementSibling;
      if (words) check(words, term.textContent ?? 'term');
      term.blur();
    }
    const menu = document.querySelector<HTMLElement>('.menu-button');
    if (menu?.checkVisibility()) {
      menu.click();
      opened += 1;
      await frames();
      for (const link of document.querySelectorAll('.site-header :is(a, button)')) check(link, 'navigation');
      menu.click();
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.add(`all open: the page is ${scrollWidth} px wide`);
    return { faults: [...faults], opened };
  }, mostOfKind);

describe('menus, details and explanations stay inside the window', proves('dashboard-use'), () => {
  let opened = 0;
  for (const { name, hash } of pages)
    test(name, async () => {
      await using page = await openPage(browser, `${service.url}/${hash}`);
      for (const width of widths) {
        await page.setViewport({ width, height: 900 });
        await drawn(page);
        const found = await openEverything(page);
        assert.deepEqual([width, found.faults], [width, []]);
        opened += found.opened;
      }
    });
  test('all pages together have many of them', () => assert.ok(opened > 100, `only ${opened} things were opened`));
});

test('a menu that leaves the window is found', proves('dashboard-use'), async () => {
  const { hash = '' } = pages.find(({ name }) => name === 'compare') ?? {};
  await using page = await openPage(browser, `${service.url}/${hash}`);
  await drawn(page);
  // The page's policy lets no style element in.
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.campaign-picker .panel { left: 60vw !important; right: auto !important; width: 60vw }');
    document.adoptedStyleSheets = [sheet];
  });
  const { faults } = await openEverything(page);
  assert.ok(
    faults.some((words) => words.includes('div.panel.floating')),
    faults.join('; '),
  );
});
