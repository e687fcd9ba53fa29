// A factorial campaign in a real Chrome: the numbers and the words are the API's.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Campaign, CampaignFactorial } from '@pronghorn/core/schemas';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { makeFactorial } from './exhibit-campaigns.ts';
import { texts } from './pages.ts';
import { setStage } from './stage.ts';

const { service, open } = await setStage();
let [study, few]: Campaign[] = [];

before(async () => {
  study = await makeFactorial(service);
  few = await makeFactorial(service, 2);
});

const address = (campaign: Campaign | undefined, query = '') => `#/campaigns/${campaign?.id}/factorial${query}`;
const answer = (campaign: Campaign | undefined, query = ''): Promise<CampaignFactorial> =>
  service.get(`campaigns/${campaign?.id}/factorial${query}`);

/** The rows of a plot's table, which its button shows. */
async function tableOf(page: Page, plot: string): Promise<string[][]> {
  await page.click(`${plot} .chart-tools button[aria-pressed]`);
  return page.$$eval(`${plot} tbody tr`, (rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)));
}

test('scenarios, main effects and interactions are the API’s', async () => {
  const { pairs, design, differences } = await answer(study);
  const [pair] = pairs;
  assert.ok(pair && pair.candidate === 'h3' && pair.baseline === 'h2');
  await using page = await open(address(study));
  await page.waitForSelector('[data-figure="differences"] tbody');
  assert.equal((await texts(page, '.design'))[0], design.words);
  assert.deepEqual(
    (await texts(page, '[data-figure="scenarios"] td.verdict')).map((words) => words.trim()),
    pair.scenarios.map(({ words }) => words),
  );
  const effects = await texts(page, '.ratio-plot .effect');
  assert.equal(effects.length, 6);
  for (const [n, { words }] of pair.interactions.entries()) assert.ok(effects[n]?.startsWith(words), words);
  assert.ok(pair.interactions.some(({ factors, adjustedP }) => factors.join() === 'images,condition' && (adjustedP ?? 1) < 0.05));
  assert.equal((await texts(page, '[data-figure="differences"] tbody tr')).length, differences.length);

  const rows = await tableOf(page, '[data-factors="images+condition"]');
  assert.deepEqual(
    rows.map(([images, condition, ratio, , , rounds]) => [images, condition, ratio, rounds]),
    pair.interactions
      .find(({ factors }) => factors.join() === 'images,condition')
      ?.levels.map(({ levels: [images, condition], ratio, rounds }) => [images, condition, ratio.toFixed(2), String(rounds)]),
  );
});

test('the plots are drawn, with a line for each level of the other factor that can be taken out', async () => {
  await using page = await open(address(study));
  await page.waitForSelector('[data-factors="images+condition"] canvas');
  await page.$eval('[data-factors="images+condition"]', (plot) => plot.scrollIntoView());
  const inked = () =>
    page.$eval('[data-factors="images+condition"] canvas', (canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
      copy.drawImage(canvas as HTMLCanvasElement, 0, 0);
      const pixels = copy.getImageData(0, 0, width, height).data;
      let count = 0;
      for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 0) count += 1;
      return count;
    });
  await page.waitForFunction(() => (document.querySelector('[data-factors="images+condition"] canvas') as HTMLCanvasElement).width > 300);
  await drawn(page);
  const both = await inked();
  assert.ok(both > 1_000, `${both}`);
  assert.deepEqual(
    (await texts(page, '[data-factors="images+condition"] .line-legend li')).map((name) => name.trim()),
    ['few large', 'many small'],
  );
  await page.click('[data-factors="images+condition"] .line-legend label');
  await page.waitForSelector('[data-factors="images+condition"] .line-legend .out');
  await drawn(page);
  assert.ok((await inked()) < both - 100);
});

test('metric and protocols are chosen, and stay in the address', async () => {
  await using page = await open(address(study));
  await page.waitForSelector('select[name="protocols"]');
  await page.select('select[name="protocols"]', 'h2-h1');
  await page.waitForFunction(() => document.querySelector('[data-figure="scenarios"] thead')?.textContent?.includes('HTTP/1.1'));
  await page.click('.choice [data-metric=speedIndex]');
  await page.waitForFunction(() => location.hash.includes('metric=speedIndex'));
  await page.waitForSelector('[data-figure="differences"]');
  assert.match(page.url(), /protocols=h2-h1/);
  const { pairs } = await answer(study, '?metric=speedIndex');
  const expected = pairs.find(({ candidate }) => candidate === 'h2')?.scenarios.map(({ words }) => words);
  await page.waitForFunction(() => document.querySelector('[data-figure="differences"] p')?.textContent?.includes('SpeedIndex'));
  assert.deepEqual(
    (await texts(page, '[data-figure="scenarios"] td.verdict')).map((words) => words.trim()),
    expected,
  );
  assert.equal((await page.$$('.exports a[download]')).length, 2);
});

test('a design that can show nothing says so, with the replications that could', async () => {
  await using page = await open(address(few));
  await page.waitForSelector('.power.trouble');
  assert.match(
    (await texts(page, '.power'))[0] ?? '',
    /^2 replications can’t show a difference in any scenario: .* At least \d+ replications/,
  );
});

test('a campaign leads to its factors where its sites have levels', async () => {
  const plain = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
  {
    await using page = await open(`#/campaigns/${study?.id}`);
    await page.locator('.parts a::-p-text(Factorial)').click();
    await page.waitForSelector('[data-figure="scenarios"]');
  }
  await using page = await open(`#/campaigns/${plain.id}`);
  await page.waitForSelector('.parts a');
  assert.deepEqual(await texts(page, '.parts a'), ['Answer', 'Every load', 'Statistics', 'Quality', 'Visits & log']);
});
