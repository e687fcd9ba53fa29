// Metrics from campaign to campaign, in a real Chrome: the numbers are the API's.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { SiteTrends } from '@pronghorn/core/schemas';
import type { Outcomes } from './made-rounds.ts';
import { madeMetrics } from './made-visits.ts';
import { openPage, texts } from './pages.ts';
import { setStage } from './stage.ts';

const dayMs = 86_400_000;
const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
const { service, browser } = await setStage({ kind: 'open' }, { now: () => clock.now });

/** A little slower from night to night; HTTP/3 much slower in the last two. */
const ofNight =
  (night: number): Outcomes =>
  (protocol, _round, random) => {
    const metrics = madeMetrics(protocol, random);
    const factor = (1 + night / 100) * (protocol === 'h3' && night >= 10 ? 1.5 : 1);
    return [{ verdict: 'valid', metrics: { ...metrics, onLoad: metrics.onLoad * factor } }];
  };

before(async () => {
  for (let night = 0; night < 12; night++) {
    const annotations = { commit: `c0ffee${night}`, branch: night % 2 === 0 ? 'main' : 'fix', buildUrl: `https://ci.example/${night}` };
    const campaign = await service.makeCampaign({
      ...{
        name: `night ${night}`,
        sites: [{ url: 'https://93.184.216.34/', name: 'shop' }],
        protocols: ['h2', 'h3'],
        rounds: 6,
        annotations,
      },
    });
    await service.perform(campaign, Number.POSITIVE_INFINITY, ofNight(night));
    clock.now += dayMs;
  }
  await service.makeCampaign({ sites: [{ url: 'https://93.184.216.35/', name: 'never measured' }], rounds: 1 });
});

const trends = (query = ''): Promise<SiteTrends> => service.get(`sites/1/trends?${query}`);
const address = (query = '') => `${service.url}/#/trends${query}`;

test('all sites stand in a table with a line each, are found by name, and lead to their own', async () => {
  const { series } = await trends();
  await using page = await openPage(browser, address());
  await page.waitForSelector('.overview');
  assert.deepEqual(await texts(page, '.overview td:first-child a'), ['never measured', 'shop']);
  const medians = await texts(page, '.overview tr:last-child .medians li');
  assert.deepEqual(
    medians.map((text) => text.trim()),
    series.map(({ protocol, points }) => `HTTP/${protocol.slice(1)} ${Math.round(points.at(-1)?.median ?? 0)} ms`).sort(),
  );
  assert.deepEqual(
    await texts(page, '.overview tr:last-child .words p'),
    series.toSorted((a, b) => a.protocol.localeCompare(b.protocol)).map(({ trend }) => trend?.words),
  );
  await page.type('search input', 'shop');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => document.querySelectorAll('.overview tbody tr').length === 1);
  assert.match(page.url(), /search=shop/);
  await page.click('.overview a');
  await page.waitForSelector('[data-figure="metric"]');
  assert.match(page.url(), /site=1/);
});

test('a site has its medians with intervals, commits, tests and H3-Delta of the API', async () => {
  const { series, deltas } = await trends();
  await using page = await openPage(browser, address('?site=1'));
  await page.waitForSelector('[data-figure="delta"]');
  await page.click('[data-figure="metric"] .chart-tools button[aria-pressed]');
  const cells = await page.$$eval('[data-figure="metric"] tbody tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
  );
  assert.equal(cells.length, 24);
  for (const { points } of series) {
    for (const { median, interval, annotations } of points) {
      const wanted = [median ?? 0, interval?.low ?? 0, interval?.high ?? 0].map((value) => String(Math.round(value)));
      assert.ok(
        cells.some((row) => wanted.every((text) => row.includes(text)) && row.includes(annotations.commit ?? '')),
        wanted.join(),
      );
    }
  }
  await page.click('[data-figure="delta"] .chart-tools button[aria-pressed]');
  const drawnDeltas = await page.$$eval('[data-figure="delta"] tbody tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].slice(3, 6).map((cell) => Number(cell.textContent?.replace('−', '-')))),
  );
  assert.deepEqual(
    drawnDeltas,
    deltas[0]?.points.map(({ delta, interval }) =>
      [delta, interval?.low ?? Number.NaN, interval?.high ?? Number.NaN].map((value) => Number(value.toFixed(2)) + 0),
    ),
  );
  const tests = (await texts(page, '.tests'))[0] ?? '';
  for (const { trend } of series) assert.ok(tests.includes(trend?.words ?? 'none'), tests);
  const [newest = ''] = await texts(page, '.campaign-lines tbody tr');
  assert.match(newest, /campaign 12.*c0ffee11.*fix.*build.*with the one before/s);
  assert.equal(await page.$eval('.campaign-lines a[rel]', (link) => (link as HTMLAnchorElement).href), 'https://ci.example/11');
});

test('days, branch and protocols are in the address and narrow what is shown', async () => {
  await using page = await openPage(browser, address('?site=1&since=2026-03-05&branch=main&protocols=h3'));
  await page.waitForSelector('.campaign-lines');
  const { series } = await trends(`branch=main&protocol=h3&since=${new Date(2026, 2, 5).toISOString()}`);
  assert.equal((await texts(page, '.campaign-lines tbody tr')).length, series[0]?.points.length);
  await page.goto(address('?site=1&since=2030-01-01'));
  await page.waitForFunction(() => document.querySelector('.empty')?.textContent?.includes('Choose other days'));
});

test('a campaign is compared with the one before it, and opened, from the trend', async () => {
  await using page = await openPage(browser, address('?site=1'));
  await page.waitForSelector('.campaign-lines');
  assert.equal(await page.$eval('.campaign-lines td:last-child a', (link) => link.getAttribute('href')), '#/compare?a=11&b=12');
  assert.equal(await page.$eval('.campaign-lines a', (link) => link.getAttribute('href')), '#/campaigns/12');
});

test('more sites are added to those that are there, and a site keeps the days that were chosen', async () => {
  const sites = Array.from({ length: 25 }, (_, place) => ({ url: `https://93.184.216.${100 + place}/` }));
  await service.makeCampaign({ name: 'many', sites, rounds: 1 });
  await using page = await openPage(browser, address('?since=2026-03-05&until=2026-03-20'));
  await page.waitForFunction(() => document.querySelectorAll('.overview tbody tr').length === 20);
  const first = await texts(page, '.overview td:first-child a');
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.locator('button::-p-text(More sites)').click();
  await page.waitForFunction(() => document.querySelectorAll('.overview tbody tr').length === 27);
  assert.deepEqual((await texts(page, '.overview td:first-child a')).slice(0, 20), first);
  assert.deepEqual([urls.filter((url) => url.includes('/trends?')).length, urls.every((url) => /cursor=\d/.test(url))], [1, true]);
  await page.click('.overview a');
  await page.waitForFunction(() => location.hash.includes('site='));
  assert.match(page.url(), /since=2026-03-05&until=2026-03-20/);
  await page.locator('a::-p-text(All sites)').click();
  await page.waitForFunction(() => document.querySelectorAll('.overview tbody tr').length === 20);
  assert.match(page.url(), /#\/trends\?since=2026-03-05&until=2026-03-20$/);
});

test('more sites that were asked for of another search are given up with it', async () => {
  await using page = await openPage(browser, address());
  await page.waitForFunction(() => document.querySelectorAll('.overview tbody tr').length === 20);
  await page.setRequestInterception(true);
  const isHeld = Promise.withResolvers<void>();
  // What goes on for further pages never comes.
  page.on('request', (request) => (request.url().includes('cursor=') ? isHeld.resolve() : void request.continue()));
  const isGivenUp = new Promise((resolve) => page.on('requestfailed', resolve));
  await page.locator('button::-p-text(More sites)').click();
  await isHeld.promise;
  await page.waitForSelector('button[disabled]::-p-text(Reading…)');
  await page.type('search input', '93.184.216.1');
  await page.keyboard.press('Tab');
  await isGivenUp;
  await page.waitForSelector('button:not([disabled])::-p-text(More sites)');
  assert.deepEqual(await texts(page, '.trouble'), []);
});

test('on a phone medians of sites and of campaigns stand below their names, in sight', async () => {
  for (const [query, cells] of [
    ['', '.overview td'],
    ['?site=1', '.campaign-lines td'],
  ]) {
    await using page = await openPage(browser, address(query));
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForSelector(cells ?? '');
    const ends = await page.$$eval(cells ?? '', (all) => all.map((element) => element.getBoundingClientRect().right));
    assert.ok(Math.max(...ends) <= 390, `${cells}: ${Math.max(...ends)}`);
  }
});
