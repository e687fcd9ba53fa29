// A factorial campaign in a real Chrome: the numbers and the words are the API's.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Campaign, CampaignFactorial } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { makeFactorial } from './exhibit-campaigns.ts';
import { texts } from './pages.ts';
import { has, isAt, press, says, saysAll } from './reader.ts';
import { commonStage } from './stage.ts';

const { service, open } = await commonStage();
let [study, few]: Campaign[] = [];

describe('a factorial campaign', proves('dashboard-results', 'rest-calls'), () => {
  before(async () => {
    study = await makeFactorial(service, 6);
    few = await makeFactorial(service, 2);
  });

  const address = (campaign: Campaign | undefined, query = '') => `#/campaigns/${campaign?.id}/factorial${query}`;
  const answer = (campaign: Campaign | undefined, query = ''): Promise<CampaignFactorial> =>
    service.get(`campaigns/${campaign?.id}/factorial${query}`);

  /** The rows of a plot's table, which its button shows. */
  async function tableOf(page: Page, plot: string): Promise<string[][]> {
    await press(page, `${plot} .chart-tools button[aria-pressed]`);
    await page.waitForSelector(`${plot} tbody tr`);
    return page.$$eval(`${plot} tbody tr`, (rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)));
  }

  test('scenarios, main effects and interactions are the API’s, of the metric and the protocols that are chosen', async () => {
    const { pairs, design, differences } = await answer(study);
    const [pair] = pairs;
    assert.ok(pair && pair.candidate === 'h3' && pair.baseline === 'h2');
    // A campaign leads to its factors where its sites have levels.
    await using page = await open(`#/campaigns/${study?.id}`);
    await press(page, '.parts a::-p-text(Factorial)');
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

    // The plots are drawn, with a line for each level of the other factor that can be taken out.
    await press(page, '[data-factors="images+condition"] .chart-tools button[aria-pressed]');
    await page.waitForSelector('[data-factors="images+condition"] canvas');
    await page.$eval('[data-factors="images+condition"]', (plot) => plot.scrollIntoView());
    const inked = () =>
      page.$eval('[data-factors="images+condition"] canvas', (canvas) => {
        const { width, height } = canvas as HTMLCanvasElement;
        if (width === 0 || height === 0) return 0; // not drawn yet
        const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
        copy.drawImage(canvas as HTMLCanvasElement, 0, 0);
        const pixels = copy.getImageData(0, 0, width, height).data;
        let count = 0;
        for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 0) count += 1;
        return count;
      });
    const until = async (isEnough: (ink: number) => boolean): Promise<number> => {
      for (const deadline = Date.now() + 60_000; ; ) {
        const ink = await inked();
        if (isEnough(ink)) return ink;
        assert.ok(Date.now() < deadline, `${ink} pixels are drawn`);
        await drawn(page);
      }
    };
    const both = await until((ink) => ink > 1_000);
    assert.deepEqual(
      (await texts(page, '[data-factors="images+condition"] .line-legend li')).map((name) => name.trim()),
      ['few large', 'many small'],
    );
    await press(page, '[data-factors="images+condition"] .line-legend label');
    await page.waitForSelector('[data-factors="images+condition"] .line-legend .out');
    await until((ink) => ink < both - 100);

    await page.select('select[name="protocols"]', 'h2-h1');
    await says(page, '[data-figure="scenarios"] thead', 'HTTP/1.1');
    await press(page, '.choice [data-metric=speedIndex]');
    await isAt(page, /protocols=h2-h1.*metric=speedIndex/);
    const { pairs: bySpeedIndex } = await answer(study, '?metric=speedIndex');
    await saysAll(
      page,
      '[data-figure="scenarios"] td.verdict',
      bySpeedIndex.find(({ candidate }) => candidate === 'h2')?.scenarios.map(({ words }) => words) ?? [],
    );
    await says(page, '[data-figure="differences"] p', 'SpeedIndex');
    await has(page, '.exports a[download]', 2);
  });

  test('a design that can show nothing says so, with the replications that could; without levels there are no factors', async () => {
    const plain = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
    await using page = await open(address(few));
    await says(page, '.power.trouble', /^2 replications can’t show a difference in any scenario: .* At least \d+ replications/);
    await page.goto(`${service.url}/#/campaigns/${plain.id}`);
    await saysAll(page, '.parts a', ['Answer', 'Every load', 'Statistics', 'Quality', 'Visits & log']);
  });
});
