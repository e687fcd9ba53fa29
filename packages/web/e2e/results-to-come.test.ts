// A result while it comes into being, and while its service is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { texts } from './pages.ts';
import { startService } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser, open } = await setStage();

/** All of a campaign's page is there: its last part is. */
const shown = (page: Page) => page.waitForSelector('.results .visits tbody tr');

test('a running campaign names no winner, and is followed until it is done', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://running.example/' }], protocols: ['h2', 'h3'], rounds: 3 });
  await service.perform(campaign, 1);
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await shown(page);
  assert.match((await texts(page, '.so-far'))[0] ?? '', /^So far: 1 of 3 rounds done\. No winner is named/);
  assert.deepEqual(await texts(page, '.answer .word'), ['unfinished']);
  await page.$eval('.all-metrics', (details) => {
    (details as HTMLDetailsElement).open = true;
  });
  await page.focus('.all-metrics summary');

  await service.perform(campaign, 2);
  await page.waitForFunction(() => document.querySelectorAll('.visits tbody tr').length === 6);
  await page.waitForFunction(() => document.querySelector('.so-far') === null);
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.summary data[data-statistic=n]')].every(({ textContent }) => textContent === '3'),
  );
  // What was open is open, what had the focus has it.
  assert.ok(await page.$('.all-metrics[open] table'));
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Medians of all metrics');
});

test('a campaign without visits says what is to come', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://waits.example/' }], rounds: 2 });
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await page.waitForSelector('.validity');
  await page.waitForFunction(() => document.querySelector('.results')?.textContent?.includes('No visit has come yet.'));
  const words = (await texts(page, '.results')).join();
  assert.match(words, /So far: 0 of 2 rounds done/);
  assert.doesNotMatch(words, /NaN|undefined|null/);
});

test('a service that went away is told, and what was read stays', async () => {
  const gone = await startService();
  const campaign = await gone.makeCampaign({ sites: [{ url: 'https://gone.example/' }], rounds: 2 });
  await gone.perform(campaign, 1);
  const page = await browser.newPage();
  await page.goto(`${gone.url}/#/campaigns/${campaign.id}?show=result`);
  await shown(page);
  await gone[Symbol.asyncDispose]();
  await page.waitForSelector('.trouble');
  assert.match((await texts(page, '.trouble'))[0] ?? '', /(?:does not answer|answered 503.*)\. What is shown may be old; trying again\./);
  assert.ok(await page.$('.visits tbody tr'));
  await page.close();
});
