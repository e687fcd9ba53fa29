// Results of many sites and of many conditions: an overview first, and one of them when it is chosen.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CampaignResults, CampaignSummary } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { signedPercent } from '../src/text/format.ts';
import { outcomeNames } from '../src/text/vocabulary.ts';
import type { Outcomes } from './made-rounds.ts';
import { madeMetrics } from './made-visits.ts';
import { openAll, texts } from './pages.ts';
import { has, press, says, saysAll } from './reader.ts';
import { commonStage } from './stage.ts';

const { service, open } = await commonStage();

describe('results of many sites and conditions', proves('dashboard-results'), () => {
  test('many sites are rows with a mark for each, and a matrix, from the summary alone; one is read when it is chosen', async () => {
    const sites = Array.from({ length: 8 }, (_, i) => ({ url: `https://site-${i}.example/` }));
    const conditions = ['native', 'latency-50'];
    const campaign = await service.makeCampaign({ name: 'eight', sites, conditions, protocols: ['h2', 'h3'], rounds: 1 });
    await service.perform(campaign, 16);
    const summary: CampaignSummary = await service.get(`campaigns/${campaign.id}/summary`);
    await using page = await open(`#/campaigns/${campaign.id}`);
    await page.waitForSelector('.matrix a.cell');
    const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const cells = await page.$$eval('.matrix a.cell .hidden', (elements) =>
      elements.map(({ textContent }) => textContent?.replace(/^: /, '') ?? ''),
    );
    assert.equal(cells.length, 16);
    for (const [i, { siteId, condition, view, comparison }] of summary.cells.entries()) {
      const name = campaign.sites.find(({ id }) => id === siteId)?.name;
      const words = `${comparison ? outcomeNames[comparison.outcome] : ''}, HTTP/3 ${signedPercent(comparison?.shift?.value ?? Number.NaN)}`;
      assert.ok(cells.includes(`${name}, ${condition}, ${view}: ${words}`), `${i}: ${name} ${words}`);
    }
    const ofCells = urls.filter((url) => /\/campaigns\/\d+\/(?:results|visits|distributions)/.test(url));
    assert.deepEqual(
      ofCells.filter((url) => !url.endsWith('limit=1')),
      [],
      'neither cells nor visits, but for one that tells the browser',
    );
    assert.deepEqual(
      await page.$$eval('.answer-table tbody tr', (rows) => rows.map((row) => row.querySelectorAll('.site').length)),
      [8, 8],
    );

    await press(page, '.matrix tbody tr:nth-child(3) td:nth-child(3) a');
    await says(page, '.median-loads h2', /^site-2\.example, latency-50/);
    assert.equal(await page.$eval('[data-choice=site]', (select) => (select as HTMLSelectElement).value), campaign.sites[2]?.id);
    await has(page, '.matrix, .site', 0);
    await saysAll(page, '.answer-table tr.chosen th a', ['latency-50']);
    // The choice goes along to the other parts.
    await press(page, '.parts a::-p-text(Visits)');
    await has(page, '.visits tbody tr', 2);
  });

  /** As on a link with delay: HTTP/3 gains where there is loss, and loses under delay alone. */
  const byCondition: Outcomes = (protocol, _roundNumber, random, condition) => {
    const metrics = madeMetrics(protocol, random);
    const factor = protocol !== 'h3' ? 1 : condition.startsWith('latency') ? 1.3 : condition === 'poor' ? 0.8 : 1.1;
    const valid = { ...metrics, onLoad: metrics.onLoad * factor * (condition === 'native' ? 1 : 4) };
    return [{ verdict: 'valid', metrics: valid }];
  };
  const manyConditions =
    'native latency-50 latency-100 latency-200 loss-1 loss-2 loss-5 bandwidth-5 bandwidth-2 bandwidth-1 medium poor mobile-poor 3g'.split(
      ' ',
    );
  async function campaignOfConditions() {
    const campaign = await service.makeCampaign({
      name: 'fourteen conditions',
      sites: [{ url: 'https://shop.example/', name: 'shop' }],
      conditions: manyConditions,
      protocols: ['h2', 'h3'],
      rounds: 2,
      seed: 5,
    });
    await service.perform(campaign, 2 * manyConditions.length, byCondition);
    return { campaign, results: (await service.get(`campaigns/${campaign.id}/results`)) as CampaignResults };
  }

  test('many conditions are compared in milliseconds and by H3-Delta, with what each does and what its link did, no wider than a phone', async () => {
    const { campaign, results } = await campaignOfConditions();
    await using page = await open(`#/campaigns/${campaign.id}`);
    await page.waitForSelector('.answer-table [data-value]');
    assert.deepEqual(await texts(page, '.answer-table tbody .name a'), manyConditions);
    assert.deepEqual(
      await texts(page, '.answer-table tbody .name small'),
      results.conditions.map(({ words }) => words),
    );
    assert.deepEqual(
      await texts(page, '.answer-table .word'),
      results.cells.map(
        ({ comparisons }) => outcomeNames[comparisons.find(({ confirmatory }) => confirmatory)?.verdict.outcome ?? 'h1-faster'],
      ),
    );
    const differences = await texts(page, '.answer-table tbody .difference');
    for (const [place, { comparisons, slots }] of results.cells.entries()) {
      const { shift, shiftAtMedian } = comparisons.find(({ confirmatory }) => confirmatory) ?? {};
      const [value, h2] = [
        shift?.value ?? Number.NaN,
        slots.find(({ protocol }) => protocol === 'h2')?.metrics.onLoad?.median ?? Number.NaN,
      ];
      const [, ms] = /^([−+]?[\d,.]+) ms /.exec(differences[place]?.trim() ?? '') ?? [];
      assert.equal(ms !== undefined, shiftAtMedian !== null, differences[place]);
      assert.ok(differences[place]?.includes(signedPercent(value)), differences[place]);
      if (ms !== undefined) assert.ok(Math.abs(Number(ms.replace('−', '-').replace(',', '')) - value * h2) <= 0.5, differences[place]);
    }
    await page.goto(`${service.url}/#/campaigns/${campaign.id}/statistics`);
    await has(page, '.delta-part [data-value]', 28);
    assert.deepEqual(
      await page.$$eval('.delta-part [data-value]', (elements) => elements.map((dot) => Number((dot as HTMLElement).dataset.value))),
      (['onLoad', 'speedIndex'] as const).flatMap((metric) => results.cells.map(({ h3Delta }) => h3Delta[metric])),
    );

    await page.goto(`${service.url}/#/campaigns/${campaign.id}/quality`);
    await page.waitForSelector('.links tbody tr');
    const links = await page.$$eval('.links tbody tr', (rows) =>
      rows.map((row) => [...row.children].slice(0, 3).map(({ textContent }) => textContent?.replaceAll('\u00a0', ' '))),
    );
    assert.deepEqual(
      links,
      results.conditions.map(({ condition, words, link }) => [
        condition,
        words,
        link?.words ?? (words === 'nothing added' ? 'nothing to check' : 'not measured yet'),
      ]),
    );

    // A row of the chart leads to its group, and to nothing else.
    await page.goBack();
    await page.waitForSelector('.delta-part a');
    await page.$$eval('.delta-part a', (rows) => {
      rows
        .find((row) => /condition=poor/.test(row.getAttribute('href') ?? ''))
        ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    });
    await has(page, '.cell-part', 1);
    const poor = results.conditions.find(({ condition }) => condition === 'poor');
    assert.match(poor?.link?.words ?? '', /^RTT 50\.6 ms; up 2\.06 % loss, UDP 9\.98 Mbit\/s/);
    await saysAll(page, '.cell-part .link', [`Link: ${poor?.words}.Measured: ${poor?.link?.words}.`]);

    await page.setViewport({ width: 360, height: 740 });
    for (const [part, last] of [
      ['', '.median-loads'],
      ['/loads', '.summary tbody tr'],
      ['/statistics', '.cell-part'],
    ]) {
      await page.goto(`${service.url}/#/campaigns/${campaign.id}${part}`);
      await page.waitForSelector(`.results ${last}`);
      await openAll(page);
      await page.waitForFunction(() => document.documentElement.scrollWidth === 360);
    }
  });
});
