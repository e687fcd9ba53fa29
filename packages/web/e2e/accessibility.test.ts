// Every page, in light and dark, on a desk and on a phone, full and empty and signed out: usable by everyone, and without a complaint.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { drawn, pagesOf, routerPaths, type ShownPage } from './every-page.ts';
import { openEverything } from './menus.ts';
import { openPage, texts } from './pages.ts';
import { type Service, startService } from './service.ts';
import { exhibitStage } from './stage.ts';

const { service, browser, exhibit } = await exhibitStage();
const pages = pagesOf(exhibit);

/** Each page is looked at in one of two dresses; thoroughly in both, and in the others for what colours and widths alone can spoil. */
type Dress = { width: number; scheme: 'light' | 'dark'; rules: string[] | null };
const twoDresses: Dress[] = [
  { width: 1280, scheme: 'light', rules: null },
  { width: 390, scheme: 'dark', rules: null },
];
const otherDresses = twoDresses.map(
  ({ width }, at): Dress => ({ width, scheme: at === 0 ? 'dark' : 'light', rules: ['color-contrast', 'target-size'] }),
);
/** Of a small phone, a tablet and a desk; thoroughly also those between them. */
const widths = isThorough ? [320, 390, 768, 1024, 1280, 1366, 1920] : [320, 768, 1366];

/** Pages of one route are alike: each of several is shown in one of all widths, and thoroughly every page in all. */
function widthsOf({ route, name }: ShownPage): readonly number[] {
  const alike = pages.filter((page) => page.route === route);
  const place = alike.findIndex((page) => page.name === name) % widths.length;
  return isThorough || alike.length === 1 ? widths : widths.slice(place, place + 1);
}

const dressesAt = (place: number, more: readonly Dress[] = []): readonly Dress[] =>
  isThorough ? [...twoDresses, ...more] : twoDresses.slice(place % 2).slice(0, 1);
const ruleSets = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** In words: which rule, where, and what axe says. */
async function violationsOf(page: Page, rules: Dress['rules']): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return await page.evaluate(
    async (runOnly) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
        ...{ runOnly, resultTypes: ['violations'] },
        preload: false, // for rules about films and turned phones
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 5).map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
      );
    },
    rules === null ? { type: 'tag' as const, values: ruleSets } : { type: 'rule' as const, values: rules },
  );
}

/** Whatever is wrong with the page as it is shown now. */
async function faultsOf(page: Page, rules: Dress['rules']): Promise<string[]> {
  const faults = await violationsOf(page, rules);
  const [width, needed] = await page.evaluate((): [number, number] => [window.innerWidth, document.documentElement.scrollWidth]);
  if (needed > width) faults.push(`wider than the window: ${needed} px of ${width}; ${await widest(page)}`);
  const headings = await texts(page, 'h1');
  if (headings.length !== 1 || headings[0]?.trim() === '') faults.push(`h1: ${JSON.stringify(headings)}`);
  if (!/^.+ – Pronghorn$/.test(await page.title())) faults.push(`its title is ${await page.title()}`);
  return faults;
}

const widest = (page: Page) =>
  page.$$eval('main *, header *, footer *', (all) => {
    const scrolls = (element: Element): boolean =>
      element.parentElement !== null && (getComputedStyle(element.parentElement).overflowX !== 'visible' || scrolls(element.parentElement));
    const wide = all.filter((element) => element.getBoundingClientRect().right > innerWidth && !scrolls(element));
    return wide
      .slice(0, 3)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`)
      .join(', ');
  });

/** A page that is like none. */
const noPage = '#/nowhere/at/all';
const noPageHeading = 'No such page';

/** A reader of one service, who follows links: opening each page anew takes Chrome thrice as long. */
async function readerOf(at: Service, { first = noPage, isRefused = false } = {}) {
  const complaints: string[] = [];
  /** What the console had to complain about since this was asked last. Chrome itself reports each answer that is no success. */
  const complained = () => complaints.splice(0).filter((words) => !isRefused || !/status of 4\d\d/.test(words));
  const page = await openPage(browser, `${at.url}/${first}`, complaints);

  /** By way of that page, so that it is seen when the other is there. */
  async function show(hash: string): Promise<void> {
    if (await page.evaluate((shown) => location.hash === shown, hash)) return;
    await follow(noPage);
    await page.waitForFunction((words) => document.querySelector('main h1')?.textContent === words, {}, noPageHeading);
    if (hash === noPage) return;
    await follow(hash);
    await page.waitForFunction((words) => document.querySelector('main h1')?.textContent !== words, {}, noPageHeading);
  }
  const follow = (hash: string) =>
    page.evaluate((to) => {
      location.hash = to;
    }, hash);

  /** Shows a page in some dresses, and opens what opens. @returns what is wrong, once for each fault, with the dresses in which it is */
  async function faultsIn(
    { name, hash }: ShownPage,
    dresses: readonly Dress[],
    { menusAt = [] as readonly number[], opened = (_parts: number) => {} } = {},
  ): Promise<string[]> {
    const places = new Map<string, string[]>();
    await show(hash);
    for (const { width, scheme, rules } of dresses) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await drawn(page);
      for (const fault of new Set(await faultsOf(page, rules))) places.set(fault, [...(places.get(fault) ?? []), `${scheme} ${width} px`]);
    }
    for (const width of menusAt) {
      await page.setViewport({ width, height: 900 });
      await drawn(page);
      const { faults, opened: parts } = await openEverything(page);
      opened(parts);
      for (const fault of faults) places.set(fault, [...(places.get(fault) ?? []), `${width} px`]);
    }
    return [
      ...[...places].map(([fault, where]) => `${name} (${where.join(', ')}): ${fault}`),
      ...new Set(complained().map((words) => `${name}: ${words}`)),
    ];
  }

  /** Pages with little on them. @returns as of `faultsIn` */
  async function tour(shown: readonly ShownPage[]): Promise<string[]> {
    const faults: string[] = [];
    for (const [place, one] of shown.entries()) faults.push(...(await faultsIn(one, dressesAt(place))));
    return faults;
  }

  return {
    page,
    faultsIn,
    tour,
    async [Symbol.asyncDispose]() {
      await page.close();
      assert.deepEqual(complained(), []);
    },
  };
}

test('the tour forgets no page', proves('dashboard-use'), () => {
  const visited = new Set(pages.map(({ route }) => route));
  assert.deepEqual(
    routerPaths().filter((path) => !visited.has(path)),
    [],
  );
});

test('the figures over many sites have something to show', proves('dashboard-use'), async () => {
  await using page = await openPage(browser, `${service.url}/#/campaigns/${exhibit.many.id}/across`);
  await page.waitForSelector('[data-figure="characteristics"]');
  assert.deepEqual(await texts(page, '[data-figure] .empty'), []);
});

// Each page has its own limit; together they may take as long as they do.
describe('every page, and what opens on it inside the window', { ...proves('dashboard-use'), timeout: 3_600_000 }, () => {
  let opened = 0;
  const count = (parts: number) => {
    opened += parts;
  };
  const reader = readerOf(service);
  for (const [place, page] of pages.entries())
    test(page.name, { timeout: 300_000 }, async () => {
      const { faultsIn } = await reader;
      assert.deepEqual(await faultsIn(page, dressesAt(place, otherDresses), { menusAt: widthsOf(page), opened: count }), []);
    });
  test('all pages together have much that opens', () => assert.ok(opened > 100, `only ${opened} things were opened`));
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

test('every page of a service in which nothing was ever done', proves('dashboard-use'), async () => {
  await using empty = await startService();
  const plain = pages.flatMap(({ name, route, hash }) => (route.includes(':id') ? [] : [{ name, route, hash: hash.replace(/\?.*/, '') }]));
  await using reader = await readerOf(empty);
  assert.deepEqual(await reader.tour(plain), []);
});

test('pages of what is not there, and pages before one is signed in', proves('dashboard-use'), async () => {
  const nothing = [
    `#/campaigns/4711`,
    `#/campaigns/4711/across`,
    `#/visits/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`,
    '#/compare?a=4711&b=4712',
    '#/schedules/4711',
    '#/gates/4711/edit',
    '#/gates/4711',
    '#/runners/4711',
    '#/sites/4711',
    '#/new?from=4711',
  ];
  const missing = nothing.map((hash) => ({ name: hash, route: '', hash }));
  await using reader = await readerOf(service, { isRefused: true });
  assert.deepEqual(await reader.tour(missing), []);
  await using closed = await startService({ kind: 'tokens' });
  const each = pages.filter(({ route }, at) => pages.findIndex((other) => other.route === route) === at);
  // All but few of them show the form to sign in.
  const shown = isThorough ? each : each.filter(({ name }) => ['sites', 'result', 'settings', 'sign in', 'public result'].includes(name));
  for (const one of shown) {
    await using signedOut = await readerOf(closed, { first: one.hash, isRefused: true });
    assert.deepEqual(await signedOut.tour([one]), []);
  }
});
