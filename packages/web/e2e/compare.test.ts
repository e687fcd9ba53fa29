// Two campaigns compared, in a real Chrome: the numbers are the API's.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Campaign, CampaignComparisonPage } from '@pronghorn/core/schemas';
import { changeAnswer } from '@pronghorn/core/text';
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

test('the answer comes first, then setup in one line, then a plot of the API’s numbers, in its words', async () => {
  const comparison: CampaignComparisonPage = await service.get(`campaigns/${later?.id}/compare/${earlier?.id}`);
  await using page = await openPage(browser, address(both()));
  await page.waitForSelector('.answer');
  assert.deepEqual(await texts(page, '.answer'), [changeAnswer(comparison)]);
  assert.match(changeAnswer(comparison), /^B’s onLoad is \d+ % faster over HTTP\/3, by \d+ ms; no clear difference over HTTP\/2\.$/);
  assert.match((await texts(page, '.differences summary'))[0] ?? '', /Different browser.*: this alone may explain the numbers/);
  const isFolded = await page.$eval('.differences', (details) => !(details as HTMLDetailsElement).open);
  assert.ok(isFolded);
  assert.deepEqual(
    await page.$$eval('[data-difference]', (elements) => elements.map((one) => one.getAttribute('data-difference'))),
    comparison.differences.map(({ what }) => what),
  );
  assert.match((await texts(page, '[data-difference=browser]'))[0] ?? '', /A chrome.*B headless-shell.*less time than full Chrome/s);
  const changes = comparison.cells.flatMap(({ protocols }) => protocols);
  assert.deepEqual(
    changes.map(({ protocol, outcome }) => [protocol, outcome]),
    [
      ['h2', 'undecided'],
      ['h3', 'lower'],
    ],
  );
  assert.deepEqual(await texts(page, '.change-plot tbody .change'), ['? unclear', '↓ faster']);
  assert.deepEqual(
    await texts(page, '.change-plot details p'),
    changes.map(({ words }) => words),
  );
  assert.deepEqual(
    await texts(page, '.change-plot td.median'),
    changes.flatMap(({ baseline, campaign }) => [baseline, campaign].map((side) => `${Math.round(side?.median ?? 0)} ms`)),
  );
  const difference = changes[1]?.difference?.value ?? 0;
  assert.match((await texts(page, '.difference.clear'))[0] ?? '', new RegExp(`^−${Math.round(-difference)} ms \\(−\\d+ %\\)$`));
  assert.match(
    (await texts(page, '.leads tbody tr'))[0] ?? '',
    /median [\d.]+ % lower(, unclear)?HTTP\/3’s median \d+ % lower.*HTTP\/3 gained/s,
  );
  // Who is faster in one campaign is its own result’s to say.
  assert.doesNotMatch((await texts(page, '.leads tbody tr'))[0] ?? '', /faster|winner/);
  assert.deepEqual(
    await page.$$eval('.leads > p a', (links) => links.map((link) => link.getAttribute('href'))),
    [earlier, later].map((campaign) => `#/campaigns/${campaign?.id}`),
  );
});

test('marks stand where the medians are on one axis, A hollow and B full', async () => {
  const comparison: CampaignComparisonPage = await service.get(`campaigns/${later?.id}/compare/${earlier?.id}`);
  await using page = await openPage(browser, address(both()));
  await page.waitForSelector('.change-plot svg .full');
  const places = (kind: string) =>
    page.$$eval(`td.track .${kind}`, (marks) =>
      marks.map((mark) => {
        const { left, width } = mark.getBoundingClientRect();
        return left + width / 2;
      }),
    );
  const [a, b] = [await places('hollow'), await places('full')];
  const changes = comparison.cells.flatMap(({ protocols }) => protocols);
  const medians = [...changes.map(({ baseline }) => baseline?.median ?? 0), ...changes.map(({ campaign }) => campaign?.median ?? 0)];
  const xs = [...a, ...b];
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const [start, end] = [xs[medians.indexOf(low)] ?? 0, xs[medians.indexOf(high)] ?? 0];
  assert.ok(end - start > 50, `${start} to ${end}`);
  for (const [at, median] of medians.entries()) {
    const wanted = start + ((median - low) / (high - low)) * (end - start);
    assert.ok(Math.abs((xs[at] ?? 0) - wanted) < 1.5, `${median} at ${xs[at]}, not ${wanted}`);
  }
});

test('metric and what is shown are in the address, and the back button undoes them', async () => {
  await using page = await openPage(browser, address(both()));
  await page.waitForSelector('.answer');
  await page.select('.metric-choice select', 'speedIndex');
  await page.waitForFunction(() => document.querySelector('.answer')?.textContent?.includes('SpeedIndex'));
  assert.match(page.url(), /metric=speedIndex/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.answer')?.textContent?.includes('onLoad'));
  await page.select('.change-plot select', 'clear');
  await page.waitForFunction(() => document.querySelectorAll('.change-plot tbody [data-outcome]').length === 1);
  assert.match(page.url(), /only=clear/);
});

test('opened from a campaign, it is B, and A is the last one before it; back leads to where one came from', async () => {
  await using page = await openPage(browser, `${service.url}/#/gates`);
  await page.waitForSelector('h1');
  await page.evaluate((hash) => location.assign(hash), `#/compare?b=${later?.id}`);
  await page.waitForFunction((wanted) => location.hash === wanted, {}, `#/compare?b=${later?.id}&a=${earlier?.id}`);
  await page.waitForSelector('.answer');
  await page.goBack();
  await page.waitForFunction(() => location.hash === '#/gates');
  await page.goto(address(`b=${earlier?.id}`));
  await page.waitForFunction(() => document.querySelector('.begin')?.textContent?.includes('No earlier campaign measured these pages'));
});

test('opened without a campaign, it offers the newest pairs', async () => {
  await using page = await openPage(browser, `${service.url}/#/compare`);
  await page.waitForSelector('.pairs a');
  assert.deepEqual(await page.$$eval('.pairs a', (links) => links.map((link) => link.getAttribute('href'))), [
    `#/compare?a=${wide?.id}&b=${wider?.id}`,
    `#/compare?a=${earlier?.id}&b=${later?.id}`,
  ]);
  assert.match((await texts(page, '.pairs li'))[1] ?? '', new RegExp(`after.*#${earlier?.id}, .*→ #${later?.id}, .*different setup`));
  await page.click('.pairs a');
  await page.waitForSelector('.answer');
});

test('campaigns are chosen with those of the same pages first, by search or number, and swapped', async () => {
  await using page = await openPage(browser, address(`a=${earlier?.id}`));
  await page.waitForFunction(() => document.querySelector('.begin')?.textContent?.includes('Choose B'));
  await page.click('.campaign-picker:nth-of-type(2) summary');
  await page.waitForFunction(() => document.querySelectorAll('.panel ul').length === 2);
  const offered = () =>
    page.$$eval('.panel ul', (lists) =>
      lists.map((list) => [list.getAttribute('aria-label'), ...[...list.querySelectorAll('b')].map((name) => name.textContent)]),
    );
  assert.deepEqual(await offered(), [
    ['Same pages', 'after'],
    ['Other campaigns', 'many conditions again', 'many conditions', 'another site'],
  ]);
  assert.match((await texts(page, '.option small'))[0] ?? '', new RegExp(`^#${later?.id} · \\d+ \\w+ \\d{4}, \\d\\d:\\d\\d:\\d\\d$`));
  await page.type('.panel input', 'no such thing');
  await page.waitForFunction(() => document.querySelector('.panel')?.textContent?.includes('No such campaign'));
  await page.$eval('.panel input', (input) => (input as HTMLInputElement).select());
  await page.type('.panel input', `#${later?.id}`);
  await page.waitForFunction(() => document.querySelector('.panel ul')?.getAttribute('aria-label') === 'This number');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.answer');
  await page.click('.swap');
  await page.waitForFunction((id) => new URLSearchParams(location.hash.split('?')[1]).get('a') === id, {}, later?.id);
  await page.waitForFunction(() => document.querySelector('.change-plot [data-outcome=higher]') !== null);
});

test('of many places the first are shown, more on demand, and the answer is of all', async () => {
  await using page = await openPage(browser, address(`a=${wide?.id}&b=${wider?.id}`));
  const places = () => page.$$eval('.change-plot tbody .cell-name', (elements) => elements.length);
  const shows = (count: number) =>
    page.waitForFunction((wanted) => document.querySelectorAll('.change-plot tbody .cell-name').length === wanted, {}, count);
  await page.waitForSelector('.answer');
  assert.equal(await places(), 20);
  assert.deepEqual(await texts(page, '.answer'), ['No clear difference in onLoad.']);
  assert.match((await texts(page, '.too-few'))[0] ?? '', /among 44 comparisons/);
  assert.match((await texts(page, '.more button'))[0] ?? '', /40 of 44 shown/);
  await page.click('.more button');
  await shows(22);
  assert.deepEqual(await texts(page, '.more'), []);
  await page.select('.choices label:last-child select', 'delay-22');
  await shows(1);
  // What the two did not both measure is no reason to show nothing.
  await page.goto(address(`a=${wide?.id}&b=${wider?.id}&condition=gone`));
  await shows(20);
  await page.select('.change-plot select', 'clear');
  await page.waitForFunction(() => document.querySelector('.change-plot .empty')?.textContent?.includes('No difference is clear'));
});

test('until the answer to another choice is there, what is shown is marked as the one before', async () => {
  await using page = await openPage(browser, address(`a=${wide?.id}&b=${wider?.id}`));
  await page.waitForSelector('.more button');
  let answer = () => {};
  const isAsked = Promise.withResolvers<void>();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    answer = () => void request.continue();
    isAsked.resolve();
  });
  await page.select('.change-plot select', 'clear');
  await isAsked.promise;
  await page.waitForSelector('[aria-busy=true].is-old .change-plot');
  assert.deepEqual(await texts(page, '.more button[disabled]'), ['Reading…']);
  assert.equal(await page.$$eval('.change-plot tbody .cell-name', (elements) => elements.length), 20);
  answer();
  await page.waitForSelector('[aria-busy=false]:not(.is-old) .change-plot .empty');
});

test('campaigns that share nothing, or are one, say what to do', async () => {
  await using page = await openPage(browser, address(`a=${elsewhere?.id}&b=${later?.id}`));
  await page.waitForFunction(() =>
    document.querySelector('main')?.textContent?.includes('they share no site, condition, view and protocol'),
  );
  assert.deepEqual(await texts(page, '.answer'), ['Nothing was measured in both campaigns.']);
  await page.goto(address(`a=${later?.id}&b=${later?.id}`));
  await page.waitForFunction(() => document.querySelector('.begin')?.textContent?.includes('choose another one'));
});

test('a campaign leads to its comparison with the one before it that asked the same', async () => {
  const sites = [{ url: 'https://93.184.216.34/', name: 'shop' }];
  const again = await service.makeCampaign({ name: 'again', sites, protocols: ['h2', 'h3'], rounds: 1, conditions: ['4g', 'native'] });
  await using page = await openPage(browser, `${service.url}/#/campaigns/${again.id}`);
  await page.locator('a::-p-text(Compare with last)').click();
  await page.waitForFunction(
    (wanted) => Object.entries(wanted).every(([name, id]) => new URLSearchParams(location.hash.split('?')[1]).get(name) === id),
    {},
    { a: earlier?.id, b: again.id },
  );
});

test('on a phone each row has its difference in sight', async () => {
  await using page = await openPage(browser, address(both()));
  await page.setViewport({ width: 390, height: 800 });
  await page.waitForSelector('.change-plot summary');
  const ends = await page.$$eval('.change-plot :is(td, summary)', (all) => all.map((element) => element.getBoundingClientRect().right));
  assert.ok(Math.max(...ends) <= 390, String(Math.max(...ends)));
});
