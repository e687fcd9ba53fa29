// A campaign's page while it runs, in a real Chrome on the real api: rounds are performed while somebody looks.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Campaign, CampaignRequest } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { middleOf, pointers, tap } from './fingers.ts';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { lostConnection, openPage, texts } from './pages.ts';
import { has, isAt, press, says, saysAll } from './reader.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage({ kind: 'open' }, { isKept: true });

const make = (more: Partial<CampaignRequest> = {}) =>
  service.makeCampaign({
    name: 'watched',
    sites: [{ url: 'https://93.184.216.34/' }],
    protocols: ['h2', 'h3'],
    rounds: 3,
    ...more,
  });
const open = ({ id }: Campaign, complaints: string[] = [], part = '/visits') =>
  openPage(browser, `${service.url}/#/campaigns/${id}${part}`, complaints);
const progressIs = (page: Page, words: string) => saysAll(page, '.live-line .progress .words', [words]);
const isLive = (page: Page) => saysAll(page, '.stream', ['live']);
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
const showTable = (page: Page) => press(page, '.chart-tools button[aria-pressed]::-p-text(Table)');
/** Where a key finds the first dot, in the window; the key's choice is taken back. */
async function placeOfDot(page: Page): Promise<[number, number]> {
  const dots = await page.waitForSelector('.dot-picker');
  await dots?.scrollIntoView();
  // Until the first dots are drawn no key finds one.
  await page.waitForFunction(() => {
    document.querySelector('.dot-picker')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
    return document.querySelector('.dot-picker .ring') !== null;
  });
  const place = await middleOf(await page.$('.dot-picker .ring'));
  await dots?.focus();
  await page.keyboard.press('Escape');
  await has(page, '.dot-picker .ring', 0);
  return place;
}
const sometimesBusy: Outcomes = (protocol, round, random) => [
  ...(round === 1 && protocol === 'h3' ? [invalid('busy-machine', 'other work took <b>41 %</b> of the CPU')] : []),
  { verdict: 'valid', metrics: madeMetrics(protocol, random) },
];

describe('a campaign that runs', proves('dashboard-live'), () => {
  test('visits, what is invalid, progress and log lines appear while they come, and the result takes their place', async () => {
    const campaign = await make({ conditions: ['native', '4g'] });
    await using page = await open(campaign);
    await progressIs(page, '0 of 6 rounds');
    await says(page, '.chart-frame .empty', /^\s*No visit yet. Each one will be a dot here.\s*$/);
    await says(page, '.queue-place', 'No runner');
    await isLive(page);
    assert.doesNotMatch((await texts(page, 'main')).join(), /NaN|undefined|null/);

    await service.perform(campaign, 1, sometimesBusy);
    await progressIs(page, '1 of 6 rounds');
    await has(page, '.log li[data-event="round-leased"]', 1);
    await showTable(page);
    await service.perform(campaign, 2, sometimesBusy);
    await dotsAre(page, 6, 2);
    await says(
      page,
      '.invalid-visits li',
      /^not measured 2 visits: other work or a CPU limit took too much of the machine’s CPU busy-machine/,
    );
    await says(page, '.invalid-visits a', 'other work took <b>41 %</b> of the CPU');
    await progressIs(page, '3 of 6 rounds');
    assert.match(await page.title(), /^3 of 6 rounds · watched/);

    await says(page, '.facts-line', /\d loads/);
    const summary = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (/\/summary\b/.test(request.url())) await summary.promise;
      await request.continue();
    });
    await service.perform(campaign, 3, sometimesBusy);
    await has(page, '.live-line', 0);
    await saysAll(page, '.campaign-head .state', ['done']);
    await says(page, '.facts-line', 'took');
    assert.doesNotMatch((await texts(page, '.facts-line')).join(), /load/, 'those of before it was done are no number of what it took');
    summary.resolve();
    await says(page, '.facts-line', /12 loads, 2 discarded/);
  });

  test('the answer says what keeps numbers from coming, and turns into a verdict; what was opened and had the focus, keeps them', async () => {
    const campaign = await make({ rounds: 6 });
    await using page = await open(campaign, [], '');
    await progressIs(page, '0 of 6 rounds');
    await saysAll(page, '.answer .headline', ['No verdict before all rounds are done.']);
    await isLive(page);
    await service.perform(campaign, 1, sometimesBusy);
    await saysAll(page, '.live-line .discarded', ['1 invalid: other work took <b>41 %</b> of the CPU']);
    // The page asks for results the more rarely the longer they took.
    await page.reload();
    await saysAll(page, '.answer .word', ['unfinished']);
    await using statistics = await open(campaign, [], '/statistics');
    await statistics.waitForSelector('.all-metrics');
    await statistics.$eval('.all-metrics', (details) => {
      (details as HTMLDetailsElement).open = true;
    });
    await statistics.focus('.all-metrics summary');
    await isLive(statistics);

    await service.perform(campaign, 5, sometimesBusy);
    await page.bringToFront();
    await says(page, '.answer .headline', /^HTTP\/3 is faster by/);
    await has(page, '.live-line', 0);
    await statistics.bringToFront();
    await says(statistics, '.cell-part .word', /^(?!unfinished)/);
    await statistics.waitForSelector('.all-metrics[open] table');
    assert.equal(await statistics.evaluate(() => document.activeElement?.textContent), 'Medians of all metrics');
  });

  test('the page goes on where it was when the api is restarted, and nothing is lost or told twice', async () => {
    const campaign = await make({ rounds: 6 });
    const complaints: string[] = [];
    await using page = await open(campaign, complaints);
    await isLive(page);
    await showTable(page);
    await service.perform(campaign, 2);
    await dotsAre(page, 4, 0);
    await service.restart(() =>
      says(page, '.trouble:not(.queue-place)', /(?:does not answer|answered 503.*)\. What is shown may be old; trying again\./),
    );
    await service.perform(campaign, 2);
    await dotsAre(page, 8, 0);
    await progressIs(page, '4 of 6 rounds');
    await has(page, '.trouble:not(.queue-place)', 0);
    await has(page, '.log li[data-event="round-leased"]', 4);
    await service.perform(campaign, 2);
    await has(page, '.live-line', 0);
    complaints.splice(0, complaints.length, ...complaints.filter((words) => !lostConnection.test(words)));
  });

  test('who comes later sees what was before, by metric and site, and the address holds the choice; a dot is picked and opened', async () => {
    const campaign = await make({ sites: [{ url: 'https://93.184.216.34/' }, { url: 'https://93.184.216.35/' }] });
    await service.perform(campaign, 5);
    const visits: { items: { siteId: string }[] } = await service.get(`campaigns/${campaign.id}/visits?limit=1000`);
    const second = campaign.sites[1]?.id ?? '';
    await using page = await open(campaign);
    await showTable(page);
    await dotsAre(page, 10, 0);
    await page.select('[data-choice=site]', second);
    await dotsAre(page, visits.items.filter(({ siteId }) => siteId === second).length, 0);
    await press(page, '.choice [data-metric=speedIndex]');
    await saysAll(page, '.chart-frame h3', ['SpeedIndex of each visit']);
    await isAt(page, new RegExp(`^#/campaigns/${campaign.id}/visits\\?site=${second}&metric=speedIndex$`));
    await page.reload();
    await saysAll(page, '.chart-frame h3', ['SpeedIndex of each visit']);
    assert.equal(await page.$eval('[data-choice=site]', (select) => (select as HTMLSelectElement).value), second);

    const { hash } = new URL(page.url());
    for (const pointerType of pointers) {
      await page.goto(`${service.url}/${hash}`);
      // What is loaded meanwhile moves the dots, and the button in their note, away under the finger.
      let isOpened = false;
      await page.evaluate(() => document.body.classList.remove('tapped'));
      for (const deadline = Date.now() + 60_000; !isOpened && Date.now() < deadline; ) {
        const button = await page.$('.point-note button');
        await button?.evaluate((one) => one.addEventListener('click', () => document.body.classList.add('tapped')));
        const place = button && (await middleOf(button).catch(() => null));
        await tap(page, pointerType, place ?? (await placeOfDot(page)));
        isOpened = await page.evaluate(() => document.body.classList.contains('tapped'));
      }
      await isAt(page, /^#\/visits\//);
    }
  });

  test('a campaign is cancelled, resumed, cloned and deleted from its page', async () => {
    const campaign = await make({ name: 'to be changed' });
    await service.perform(campaign, 1);
    const complaints: string[] = [];
    await using page = await open(campaign, complaints);
    await progressIs(page, '1 of 3 rounds');
    // A service without tokens makes no public link.
    await saysAll(page, '.campaign-actions .share :is(a, button)', ['Copy link to this view', 'Printed page', 'Badge, card']);
    const pressWords = (words: string) => press(page, `.campaign-actions ::-p-text(${words})`);
    const pressMore = async (words: string) => {
      await press(page, '.campaign-actions .more summary');
      await pressWords(words);
    };
    await pressMore('Cancel');
    await says(page, 'dialog[open]', 'The 2 rounds that are left');
    await press(page, 'dialog[open] button[type="submit"]');
    await page.waitForSelector('.campaign-head .state-cancelled');
    await pressWords('Resume');
    await page.waitForSelector('.campaign-head .state-running');
    assert.equal(await page.$eval('.campaign-actions .more a', (link) => link.getAttribute('href')), `#/new?from=${campaign.id}`);
    await service.send('POST', `campaigns/${campaign.id}/cancel`);
    await page.waitForSelector('.campaign-head .state-cancelled');
    await pressMore('Delete');
    await press(page, 'dialog[open] button[type="submit"]');
    await saysAll(page, 'h1', ['Campaigns']);
    await assert.rejects(() => service.get(`campaigns/${campaign.id}`), { status: 404 });
    // The page may have looked once more before it was told.
    complaints.splice(0, complaints.length, ...complaints.filter((words) => !/status of 404/.test(words)));
  });

  test('the log follows its end unless the reader scrolled up, and shows warnings alone', async () => {
    const campaign = await make({ rounds: 30 });
    await service.perform(campaign, 20);
    await using page = await open(campaign);
    await has(page, '.log li', 21);
    await isLive(page);
    const atEnd = () =>
      page.waitForFunction(() => {
        const box = document.querySelector('.log .lines');
        return box && Math.round(box.scrollHeight - box.scrollTop - box.clientHeight) <= 1 && box.scrollHeight > box.clientHeight;
      });
    await atEnd();
    await service.perform(campaign, 1);
    await has(page, '.log li', 22);
    await atEnd();
    await page.$eval('.log .lines', (box) => box.scrollTo({ top: 0 }));
    await page.waitForSelector('.log .head button');
    await service.loseRound(campaign);
    await has(page, '.log li', 24);
    assert.equal(await page.$eval('.log .lines', (box) => box.scrollTop), 0);
    await press(page, '.log .head button');
    await atEnd();
    await press(page, '.log .only input');
    await page.waitForFunction(() => [...document.querySelectorAll('.log li')].every((line) => line.classList.contains('warn')));
    await isAt(page, /\?log=warn$/);
  });
});
