// A result while it comes into being, and while its service is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { texts } from './pages.ts';
import { startService } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser, open } = await setStage();

test('a running campaign names no winner, and is followed until it is done', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://running.example/' }], protocols: ['h2', 'h3'], rounds: 3 });
  await service.perform(campaign, 1);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.answer .word');
  assert.deepEqual(await texts(page, '.answer .headline'), ['No verdict before all rounds are done.']);
  assert.deepEqual(await texts(page, '.answer .word'), ['unfinished']);
  await using statistics = await open(`#/campaigns/${campaign.id}/statistics`);
  await statistics.waitForSelector('.all-metrics');
  await statistics.$eval('.all-metrics', (details) => {
    (details as HTMLDetailsElement).open = true;
  });
  await statistics.focus('.all-metrics summary');

  await service.perform(campaign, 2);
  await page.bringToFront();
  await page.waitForFunction(() => document.querySelector('.live-line') === null);
  await page.waitForFunction(() => document.querySelector('.answer .word')?.textContent !== 'unfinished');
  assert.doesNotMatch((await texts(page, '.answer .headline')).join(), /before all rounds/);
  await statistics.bringToFront();
  await statistics.waitForFunction(() => document.querySelector('.cell-part .word')?.textContent !== 'unfinished');
  // What was open is open, what had the focus has it.
  assert.ok(await statistics.$('.all-metrics[open] table'));
  assert.equal(await statistics.evaluate(() => document.activeElement?.textContent), 'Medians of all metrics');
});

test('a campaign without visits says what is to come', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://waits.example/' }], rounds: 2 });
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.answer-table');
  await page.waitForSelector('.live-line .queue-place');
  const words = (await texts(page, 'main')).join();
  assert.match(words, /0 of 2 rounds/);
  assert.match(words, /No runner/);
  assert.doesNotMatch(words, /NaN|undefined|null/);
  await page.goto(`${service.url}/#/campaigns/${campaign.id}/loads`);
  await page.waitForFunction(() => document.querySelector('.results .empty')?.textContent === 'No valid visit here yet.');
});

test('a service that went away is told, and what was read stays', async () => {
  const gone = await startService();
  const campaign = await gone.makeCampaign({ sites: [{ url: 'https://gone.example/' }], rounds: 2 });
  await gone.perform(campaign, 1);
  const page = await browser.newPage();
  await page.goto(`${gone.url}/#/campaigns/${campaign.id}/visits`);
  await page.waitForSelector('.results .visits tbody tr');
  await gone[Symbol.asyncDispose]();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.trouble')].some(({ textContent }) =>
      /(?:does not answer|answered 503.*)\. What is shown may be old; trying again\./.test(textContent ?? ''),
    ),
  );
  assert.ok(await page.$('.visits tbody tr'));
  await page.close();
});
