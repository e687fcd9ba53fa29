// Two campaigns held against one another, in a real Chrome: the numbers are the API's.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Campaign, CampaignComparisonPage } from '@pronghorn/core/schemas';
import type { Outcomes } from './made-rounds.ts';
import { madeMetrics } from './made-visits.ts';
import { openPage, texts } from './pages.ts';
import type { Service } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();
let [earlier, later, elsewhere, wide, wider]: Campaign[] = [];

/** HTTP/3 takes so much of its time. */
const h3Takes =
  (factor: number): Outcomes =>
  (protocol, _round, random) => {
    const metrics = madeMetrics(protocol, random);
    return [{ verdict: 'valid', metrics: { ...metrics, onLoad: metrics.onLoad * (protocol === 'h3' ? factor : 1) } }];
  };

before(async () => {
  const sites = [{ url: 'https://93.184.216.34/', name: 'shop' }];
  const made = async (given: Partial<Parameters<Service['makeCampaign']>[0]>, outcomes: Outcomes) => {
    const campaign = await service.makeCampaign({ sites, protocols: ['h2', 'h3'], rounds: 10, ...given });
    await service.perform(campaign, Number.POSITIVE_INFINITY, outcomes);
    return campaign;
  };
  earlier = await made({ name: 'before', conditions: ['native', 'latency-100'] }, h3Takes(1));
  later = await made({ name: 'after', conditions: ['native', '4g'], browser: 'headless-shell' }, h3Takes(0.7));
  elsewhere = await made({ name: 'another site', sites: [{ url: 'https://93.184.216.35/' }], rounds: 1 }, h3Takes(1));
  const page = [{ url: 'https://93.184.216.36/', name: 'wide' }];
  const conditions = Array.from({ length: 22 }, (_, i) => ({ name: `delay-${i + 1}`, up: { delayMs: i + 1 }, down: { delayMs: i + 1 } }));
  wide = await made({ name: 'many conditions', sites: page, conditions, rounds: 1 }, h3Takes(1));
  wider = await made({ name: 'many conditions again', sites: page, conditions, rounds: 1 }, h3Takes(1));
});

const address = (query: string) => `${service.url}/#/compare?${query}`;
const both = () => `a=${earlier?.id}&b=${later?.id}`;

test('what differs in their setup is told first, then the numbers of the API, in its words', async () => {
  const comparison: CampaignComparisonPage = await service.get(`campaigns/${later?.id}/compare/${earlier?.id}`);
  await using page = await openPage(browser, address(both()));
  await page.waitForSelector('.counts');
  const order = await texts(page, 'main h2');
  assert.deepEqual(order, ['Setup', 'Differences', 'HTTP/3 against HTTP/2 in both']);
  assert.deepEqual(
    await page.$$eval('[data-difference]', (elements) => elements.map((one) => one.getAttribute('data-difference'))),
    comparison.differences.map(({ what }) => what),
  );
  assert.match((await texts(page, '[data-difference=browser]'))[0] ?? '', /A chrome.*B headless-shell.*less time than full Chrome/s);
  const changes = comparison.cells.flatMap(({ protocols }) => protocols);
  assert.deepEqual(
    await page.$$eval('.change-table tbody [data-outcome]', (elements) => elements.map((one) => one.getAttribute('data-outcome'))),
    changes.map(({ outcome }) => outcome),
  );
  assert.deepEqual(
    changes.map(({ protocol, outcome }) => [protocol, outcome]),
    [
      ['h2', 'undecided'],
      ['h3', 'lower'],
    ],
  );
  assert.deepEqual(
    await texts(page, '.change-table details p'),
    changes.map(({ words }) => words),
  );
  assert.deepEqual(
    await texts(page, '.change-table td.median b'),
    changes.flatMap(({ baseline, campaign }) => [baseline, campaign].map((side) => `${Math.round(side?.median ?? 0)} ms`)),
  );
  assert.deepEqual(
    await page.$$eval('.mark[data-value]', (elements) => elements.map((dot) => Number(dot.getAttribute('data-value')))),
    comparison.cells.flatMap(({ lead }) => [lead?.baseline?.value, lead?.campaign?.value]),
  );
  assert.match((await texts(page, '.leads li'))[0] ?? '', new RegExp(comparison.cells[0]?.lead?.words.slice(0, 40) ?? 'none'));
});

test('metric and what is shown are in the address, and the back button undoes them', async () => {
  await using page = await openPage(browser, address(both()));
  await page.waitForSelector('.counts');
  await page.select('.metric-choice select', 'speedIndex');
  await page.waitForFunction(() => document.querySelector('.counts')?.textContent?.includes('SpeedIndex'));
  assert.match(page.url(), /metric=speedIndex/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.counts')?.textContent?.includes('onLoad'));
  await page.select('.change-table select', 'clear');
  await page.waitForFunction(() => document.querySelectorAll('.change-table tbody [data-outcome]').length === 1);
  assert.match(page.url(), /only=clear/);
});

test('campaigns are chosen with those of the same sites first, and swapped', async () => {
  await using page = await openPage(browser, address(`a=${earlier?.id}`));
  await page.waitForSelector('.empty');
  const pickers = await page.$$('.campaign-picker select');
  await page.waitForFunction(() => document.querySelectorAll('.campaign-picker')[1]?.querySelectorAll('optgroup').length === 2);
  const offered = await pickers[1]?.$$eval('optgroup', (groups) =>
    groups.map((group) => [group.label, ...[...group.querySelectorAll('option')].map(({ value }) => value)]),
  );
  assert.deepEqual(offered, [
    ['The same sites', later?.id],
    ['Other sites', wider?.id, wide?.id, elsewhere?.id],
  ]);
  await pickers[1]?.select(later?.id ?? '');
  await page.waitForSelector('.counts');
  await page.click('.swap');
  await page.waitForFunction((id) => new URLSearchParams(location.hash.split('?')[1]).get('a') === id, {}, later?.id);
  await page.waitForFunction(() => document.querySelector('.change-table [data-outcome=higher]') !== null);
});

test('of many places the first are shown, more on demand, and what is said of all does not change by it', async () => {
  await using page = await openPage(browser, address(`a=${wide?.id}&b=${wider?.id}`));
  const places = () => page.$$eval('.change-table tbody .cell-name', (elements) => elements.length);
  const shows = (count: number) =>
    page.waitForFunction((wanted) => document.querySelectorAll('.change-table tbody .cell-name').length === wanted, {}, count);
  await page.waitForSelector('.counts');
  assert.equal(await places(), 20);
  const counts = '44 comparisons of onLoad: 44 unclear.';
  assert.deepEqual(await texts(page, '.counts'), [counts]);
  assert.match((await texts(page, '.too-few'))[0] ?? '', /among 44 comparisons/);
  assert.match((await texts(page, '.more button'))[0] ?? '', /40 of 44 are shown/);
  await page.click('.more button');
  await shows(22);
  assert.deepEqual([await texts(page, '.counts'), await texts(page, '.more')], [[counts], []]);
  await page.select('.places select', 'delay-22');
  await shows(1);
  assert.deepEqual(await texts(page, '.counts'), ['2 comparisons of onLoad: 2 unclear.']);
  // What the two did not both measure is no reason to show nothing.
  await page.goto(address(`a=${wide?.id}&b=${wider?.id}&condition=gone`));
  await shows(20);
  await page.select('.change-table select', 'clear');
  await page.waitForFunction(() => document.querySelector('.change-table .empty')?.textContent?.includes('No difference is clear'));
  assert.deepEqual(await texts(page, '.counts'), [counts]);
});

test('until the answer to another choice is there, what is shown is marked as the one before, and counts are of one answer', async () => {
  await using page = await openPage(browser, address(`a=${wide?.id}&b=${wider?.id}`));
  await page.waitForSelector('.more button');
  let answer = () => {};
  const isAsked = Promise.withResolvers<void>();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    answer = () => void request.continue();
    isAsked.resolve();
  });
  await page.select('.change-table select', 'clear');
  await isAsked.promise;
  await page.waitForSelector('[aria-busy=true].is-old .change-table');
  assert.deepEqual(await texts(page, '.more button[disabled]'), ['Reading…']);
  assert.equal(await page.$$eval('.change-table tbody .cell-name', (elements) => elements.length), 20);
  answer();
  await page.waitForSelector('[aria-busy=false]:not(.is-old) .change-table .empty');
});

test('who asks for clear differences alone reads how many were left out, and why, instead of an empty list', async () => {
  await using page = await openPage(browser, address(`a=${wide?.id}&b=${wider?.id}&only=clear`));
  await page.waitForSelector('.change-table .empty');
  await page.waitForFunction(() => document.querySelector('main')?.textContent?.includes('None of 22 is shown here: show all above'));
  assert.deepEqual(await texts(page, 'details.on-paper'), []);
});

test('campaigns that share nothing, or are one, say what to do', async () => {
  await using page = await openPage(browser, address(`a=${elsewhere?.id}&b=${later?.id}`));
  await page.waitForFunction(() =>
    document.querySelector('main')?.textContent?.includes('they share no site, condition, view and protocol'),
  );
  await page.goto(address(`a=${later?.id}&b=${later?.id}`));
  await page.waitForFunction(() => document.querySelector('.empty')?.textContent?.includes('choose another one'));
});

test('before two are chosen, the page says which', async () => {
  await using page = await openPage(browser, `${service.url}/#/compare`);
  await page.waitForFunction(() => document.querySelector('.empty')?.textContent?.includes('Choose two campaigns'));
});

test('a campaign leads to its comparison with the one before it that asked the same', async () => {
  const sites = [{ url: 'https://93.184.216.34/', name: 'shop' }];
  const again = await service.makeCampaign({ name: 'again', sites, protocols: ['h2', 'h3'], rounds: 1, conditions: ['4g', 'native'] });
  await using page = await openPage(browser, `${service.url}/#/campaigns/${again.id}`);
  await page.locator('a::-p-text(Compare with last)').click();
  await page.waitForFunction((wanted) => location.hash === wanted, {}, `#/compare?a=${later?.id}&b=${again.id}`);
});

test('on a phone each row has its difference, and what is told of it, in sight', async () => {
  await using page = await openPage(browser, address(both()));
  await page.setViewport({ width: 390, height: 800 });
  await page.waitForSelector('.change-table summary');
  const ends = await page.$$eval('.change-table :is(td, summary)', (all) => all.map((element) => element.getBoundingClientRect().right));
  assert.ok(Math.max(...ends) <= 390, String(Math.max(...ends)));
});
