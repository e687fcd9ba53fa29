// The sheet to hand on, as Chrome prints it: one page of A4 and of US Letter, with nothing cut off, whatever the campaign.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { hostileName } from './exhibit.ts';
import { conditions, makeBroken, shaped } from './exhibit-campaigns.ts';
import { launchBrowser, openPage, texts } from './pages.ts';
import { type Service, startService } from './service.ts';

let service: Service;
let browser: Browser;
before(async () => {
  service = await startService();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

const site = (n: number) => ({ url: `https://93.184.${216 + Math.floor(n / 200)}.${1 + (n % 200)}/` });
const sites = (count: number) => Array.from({ length: count }, (_, n) => site(n));

/** @returns the number of pages of the PDF, by its page tree */
const pagesOf = (pdf: Uint8Array) =>
  Buffer.from(pdf)
    .toString('latin1')
    .match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

/** Opens the sheet, asserts that it prints as one page, and hands it on. */
async function printed(id: string, look: (page: Page) => Promise<void> = async () => {}): Promise<void> {
  await using page = await openPage(browser, `${service.url}/#/campaigns/${id}/report`);
  await drawn(page);
  await look(page);
  for (const format of ['a4', 'letter'] as const) {
    const pdf = await page.pdf({ format, preferCSSPageSize: false });
    assert.equal(pagesOf(pdf), 1, `${format}: ${pagesOf(pdf)} pages`);
  }
}

const answerOf = async (page: Page) => (await texts(page, '.answer')).join();

test('one page and one network', async () => {
  const campaign = await service.makeCampaign({ name: 'shop', sites: sites(1), rounds: 10, protocols: ['h2', 'h3'] });
  await service.perform(campaign, Number.POSITIVE_INFINITY);
  await printed(campaign.id, async (page) => {
    assert.match(await answerOf(page), /^HTTP\/3 is faster by \d+ ms \([\d.]+ %\)\.$/);
    assert.equal((await page.$$('.answer-table tbody tr')).length, 1);
    assert.deepEqual(await texts(page, '.address'), [`${service.url}/#/campaigns/${campaign.id}`]);
  });
});

test('two pages and four networks, each a row', async () => {
  const campaign = await service.makeCampaign({ name: 'shop', sites: sites(2), conditions, rounds: 12, protocols: ['h1', 'h2', 'h3'] });
  await service.perform(campaign, Number.POSITIVE_INFINITY, shaped());
  await printed(campaign.id, async (page) => {
    assert.equal((await page.$$('.answer-table tbody tr')).length, 8);
    assert.match(await answerOf(page), /HTTP\/3 is faster on .*; HTTP\/2 on /);
  });
});

test('sixty pages and four networks: a row for each network with a mark for each page', async () => {
  const campaign = await service.makeCampaign({ name: 'many', sites: sites(60), conditions, rounds: 2, protocols: ['h2', 'h3'] });
  await service.perform(campaign, 40, shaped());
  await printed(campaign.id, async (page) => {
    assert.equal((await page.$$('.answer-table tbody tr')).length, 4);
    assert.deepEqual(await page.$$eval('.answer-table tbody tr', (rows) => rows.map((row) => row.querySelectorAll('.site').length > 0)), [
      true,
      true,
      true,
      true,
    ]);
    assert.match((await texts(page, '.sheet dl')).join(), /60 pages.*and 56 more/s);
    assert.match(await answerOf(page), /^Not finished: 40 of 480 rounds so far\./);
  });
});

test('as many rows as a sheet has, over more networks than that', async () => {
  const many = ['native', 'latency-50', 'latency-100', 'latency-200', '4g', '3g', 'loss-1', 'loss-2'].map((name) => name);
  const campaign = await service.makeCampaign({ name: 'rows', sites: sites(2), conditions: many, rounds: 1, protocols: ['h2', 'h3'] });
  await printed(campaign.id, async (page) => {
    assert.equal((await page.$$('.answer-table tbody tr')).length, 16);
  });
});

test('a page that failed, and a campaign that has not begun', async () => {
  const failed = await makeBroken(service);
  await printed(failed.id);
  const waiting = await service.makeCampaign({ name: 'waits', sites: sites(1), rounds: 10, protocols: ['h2', 'h3'] });
  await printed(waiting.id, async (page) => {
    assert.match(await answerOf(page), /^Not started yet\. /);
  });
});

test('names that are markup, right to left or without end', async () => {
  const named = Array.from({ length: 8 }, (_, n) => ({ url: `${site(n).url}${'long-path/'.repeat(100)}`, name: `${n} ${hostileName}` }));
  const campaign = await service.makeCampaign({
    ...{ name: hostileName, sites: named, location: `${hostileName.slice(0, 100)}`, conditions: ['native', '4g'] },
    ...{ rounds: 1, protocols: ['h2', 'h3'] },
  });
  await printed(campaign.id, async (page) => {
    assert.equal(await page.$('.sheet img'), null);
    assert.ok((await texts(page, 'h1'))[0]?.startsWith('<img src=x'));
  });
});

test('the button prints, and the sheet is reached from the result', async () => {
  const campaign = await service.makeCampaign({ name: 'shop', sites: sites(1), rounds: 2, protocols: ['h2', 'h3'] });
  await using page = await openPage(browser, `${service.url}/#/campaigns/${campaign.id}/report`);
  await drawn(page);
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute('data-printed', 'yes');
  });
  await page.locator('button ::-p-text(Print or save as PDF)').click();
  assert.equal(await page.$eval('body', (body) => body.getAttribute('data-printed')), 'yes');
});
