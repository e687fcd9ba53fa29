// A site's page: its newest result and its metrics from campaign to campaign, in a real Chrome. The numbers are the API's.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { SiteStatus, SiteTrends } from '@pronghorn/core/schemas';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
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
const address = (query = '') => `${service.url}/#/sites/1${query}`;

test('each condition has its newest result, and the newest campaign is measured again by a click', async () => {
  const { now }: SiteStatus = await service.get('sites/1/status');
  const { h2, h3 } = now?.medians ?? {};
  await using page = await openPage(browser, address());
  await page.waitForSelector('.cells td');
  assert.deepEqual(await texts(page, 'h1'), ['shop']);
  const [line = []] = await page.$$eval('.cells tbody tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? '')),
  );
  assert.deepEqual([line[0], line[2], line[3]], ['native', `${Math.round(h2 ?? 0)} ms`, `${Math.round(h3 ?? 0)} ms`]);
  await page.locator('button::-p-text(Measure again)').click();
  await page.waitForFunction(() => location.hash.startsWith('#/campaigns/'));
  const { spec } = await service.get(`campaigns/${page.url().split('/').at(-1)}`);
  assert.deepEqual([spec.rounds, spec.protocols], [6, ['h2', 'h3']]);
});

test('tags are given on the page, and lead to the sites that have them', async () => {
  await using page = await openPage(browser, address());
  await page.locator('button::-p-text(Add tags)').click();
  await (await page.waitForSelector('dialog input'))?.type('Check out, team-b');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.about .chip').length === 2);
  assert.deepEqual((await service.get('sites/1/tags')).tags, ['check-out', 'team-b']);
  await page.locator('.about a::-p-text(team-b)').click();
  await page.waitForSelector('table.sites');
  assert.match(page.url(), /#\/\?tag=team-b$/);
  assert.deepEqual(await texts(page, '.sites .name > a:first-child'), ['shop']);
});

test('a site has its medians with intervals, commits, tests and H3-Delta of the API', async () => {
  const { series, deltas } = await trends();
  await using page = await openPage(browser, address());
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
  await using page = await openPage(browser, address('?since=2026-03-05&branch=main&protocols=h3'));
  await page.waitForSelector('.campaign-lines');
  const { series } = await trends(`branch=main&protocol=h3&since=${new Date(2026, 2, 5).toISOString()}`);
  assert.equal((await texts(page, '.campaign-lines tbody tr')).length, series[0]?.points.length);
  const typed = async (text: string) => {
    await page.$eval('input[name=since]', (input) => (input as HTMLInputElement).select());
    await page.type('input[name=since]', text);
    await page.keyboard.press('Enter');
  };
  await typed('yesterday');
  await page.waitForSelector('input[name=since][aria-invalid=true]');
  assert.match(page.url(), /since=2026-03-05/, 'what is no day changes nothing');
  await typed('7 mar 2026');
  await page.waitForFunction(() => location.hash.includes('since=2026-03-07'));
  assert.equal(await page.$eval('input[name=since]', (input) => (input as HTMLInputElement).value), '7 Mar 2026');
  await page.goto(address('?since=2030-01-01'));
  await page.waitForFunction(() => document.querySelector('.empty')?.textContent?.includes('Choose other days'));
});

test('a campaign is compared with the one before it, and opened, from the trend', async () => {
  await using page = await openPage(browser, address());
  await page.waitForSelector('.campaign-lines');
  assert.equal(await page.$eval('.campaign-lines td:last-child a', (link) => link.getAttribute('href')), '#/compare?a=11&b=12');
  assert.equal(await page.$eval('.campaign-lines a', (link) => link.getAttribute('href')), '#/campaigns/12');
});

test('where no load succeeded there is no number and no point, but these words', async () => {
  const lost = {
    name: 'mistyped',
    sites: [{ url: 'https://93.184.216.36/shpo', name: 'mistyped' }],
    protocols: ['h2' as const, 'h3' as const],
    rounds: 3,
  };
  const campaign = await service.makeCampaign(lost);
  await service.perform(campaign, Number.POSITIVE_INFINITY, () => [invalid('dns-error', 'net::ERR_NAME_NOT_RESOLVED')]);
  await using page = await openPage(browser, `${service.url}/#/sites/3`);
  await page.waitForSelector('.campaign-lines');
  assert.deepEqual(await texts(page, '.campaign-lines td.right[data-name^=HTTP]'), ['no load succeeded', 'no load succeeded']);
  assert.deepEqual(await texts(page, '[data-figure=metric] .empty'), ['No campaign has a median: loads failed.']);
  assert.doesNotMatch((await texts(page, 'main')).join(), /60,000|\b0 ms/);
});

test('on a phone medians of conditions and of campaigns stand below their names, in sight', async () => {
  for (const cells of ['.cells td', '.campaign-lines td']) {
    await using page = await openPage(browser, address());
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForSelector(cells);
    const ends = await page.$$eval(cells, (all) => all.map((element) => element.getBoundingClientRect().right));
    assert.ok(Math.max(...ends) <= 390, `${cells}: ${Math.max(...ends)}`);
  }
});
