// Home: what got worse, how each site does, and the alerts until somebody has seen them; in a real Chrome on the real api.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertPage, SiteStatusPage } from '@pronghorn/core/schemas';
import { isThorough, proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { openPage, texts } from './pages.ts';
import { fill, isAt, press } from './reader.ts';
import { startService } from './service.ts';
import { setExhibit } from './stage.ts';

const { service, browser, exhibit } = await setExhibit();

const status = (query = ''): Promise<SiteStatusPage> => service.get(`sites/status?limit=100${query}`);
const open = (): Promise<AlertPage> => service.get('alerts?state=open');
async function home(query = ''): Promise<Page & AsyncDisposable> {
  const page = await openPage(browser, 'about:blank');
  await page.setViewport({ width: 1366, height: 900 });
  await page.goto(`${service.url}/#/${query}`);
  await page.waitForSelector('table.sites .site');
  await drawn(page);
  return page;
}
const siteNames = (page: Page) => texts(page, '.sites .name > a:first-child');
const count = (page: Page) =>
  page.$eval('#sections a[href="#/alerts"] .count', (element) => Number.parseInt(element.textContent ?? '', 10));

test('each site is a line with the numbers of the API, the worst first', proves('dashboard-sites'), async () => {
  const { items } = await status();
  await using page = await home();
  assert.deepEqual(
    await siteNames(page),
    items.map(({ name }) => name),
  );
  const lines = await page.$$eval('.sites tbody tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.replaceAll('\u00a0', ' ').trim() ?? '')),
  );
  for (const [at, { now, notLoaded, change }] of items.entries()) {
    const [, verdict = '', h2, h3, , changed = ''] = lines[at] ?? [];
    const text = (protocol: string) => {
      const median = now?.medians[protocol];
      return median == null ? undefined : `${Math.round(median).toLocaleString('en')} ms`;
    };
    for (const [shown, median] of [
      [h2, text('h2')],
      [h3, text('h3')],
    ])
      if (median !== undefined && !/^\d ms/.test(median)) assert.equal(shown, median);
    if (notLoaded !== null) assert.match(verdict, /could not be loaded/);
    if (now?.comparison?.outcome === 'h3-faster') assert.match(verdict, /^HTTP\/3 faster ?\d.* ms \(\d.* %\)/);
    const elsewhere = change?.condition === now?.condition ? '' : change?.condition;
    if (change?.state === 'worse') assert.match(changed, new RegExp(`^HTTP/3\\s+\\+\\d+ % \\(\\d+ ms\\)\\s*${elsewhere}$`));
    const [other] = now?.otherCells ?? [];
    if (other && notLoaded === null) assert.ok(verdict.includes(`: ${other.words}`), verdict);
  }
  assert.ok(items.some(({ change }) => change?.state === 'worse'));
  assert.ok(items.some(({ now }) => (now?.otherCells.length ?? 0) > 1));
  const marked = await page.$$eval('.sites tbody tr', (rows) => rows.map((row) => row.querySelector('.course .worse') !== null));
  assert.deepEqual(
    marked,
    items.map(({ now, change }) => change?.state === 'worse' && change.condition === now?.condition),
    'where a change began is marked on the line of its own condition',
  );
});

test('a laptop’s first screen has eighteen sites below what got worse', proves('dashboard-sites'), async () => {
  await using page = await home();
  const seen = await page.$$eval(
    '.sites tbody tr',
    (rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length,
  );
  assert.ok(seen >= 18, `${seen} sites`);
  await page.waitForSelector('.alerts');
  const [first = ''] = await texts(page, '.alerts .words');
  assert.match(first, /onLoad got \d+ % slower over HTTP\/3.*since\s+5f2c9e1a/s);
});

test('what is acknowledged leaves the count but not its site’s page, until it is taken back', proves('dashboard-sites'), async () => {
  const before = (await open()).open;
  await using page = await home();
  await page.waitForSelector('#sections .count');
  assert.equal(await count(page), before);
  const alert = (await open()).items.find(({ kind, siteName }) => kind === 'regression' && siteName === 'shop');
  await page.goto(`${service.url}/#/sites/${alert?.siteId}`);
  await press(page, '.alert button::-p-text(Acknowledge)');
  await page.waitForSelector('.alert.acknowledged');
  await page.waitForFunction(
    (fewer) => Number.parseInt(document.querySelector('#sections .count')?.textContent ?? '', 10) === fewer,
    {},
    before - 1,
  );
  assert.equal((await open()).open, before - 1);
  await press(page, '.alert button::-p-text(Undo)');
  await page.waitForSelector('.alert.open');
  assert.equal((await open()).open, before);
});

test(
  'alerts stand by their state in the address, and where their schedule, gate and campaign is shown',
  proves('dashboard-sites'),
  async () => {
    await using page = await openPage(browser, `${service.url}/#/alerts`);
    await page.waitForSelector('.alert');
    const { items } = await open();
    assert.deepEqual(
      await texts(page, '.alert strong'),
      items.map(({ title }) => title.replaceAll('\u00a0', ' ')),
    );
    await press(page, '.tabs a::-p-text(Resolved)');
    const { items: resolved }: AlertPage = await service.get('alerts?state=resolved');
    await page.waitForFunction(
      (titles) =>
        [...document.querySelectorAll('.alert.resolved strong')].map((title) => title.textContent?.replaceAll('\u00a0', ' ')).join() ===
        titles,
      {},
      resolved.map(({ title }) => title.replaceAll('\u00a0', ' ')).join(),
    );
    assert.match(page.url(), /#\/alerts\?state=resolved$/);
    for (const hash of [
      `#/schedules/${exhibit.nights.schedule.id}`,
      `#/gates/${exhibit.gates.strict.id}`,
      `#/campaigns/${exhibit.nights.ids.at(-1)}`,
    ]) {
      await page.goto(`${service.url}/${hash}`);
      await page.waitForSelector('.alert');
    }
  },
);

test(
  'search, tag, condition and range narrow the list, stand in the address, and are undone by the back button',
  proves('dashboard-sites'),
  async () => {
    await using page = await home();
    const all = (await siteNames(page)).length;
    await fill(page, 'input[name="search"]', 'check');
    await isAt(page, /search=check(&|$)/);
    await page.waitForFunction(() => document.querySelectorAll('.sites tbody tr').length === 1);
    assert.deepEqual(await siteNames(page), ['checkout']);
    await page.goto(`${service.url}/#/`);
    await page.waitForFunction((number) => document.querySelectorAll('.sites tbody tr').length === number, {}, all);
    await page.select('select[name="tag"]', 'checkout');
    const tagged = await status('&tag=checkout');
    await page.waitForFunction((number) => document.querySelectorAll('.sites tbody tr').length === number, {}, tagged.items.length);
    await page.select('select[name="condition"]', '4g');
    await page.waitForFunction(() => location.hash.includes('condition=4g'));
    await press(page, '.range button');
    await page.waitForFunction(() => document.querySelector('.sites th.course')?.textContent?.includes('7 days'));
    assert.match(page.url(), /tag=checkout.*condition=4g.*days=7/);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('.sites th.course')?.textContent?.includes('30 days'));
    await page.goto(`${service.url}/#/?search=nowhere-at-all`);
    await press(page, '.empty button');
    await page.waitForFunction((number) => document.querySelectorAll('.sites tbody tr').length === number, {}, all);
  },
);

test('a metric in the address that is none stands in the menu as it is, to be changed', proves('dashboard-sites'), async () => {
  for (const name of isThorough ? ['constructor', 'nonsense'] : ['constructor']) {
    const complaints: string[] = [];
    const page = await openPage(browser, `${service.url}/#/?metric=${name}`, complaints);
    await page.waitForSelector('select[name="metric"]');
    assert.equal(await page.$eval('select[name="metric"]', (select) => (select as HTMLSelectElement).selectedOptions[0]?.text), name);
    await page.select('select[name="metric"]', '');
    await page.waitForSelector('table.sites .site');
    assert.ok(
      complaints.every((words) => /status of 400/.test(words)),
      complaints.join('\n'),
    );
    await page.close();
  }
});

test('a site that waits says for what, with a way to the runners', proves('dashboard-sites'), async () => {
  await using page = await home();
  await page.waitForSelector('.verdict a[href="#/runners"]');
  assert.match((await texts(page, '.verdict:has(a[href="#/runners"])'))[0] ?? '', /queued: No runner .*Tokyo/);
});

test('columns fold from a desktop to a phone, and nothing goes beyond the window', proves('dashboard-sites'), async () => {
  await using page = await home();
  for (const [width, columns] of [
    [1366, 9],
    [1024, 8],
    [768, 4],
    [390, 4],
  ] as const) {
    await page.setViewport({ width, height: 900 });
    await drawn(page);
    const shown = await page.$eval(
      '.sites tbody tr',
      (row) => [...row.querySelectorAll('td')].filter((cell) => cell.checkVisibility()).length,
    );
    assert.deepEqual([width, shown], [width, columns]);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width} px`);
  }
});

test(
  'what got worse under another condition than a line shows has its name there, and stands on the site’s page',
  proves('dashboard-sites'),
  async () => {
    const site = (await status()).items.find(({ name, change }) => name === 'checkout' && change?.state === 'worse') ?? assert.fail();
    const [worse] = site.change?.worse ?? [];
    const conditions = ['native', worse?.condition ?? ''];
    const again = await service.makeCampaign({
      sites: [{ url: site.url, name: site.name }],
      conditions,
      protocols: ['h2', 'h3'],
      rounds: 4,
    });
    await service.perform(again, Number.POSITIVE_INFINITY);
    await using page = await openPage(browser, `${service.url}/#/sites/${site.siteId}`);
    await page.waitForFunction((id) => document.querySelector(`.facts a[href$="/campaigns/${id}"]`), {}, again.id);
    await page.waitForSelector('.cells [data-name="Change"]');
    const share = `+${Math.round(100 * ((worse?.level ?? 0) / (worse?.before ?? 1) - 1))} %`;
    const [inFirst, changed = ''] = await texts(page, '.cells [data-name="Change"]');
    assert.equal(inFirst, '–');
    assert.ok(changed.includes(share), changed);
    await using first = await home('?search=checkout');
    assert.match((await texts(first, '.sites .verdict'))[0] ?? '', /native/i);
    const [line = ''] = await texts(first, '.sites td.change');
    assert.ok(line.includes(share) && line.trim().endsWith(worse?.condition ?? ' '), line);
  },
);

test('more sites than one page are added by a button, and the address keeps them', proves('dashboard-sites'), async () => {
  await using many = await startService();
  for (let part = 0; part < 3; part++) {
    const sites = Array.from({ length: 50 }, (_, place) => ({ url: `https://93.184.216.34/${part}/${place}` }));
    await many.makeCampaign({ name: `part ${part}`, sites, rounds: 1 });
  }
  await using page = await openPage(browser, `${many.url}/#/`);
  await page.waitForFunction(() => document.querySelectorAll('.sites tbody tr').length === 100);
  await press(page, 'button::-p-text(Show more)');
  await page.waitForFunction(() => document.querySelectorAll('.sites tbody tr').length === 150);
  assert.match(page.url(), /pages=2/);
});
