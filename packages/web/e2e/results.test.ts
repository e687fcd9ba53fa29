// The result of one campaign: its numbers and visits are those of the API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CampaignAnswers, CampaignResults, CampaignSummary, Page as ListPage, MedianVisits, Visit } from '@pronghorn/core/schemas';
import { isThorough, proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { number, signedPercent } from '../src/text/format.ts';
import { invalidReasons, metricNames } from '../src/text/vocabulary.ts';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { openAll, texts } from './pages.ts';
import { has, isAt, press, says, saysAll } from './reader.ts';
import { commonStage } from './stage.ts';

const hostile = '<img src=x onerror="document.title=1">Läden</script>';
/** After a round that was lost after its visits: round 3 needs a second try over h3, which never succeeds in round 4. */
const someInvalid: Outcomes = (protocol, roundNumber, random) => {
  const wrong = invalid('busy-machine', 'The document came over h2, asked for h3. <b>');
  if (protocol === 'h3' && roundNumber === 4) return [wrong, wrong];
  const valid = { verdict: 'valid', metrics: madeMetrics(protocol, random) } as const;
  return protocol === 'h3' && roundNumber === 3 ? [wrong, valid] : [valid];
};

const { service, open } = await commonStage();

const hasNumbers = (page: Page) => page.waitForSelector('.summary tbody tr');
const hasVisits = (page: Page) => page.waitForSelector('.results .visits tbody tr');

async function finishedCampaign() {
  const campaign = await service.makeCampaign({
    name: hostile,
    sites: [{ url: 'https://shop.example/?q=<script>alert(1)</script>', name: hostile }],
    protocols: ['h1', 'h2', 'h3'],
    rounds: 8,
    seed: 5,
  });
  service.discover(campaign);
  await service.loseRound(campaign);
  await service.perform(campaign, 8, someInvalid);
  const results: CampaignResults = await service.get(`campaigns/${campaign.id}/results`);
  const visits: ListPage<Visit> = await service.get(`campaigns/${campaign.id}/visits?limit=1000`);
  return { campaign, results, visits: visits.items };
}
let finished: ReturnType<typeof finishedCampaign> | undefined;
/** Measured once for all tests. */
const once = () => {
  finished ??= finishedCampaign();
  return finished;
};

describe('the result of a campaign', proves('dashboard-results'), () => {
  test('the numbers in the table are those of the API, for each metric that is chosen and each column', async () => {
    const { campaign, results } = await once();
    const [group] = results.cells;
    assert.ok(group);
    const cells = (page: Page) =>
      page.$$eval('.summary tr[data-slot] data', (elements) =>
        elements.map((element) => ({
          metric: element.closest('table')?.dataset.metric,
          slot: Number(element.closest('tr')?.dataset.slot),
          statistic: element.dataset.statistic,
          value: Number(element.value),
          text: element.textContent,
        })),
      );
    const expected = (
      metric: 'onLoad' | 'speedIndex',
      statistics: readonly ('n' | 'median' | 'p5' | 'p75' | 'p90' | 'p99' | 'min' | 'max')[],
    ) =>
      group.slots.toReversed().flatMap(({ slot, metrics }) =>
        statistics.map((statistic) => {
          const value = metrics[metric]?.[statistic] ?? Number.NaN;
          return { metric, slot, statistic, value, text: number(value, statistic === 'n' ? 'count' : metricNames[metric].unit) };
        }),
      );
    await using page = await open(`#/campaigns/${campaign.id}/loads`);
    await hasNumbers(page);
    assert.deepEqual(await cells(page), expected('onLoad', ['n', 'median', 'p75', 'p90', 'p99', 'min', 'max']));

    await press(page, '.choice [data-metric=speedIndex]');
    await page.waitForSelector('.summary[data-metric=speedIndex]');
    await page.$eval('.which', (details) => {
      (details as HTMLDetailsElement).open = true;
    });
    await press(page, '.which input[value=p5]');
    await has(page, '.summary [data-statistic=p5]', 3);
    await press(page, '.which input[value=max]');
    await has(page, '.summary [data-statistic=max]', 0);
    assert.deepEqual(await cells(page), expected('speedIndex', ['n', 'min', 'p5', 'median', 'p75', 'p90', 'p99']));

    // The address has all of it: another reader sees the same, and the back button undoes the last step.
    await using other = await open(new URL(page.url()).hash);
    await other.waitForSelector('.summary[data-metric=speedIndex] [data-statistic=p5]');
    assert.deepEqual(await cells(other), await cells(page));
    await page.bringToFront();
    await page.goBack();
    await has(page, '.summary [data-statistic=max]', 3);
    assert.deepEqual(await cells(page), expected('speedIndex', ['n', 'min', 'p5', 'median', 'p75', 'p90', 'p99', 'max']));
  });

  test('words tell medians, H3-Delta, where HTTP/3 is spoken, that metrics disagree and what is invalid; no hostile name is more than text', async () => {
    const { campaign, results } = await once();
    await using page = await open(`#/campaigns/${campaign.id}/loads`);
    await page.waitForSelector('.sentence');
    const [sentence] = await texts(page, '.sentence[data-metric=onLoad]');
    const delta = results.cells[0]?.h3Delta.onLoad ?? Number.NaN;
    assert.ok(delta < -0.01);
    const [, shownDelta] = sentence?.match(/H3-Delta −(0\.\d\d) \(HTTP\/3 lower\)\.\s*$/) ?? [];
    assert.equal(shownDelta, Math.abs(delta).toFixed(2));
    assert.match(
      sentence?.trim() ?? '',
      /^Median onLoad: HTTP\/3 \d+ ms \(7 visits\), HTTP\/2 \d+ ms \(8 visits\), HTTP\/1\.1 \d+ ms \(8 visits\)\./,
    );
    await page.goto(`${service.url}/#/campaigns/${campaign.id}/statistics`);
    await says(page, '.delta-part .note', 'opposite directions here');
    await says(page, '.delta-part .note', /The metric fixed before this campaign is\s+onLoad/);
    await saysAll(page, '.invalid li', [`HTTP/3: not measured 3 visits, busy-machine – ${invalidReasons['busy-machine']}`]);
    await has(page, '.delta-part [data-value]', 2);
    const deltas = await page.$$eval('.delta-part [data-value]', (elements) =>
      elements.map((dot) => Number((dot as HTMLElement).dataset.value)),
    );
    assert.deepEqual(deltas, [results.cells[0]?.h3Delta.onLoad, results.cells[0]?.h3Delta.speedIndex]);
    await page.goto(`${service.url}/#/campaigns/${campaign.id}/quality`);
    await page.waitForSelector('.receive-drops');
    assert.match(
      (await texts(page, '.receive-drops')).join(),
      /In 1 of 7 visits over h3, 12 datagrams crossed the link and were lost in the browser’s full receive buffer/,
    );
    await page.waitForSelector('.coverage');
    assert.equal(
      (await texts(page, '.coverage'))[0],
      'HTTP/3 was forced on 1 of 2 hosts, which served 50 % of the page’s objects and 25 % of its bytes at discovery.',
    );
    await says(page, '.reasons', '3 visits, busy-machine');
    assert.equal((await texts(page, 'h1'))[0], hostile);
    assert.equal(await page.$('main img, main script'), null);
    assert.notEqual(await page.title(), '1');
  });

  test('every visit is listed, filtered, leads to its own page, and two are put side by side', async () => {
    const { campaign, visits } = await once();
    await using page = await open(`#/campaigns/${campaign.id}/visits`);
    await hasVisits(page);
    const ids = () => page.$$eval('.visits tbody tr', (rows) => rows.map((row) => (row as HTMLElement).dataset.visit));
    assert.equal(visits.length, 26 + 3);
    await has(page, '.visits tbody tr', 20);
    await press(page, '::-p-text(Show more \\(9 left\\))');
    await has(page, '.visits tbody tr', visits.length);
    assert.deepEqual((await ids()).toSorted(), visits.map(({ id }) => id).toSorted());

    await page.select('[data-filter=verdict]', 'invalid');
    await has(page, '.visits tbody tr', 3);
    assert.deepEqual((await ids()).toSorted(), visits.flatMap(({ id, outcome }) => (outcome.verdict === 'invalid' ? [id] : [])).toSorted());
    await page.select('[data-filter=verdict]', 'counted');
    await page.select('[data-filter=protocol]', 'h3');
    await has(page, '.visits tbody tr', 7);
    await isAt(page, /verdict=counted/);

    const [first, second] = await ids();
    for (const id of [first, second]) {
      await page.focus(`tr[data-visit="${id}"] input`);
      await page.keyboard.press('Space');
    }
    const beside = await page.waitForSelector('.beside a');
    assert.equal(await beside?.evaluate((link) => link.getAttribute('href')), `#/visits/${first}?with=${second}`);
    assert.equal(await page.$eval('.visits a[download]', (link) => link.href), `${service.url}/api/v1/visits/${first}/har`);
    await press(page, '.visits a[href^="#/visits/"]');
    await isAt(page, new RegExp(`^#/visits/${first}$`));
  });

  test('every menu of a campaign is on the screen, and no part is wider than a phone', async () => {
    const { campaign } = await once();
    await using page = await open(`#/campaigns/${campaign.id}`);
    for (const width of isThorough ? [320, 390, 641, 700, 801, 1024, 1280, 1366, 1440, 1600, 1920] : [320, 801, 1280]) {
      await page.setViewport({ width, height: 900 });
      for (const menu of ['.share', '.export', '.more']) {
        await press(page, `${menu} summary`);
        await page.waitForFunction(
          (name) => {
            const { left, right } = document.querySelector(`${name} .menu`)?.getBoundingClientRect() ?? { left: -1, right: 0 };
            return right > 0 && left >= 0 && right <= innerWidth;
          },
          {},
          menu,
        );
        await page.keyboard.press('Escape');
      }
    }

    await page.setViewport({ width: 360, height: 740 });
    for (const [part, last] of [
      ['', '.median-loads'],
      ['/loads', '.summary tbody tr'],
      ['/statistics', '.cell-part'],
      ['/quality', '.settings'],
      ['/visits', '.visits tbody tr'],
    ]) {
      await page.goto(`${service.url}/#/campaigns/${campaign.id}${part}`);
      await page.waitForSelector(`.results ${last}`);
      await openAll(page);
      await page.waitForFunction(() => document.documentElement.scrollWidth === 360);
    }
  });

  test('the first screen has the answer, a row for each condition, what was measured, and the loads that stand for the medians', async () => {
    const { campaign } = await once();
    const [site] = campaign.sites;
    const of = `siteId=${site?.id}&condition=native&view=cold&metric=onLoad`;
    const { visits }: MedianVisits = await service.get(`campaigns/${campaign.id}/median-visits?${of}`);
    const { cells }: CampaignSummary = await service.get(`campaigns/${campaign.id}/summary`);
    const [cell] = cells;
    await using page = await open(`#/campaigns/${campaign.id}`);
    await page.waitForSelector('.answer-table [data-value]');
    await says(page, '.facts-line', /1 network3 protocols8 rounds.*23 loads, 3 discarded/);
    const medians = await page.$$eval('.answer-table data', (elements) => elements.map((element) => Number(element.value)));
    assert.deepEqual(medians, [cell?.medians.h2, cell?.medians.h3]);
    const share = cell?.comparison?.shift?.value ?? Number.NaN;
    assert.equal(await page.$eval('.answer-table [data-value]', (mark) => Number((mark as HTMLElement).dataset.value)), share);
    assert.match((await texts(page, '.answer-table .difference')).join(), new RegExp(`${signedPercent(share)}`));
    await has(page, '.way-to-h3', 1);

    await page.waitForSelector('.median-loads .no-frames');
    const links = await page.$$eval('.median-loads a[href^="#/visits/"]', (all) => all.map((link) => link.getAttribute('href')));
    const idOf = (protocol: string) => visits.find((one) => one.protocol === protocol)?.visitId;
    assert.deepEqual(links.slice(1), [`#/visits/${idOf('h3')}`, `#/visits/${idOf('h2')}`]);
    assert.equal(links[0], `#/visits/${idOf('h3')}?with=${idOf('h2')}`);

    // Another metric has its own numbers, in the same row.
    await press(page, '.choice [data-metric=firstContentfulPaint]');
    const { cells: secondary }: CampaignAnswers = await service.get(`campaigns/${campaign.id}/answers?metric=firstContentfulPaint`);
    await page.waitForFunction(
      (h2) => Number(document.querySelector<HTMLDataElement>('.answer-table data')?.value) === h2,
      {},
      secondary[0]?.medians.h2,
    );
    await says(page, '.answer-table', 'not tested');
    await isAt(page, /metric=firstContentfulPaint/);

    await press(page, '.way-to-h3 button');
    await isAt(page, /^#\/new\?(?=.*discovery=alt-svc)(?=.*url=https)/);
  });

  test('a page that could not be loaded says why, and nothing of statistics; it can be changed or tried again', async () => {
    const url = 'https://nowhere.example/';
    const campaign = await service.makeCampaign({ name: 'lost', sites: [{ url }], protocols: ['h1', 'h2', 'h3'], rounds: 1 });
    await service.perform(campaign, 1, () => [invalid('dns-error', 'net::ERR_NAME_NOT_RESOLVED')]);
    const why = `${url} could not be loaded: a host name did not resolve (3 of 3 visits)`;
    await using page = await open(`#/campaigns/${campaign.id}`);
    await saysAll(page, '.failed-part .not-loaded li', [`✕ ${why}`]);
    await saysAll(page, '.campaign-head .state', ['✕ failed']);
    const text = (await texts(page, 'main')).join();
    assert.doesNotMatch(text, /Needs at least|No valid visit has|No clear difference|interval:/);
    assert.equal(await page.$('.answer, .choice, .median-loads'), null);
    assert.equal(await page.$eval('.failed-part a.primary', (link) => link.getAttribute('href')), `#/new?from=${campaign.id}`);
    await press(page, '.failed-part ::-p-text(Try again)');
    await isAt(page, new RegExp(`^#/campaigns/(?!${campaign.id}$)`));
    await page.goto(`${service.url}/#/campaigns`);
    await saysAll(page, `.campaign:has(a[href="#/campaigns/${campaign.id}"]) .not-loaded`, [`✕ ${why.replace(`${url} `, '')}`]);
  });
});
