// A campaign's page while it runs, in a real Chrome on the real api: rounds are performed while somebody looks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, CampaignRequest } from '@pronghorn/core/schemas';
import type { Page } from 'puppeteer-core';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { lostConnection, openPage, texts } from './pages.ts';
import { startService } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage({ kind: 'open' }, { isKept: true });

const make = (more: Partial<CampaignRequest> = {}) =>
  service.makeCampaign({
    name: 'watched',
    sites: [{ url: 'https://93.184.216.34/' }],
    protocols: ['h2', 'h3'],
    conditions: ['native', '4g'],
    rounds: 3,
    ...more,
  });
const open = ({ id }: Campaign, complaints: string[] = [], part = '/visits') =>
  openPage(browser, `${service.url}/#/campaigns/${id}${part}`, complaints);
const progressIs = (page: Page, words: string) =>
  page.waitForFunction((wanted) => document.querySelector('.live-line .progress .words')?.textContent === wanted, {}, words);
/** Dots in the chart, valid and invalid, by its own table. */
const dotsAre = (page: Page, valid: number, invalidOnes: number) =>
  page.waitForFunction(
    (wanted) => {
      const sums = [3, 4].map((column) =>
        [...document.querySelectorAll(`.chart-frame tbody td:nth-child(${column + 1})`)].reduce(
          (sum, cell) => sum + Number(cell.textContent),
          0,
        ),
      );
      return sums.join() === wanted;
    },
    {},
    `${valid},${invalidOnes}`,
  );
const showTable = (page: Page) => page.locator('.chart-tools button[aria-pressed]::-p-text(Table)').click();
const sometimesBusy: Outcomes = (protocol, round, random) => [
  ...(round === 1 && protocol === 'h3' ? [invalid('busy-machine', 'other work took <b>41 %</b> of the CPU')] : []),
  { verdict: 'valid', metrics: madeMetrics(protocol, random) },
];

test('visits, what is invalid, progress and log lines appear while they come, and the answer takes their place', async () => {
  const campaign = await make();
  await using page = await open(campaign);
  await progressIs(page, '0 of 6 rounds');
  await page.waitForFunction(
    () => document.querySelector('.chart-frame .empty')?.textContent?.trim() === 'No visit yet. Each one will be a dot here.',
  );
  await page.waitForFunction(() => document.querySelector('.queue-place')?.textContent?.includes('No runner'));
  await page.waitForFunction(() => document.querySelector('.stream')?.textContent === 'live');

  await service.perform(campaign, 1, sometimesBusy);
  await progressIs(page, '1 of 6 rounds');
  await page.waitForFunction(() => document.querySelectorAll('.log li[data-event="round-leased"]').length === 1);
  await showTable(page);
  await service.perform(campaign, 2, sometimesBusy);
  await dotsAre(page, 6, 2);
  assert.match(
    (await texts(page, '.invalid-visits li'))[0] ?? '',
    /^not measured 2 visits: other work or a CPU limit took too much of the machine’s CPU busy-machine/,
  );
  assert.equal((await texts(page, '.invalid-visits a'))[0], 'other work took <b>41 %</b> of the CPU');
  assert.match(await page.title(), /^3 of 6 rounds · watched/);

  await service.perform(campaign, 3, sometimesBusy);
  await page.waitForFunction(() => document.querySelector('.live-line') === null);
  assert.deepEqual(await texts(page, '.campaign-head .state'), ['done']);
  await page.waitForFunction(() => /took/.test(document.querySelector('.facts-line')?.textContent ?? ''));
});

test('the answer says what keeps numbers from coming, and turns into a verdict without being loaded again', async () => {
  const campaign = await make({ conditions: ['native'], rounds: 6 });
  await using page = await open(campaign, [], '');
  await progressIs(page, '0 of 6 rounds');
  assert.equal((await texts(page, '.answer .headline'))[0], 'No verdict before all rounds are done.');
  await page.waitForFunction(() => document.querySelector('.stream')?.textContent === 'live');
  await service.perform(campaign, 1, sometimesBusy);
  await page.waitForFunction(
    () => document.querySelector('.live-line .discarded')?.textContent === '1 invalid: other work took <b>41 %</b> of the CPU',
  );
  await service.perform(campaign, 5, sometimesBusy);
  await page.waitForFunction(() => /^HTTP\/3 is faster by/.test(document.querySelector('.answer .headline')?.textContent ?? ''));
  assert.equal(await page.$('.live-line'), null);
});

test('the page goes on where it was when the api is restarted, and nothing is lost or told twice', async () => {
  const campaign = await make({ rounds: 10 });
  const complaints: string[] = [];
  {
    await using page = await open(campaign, complaints);
    await page.waitForFunction(() => document.querySelector('.stream')?.textContent === 'live');
    await showTable(page);
    await service.perform(campaign, 5);
    await dotsAre(page, 10, 0);
    await service.restart(() => page.waitForFunction(() => document.querySelector('.trouble')?.textContent?.includes('does not answer')));
    await service.perform(campaign, 5);
    await dotsAre(page, 20, 0);
    await progressIs(page, '10 of 20 rounds');
    await page.waitForFunction(() => document.querySelector('.trouble:not(.queue-place)') === null);
    assert.equal(await page.$$eval('.log li[data-event="round-leased"]', (lines) => lines.length), 10);
    await service.perform(campaign, 10);
    await page.waitForFunction(() => document.querySelector('.live-line') === null);
    complaints.splice(0, complaints.length, ...complaints.filter((words) => !lostConnection.test(words)));
  }
});

test('who comes later sees what was before, by metric and site, and the address holds the choice', async () => {
  const campaign = await make({ sites: [{ url: 'https://93.184.216.34/' }, { url: 'https://93.184.216.35/' }] });
  await service.perform(campaign, 7);
  const visits: { items: { siteId: string }[] } = await service.get(`campaigns/${campaign.id}/visits?limit=1000`);
  const second = campaign.sites[1]?.id ?? '';
  await using page = await open(campaign);
  await showTable(page);
  await dotsAre(page, 14, 0);
  await page.select('[data-choice=site]', second);
  await dotsAre(page, visits.items.filter(({ siteId }) => siteId === second).length, 0);
  await page.click('.choice [data-metric=speedIndex]');
  await page.waitForFunction(() => document.querySelector('.chart-frame h3')?.textContent === 'SpeedIndex of each visit');
  assert.match(page.url(), new RegExp(`#/campaigns/${campaign.id}/visits\\?site=${second}&metric=speedIndex$`));
  await page.reload();
  await page.waitForFunction(() => document.querySelector('.chart-frame h3')?.textContent === 'SpeedIndex of each visit');
  assert.equal(await page.$eval('[data-choice=site]', (select) => (select as HTMLSelectElement).value), second);
});

test('a campaign is cancelled, resumed, cloned and deleted from its page', async () => {
  const campaign = await make({ name: 'to be changed' });
  await service.perform(campaign, 1);
  const complaints: string[] = [];
  await using page = await open(campaign, complaints);
  await progressIs(page, '1 of 6 rounds');
  const shared = await page.$$eval('.campaign-actions .share :is(a, button)', (entries) =>
    entries.map(({ textContent }) => textContent?.trim()),
  );
  assert.deepEqual(shared, ['Copy link to this view', 'Printed page', 'Badge, card'], 'a service without tokens makes no public link');
  const press = (words: string) => page.locator(`.campaign-actions ::-p-text(${words})`).click();
  const pressMore = async (words: string) => {
    await page.locator('.campaign-actions .more summary').click();
    await press(words);
  };
  await pressMore('Cancel');
  await page.waitForSelector('dialog[open]');
  assert.match((await texts(page, 'dialog[open]'))[0] ?? '', /The 5 rounds that are left/);
  await page.locator('dialog[open] button[type="submit"]').click();
  await page.waitForSelector('.campaign-head .state-cancelled');
  await press('Resume');
  await page.waitForSelector('.campaign-head .state-running');
  assert.equal(await page.$eval('.campaign-actions .more a', (link) => link.getAttribute('href')), `#/new?from=${campaign.id}`);
  await service.send('POST', `campaigns/${campaign.id}/cancel`);
  await page.waitForSelector('.campaign-head .state-cancelled');
  await pressMore('Delete');
  await page.locator('dialog[open] button[type="submit"]').click();
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Campaigns');
  await assert.rejects(() => service.get(`campaigns/${campaign.id}`), { status: 404 });
  // The page may have looked once more before it was told.
  complaints.splice(0, complaints.length, ...complaints.filter((words) => !/status of 404/.test(words)));
});

test('the log follows its end unless the reader scrolled up, and shows warnings alone', async () => {
  const campaign = await make({ rounds: 30, conditions: ['native'] });
  await service.perform(campaign, 20);
  await using page = await open(campaign);
  await page.waitForFunction(() => document.querySelectorAll('.log li').length === 21);
  const atEnd = () =>
    page.$eval(
      '.log .lines',
      (box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight) <= 1 && box.scrollHeight > box.clientHeight,
    );
  assert.equal(await atEnd(), true);
  await service.perform(campaign, 1);
  await page.waitForFunction(() => document.querySelectorAll('.log li').length === 22);
  assert.equal(await atEnd(), true);
  await page.$eval('.log .lines', (box) => box.scrollTo({ top: 0 }));
  await page.waitForSelector('.log .head button');
  await service.loseRound(campaign);
  await page.waitForFunction(() => document.querySelectorAll('.log li').length === 24);
  assert.equal(await page.$eval('.log .lines', (box) => box.scrollTop), 0);
  await page.click('.log .head button');
  assert.equal(await atEnd(), true);
  await page.click('.log .only input');
  await page.waitForFunction(() => [...document.querySelectorAll('.log li')].every((line) => line.classList.contains('warn')));
  assert.match(page.url(), /\?log=warn$/);
});

test('who may only read sees no action that changes anything', async () => {
  await using guarded = await startService({ kind: 'tokens' });
  const campaign = await guarded.makeCampaign({ name: 'looked at', sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
  const { token } = await guarded.makeToken('Ada', 'viewer');
  const context = await browser.createBrowserContext();
  await using page = await openPage(context, `${guarded.url}/#token=${token}`);
  await page.waitForSelector('table.sites');
  await page.goto(`${guarded.url}/#/campaigns`);
  await page.waitForSelector('.campaigns');
  await page.click('.campaigns a.name');
  await page.waitForSelector('.campaign-actions');
  assert.deepEqual(await page.$$eval('.campaign-actions > *', (all) => all.map((each) => each.tagName)), ['DETAILS', 'DETAILS', 'DETAILS']);
  assert.deepEqual(await texts(page, '.campaign-actions .more li'), ['Compare with another']);
  assert.equal(campaign.state, 'queued');
});
