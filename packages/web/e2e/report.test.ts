// The sheet to hand on, as Chrome prints it: one page of A4 and of US Letter, with nothing cut off, whatever the campaign.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { hostileName } from './exhibit.ts';
import { conditions, makeBroken, shaped } from './exhibit-campaigns.ts';
import { openPage } from './pages.ts';
import { has, press, says, saysAll } from './reader.ts';
import { commonStage } from './stage.ts';

const { service, browser } = await commonStage();

const site = (n: number) => ({ url: `https://93.184.${216 + Math.floor(n / 200)}.${1 + (n % 200)}/` });
const sites = (count: number) => Array.from({ length: count }, (_, n) => site(n));
const twoProtocols: ('h2' | 'h3')[] = ['h2', 'h3'];

/** @returns the number of pages of the PDF, by its page tree */
const pagesOf = (pdf: Uint8Array) =>
  Buffer.from(pdf)
    .toString('latin1')
    .match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

describe('the printed sheet', proves('dashboard-results', 'sharing'), () => {
  const things = new AsyncDisposableStack();
  let page: Page;
  before(async () => {
    page = things.use(await openPage(browser, `${service.url}/#/`));
    await page.waitForSelector('h1');
  });
  after(() => things.disposeAsync());
  const rows = '.answer-table tbody tr';

  /** Shows the sheet, and asserts that it prints as one page. */
  async function printed(id: string, look: () => Promise<void> = async () => {}): Promise<void> {
    await page.goto(`${service.url}/#/campaigns/${id}/report`);
    await page.waitForSelector('.sheet');
    await drawn(page);
    await look();
    for (const format of ['a4', 'letter'] as const) {
      const pdf = await page.pdf({ format, preferCSSPageSize: false });
      assert.equal(pagesOf(pdf), 1, `${format}: ${pagesOf(pdf)} pages`);
    }
  }

  test('one page and one network; the button prints', async () => {
    const campaign = await service.makeCampaign({ name: 'shop', sites: sites(1), rounds: 8, protocols: twoProtocols });
    await service.perform(campaign, Number.POSITIVE_INFINITY);
    await printed(campaign.id, async () => {
      await says(page, '.answer', /^HTTP\/3 is faster by \d+ ms \([\d.]+ %\)\.$/);
      await has(page, rows, 1);
      await saysAll(page, '.address', [`${service.url}/#/campaigns/${campaign.id}`]);
    });
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', 'yes');
    });
    await press(page, 'button ::-p-text(Print or save as PDF)');
    await page.waitForSelector('body[data-printed=yes]');
  });

  test('two pages and four networks, each a row', async () => {
    const campaign = await service.makeCampaign({ name: 'shop', sites: sites(2), conditions, rounds: 12, protocols: twoProtocols });
    await service.perform(campaign, Number.POSITIVE_INFINITY, shaped());
    await printed(campaign.id, async () => {
      await has(page, rows, 8);
      await says(page, '.answer', /HTTP\/3 is faster on .*; HTTP\/2 on /);
    });
  });

  test('sixty pages and four networks: a row for each network with a mark for each page', async () => {
    const campaign = await service.makeCampaign({ name: 'many', sites: sites(60), conditions, rounds: 2, protocols: twoProtocols });
    await service.perform(campaign, 40, shaped());
    await printed(campaign.id, async () => {
      await has(page, `${rows}:has(.site)`, 4);
      await has(page, rows, 4);
      await says(page, '.sheet dl', /60 pages.*and 56 more/);
      await says(page, '.answer', /^Not finished: 40 of 480 rounds so far\./);
    });
  });

  test('as many rows as a sheet has, over more networks than that', async () => {
    const many = ['native', 'latency-50', 'latency-100', 'latency-200', '4g', '3g', 'loss-1', 'loss-2'];
    const campaign = await service.makeCampaign({ name: 'rows', sites: sites(2), conditions: many, rounds: 1, protocols: twoProtocols });
    await printed(campaign.id, () => has(page, rows, 16));
  });

  test('a page that failed, and a campaign that has not begun', async () => {
    const failed = await makeBroken(service);
    await printed(failed.id);
    const waiting = await service.makeCampaign({ name: 'waits', sites: sites(1), rounds: 10, protocols: twoProtocols });
    await printed(waiting.id, () => says(page, '.answer', /^Not started yet\. /));
  });

  test('names that are markup, right to left or without end', async () => {
    const named = Array.from({ length: 8 }, (_, n) => ({ url: `${site(n).url}${'long-path/'.repeat(100)}`, name: `${n} ${hostileName}` }));
    const campaign = await service.makeCampaign({
      ...{ name: hostileName, sites: named, location: `${hostileName.slice(0, 100)}`, conditions: ['native', '4g'] },
      ...{ rounds: 1, protocols: twoProtocols },
    });
    await printed(campaign.id, async () => {
      await says(page, 'h1', /^<img src=x/);
      assert.equal(await page.$('.sheet img'), null);
    });
  });
});
