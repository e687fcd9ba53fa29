// All sites of a campaign together, in a real Chrome: the numbers are the API's.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Campaign, CampaignAcross } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { signed } from '../src/text/format.ts';
import type { Outcomes } from './made-rounds.ts';
import { madeMetrics, madePage } from './made-visits.ts';
import { texts } from './pages.ts';
import { press, says } from './reader.ts';
import { commonStage } from './stage.ts';

const { service, open } = await commonStage();
let [many, two]: Campaign[] = [];
const sites = Array.from({ length: 24 }, (_, at) => ({ url: `https://93.184.217.${at + 1}/`, name: `site ${at + 1}` }));

/** From site to site HTTP/3 falls behind, and pages grow; under delay it is ahead. */
const fromSiteToSite: Outcomes = (protocol, _round, random, condition, url) => {
  const at = Number(url.match(/217\.(\d+)/)?.[1] ?? 1);
  const metrics = madeMetrics(protocol, random);
  const factor = protocol === 'h3' ? (condition === 'native' ? 0.8 + at / 40 : 0.7) : 1;
  return [{ verdict: 'valid', metrics: { ...metrics, ...madePage(at, protocol), onLoad: metrics.onLoad * factor } }];
};

describe('all sites of a campaign', proves('dashboard-results'), () => {
  before(async () => {
    many = await service.makeCampaign({
      name: 'many sites',
      sites,
      conditions: ['native', 'latency-100'],
      protocols: ['h2', 'h3'],
      rounds: 2,
    });
    for (const at of sites.keys()) service.discover(many, at, at % 3 === 0 ? 'cloudflare' : 'nginx');
    await service.perform(many, Number.POSITIVE_INFINITY, fromSiteToSite);
    two = await service.makeCampaign({ name: 'two sites', sites: sites.slice(0, 2), protocols: ['h2', 'h3'], rounds: 2 });
    await service.perform(two, Number.POSITIVE_INFINITY, fromSiteToSite);
  });

  const address = (campaign: Campaign | undefined, query = '') => `#/campaigns/${campaign?.id}/across${query}`;

  /** The rows of a figure's table, which its button shows. */
  async function tableOf(page: Page, figure: string): Promise<string[][]> {
    await press(page, `[data-figure="${figure}"] .chart-tools button[aria-pressed]`);
    await page.waitForSelector(`[data-figure="${figure}"] tbody tr`);
    return page.$$eval(`[data-figure="${figure}"] tbody tr`, (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    );
  }

  test('each figure has the numbers of the API, and the tests of the factors are told with what they can’t tell', async () => {
    const across: CampaignAcross = await service.get(`campaigns/${many?.id}/across`);
    const { factors } = across;
    const [native, delayed] = across.groups;
    assert.ok(native && delayed);
    await using page = await open(address(many));
    await page.waitForSelector('[data-figure="factors"]');
    assert.equal(await page.$('.few-sites'), null);

    const classes = await tableOf(page, 'classes');
    assert.deepEqual(
      classes.map(([condition, all, below, , , within, , , above]) => [condition, all, below, within, above].map(String)),
      across.groups.map(({ condition, delta: { sites: all, classes: of } }) =>
        [condition, all, of.below.sites, of.within.sites, of.above.sites].map(String),
      ),
    );
    assert.ok(native.delta.classes.below.sites > 0 && native.delta.classes.above.sites > 0);
    assert.equal(delayed.delta.classes.below.sites, sites.length);

    assert.deepEqual(
      await texts(page, '[data-figure="classes"] .class-words li'),
      across.groups.map(({ condition, delta }) => `${condition}: ${delta.words}`),
    );
    assert.match(native.delta.words, /^H3-Delta beyond ±0\.1: HTTP\/3 lower on \d+, higher on \d+ of 24 sites; noise alone gives /);

    const steps = await tableOf(page, 'delta');
    assert.deepEqual(
      steps.map(([line, value]) => [line, value]),
      across.groups.flatMap(({ condition, delta }) => delta.steps.values.map((value) => [condition, signed(value)])),
    );
    const providers = await tableOf(page, 'provider-classes');
    assert.deepEqual(
      providers.map(([provider, all]) => [provider, Number(all)]),
      native.deltaByProvider.map(({ provider, delta }) => [provider, delta.sites]),
    );
    assert.ok(native.deltaByProvider.length > 1);
    const boxes = await tableOf(page, 'characteristics');
    assert.equal(boxes.length, 7 * 3);
    const pageSize = boxes.find(([name, , its]) => name === 'Page size' && its === 'HTTP/3 lower');
    assert.equal(Number(pageSize?.[6]), native.byClass[0]?.characteristics.transferBytes?.box.median);
    assert.match((await texts(page, '[data-figure="classes"] p'))[0] ?? '', /below −0.1 “HTTP\/3 lower”.*Classes are not tests/);

    assert.equal((await texts(page, '.tests > li')).length, factors.length);
    const [conditions = ''] = await texts(page, '.tests > li');
    assert.match(conditions, /^Conditions over HTTP\/2/);
    const words = (await texts(page, '[data-figure="factors"]')).join();
    for (const caution of factors.flatMap(({ cautions }) => cautions)) assert.ok(words.includes(caution), caution);
  });

  test('metric, condition and curves are in the address; so few sites that they are no distribution are told', async () => {
    await using page = await open(address(many, '?condition=latency-100&conditions=native&metric=speedIndex'));
    await page.waitForSelector('[data-figure="factors"]');
    const titles = await texts(page, 'figure h3');
    assert.ok(titles.includes('H3-Delta of SpeedIndex over sites, by condition'));
    assert.ok(titles.includes('Pages by class, latency-100'));
    assert.deepEqual([...new Set((await tableOf(page, 'delta')).map(([line]) => line))], ['native']);
    await press(page, '.choice [data-metric=onLoad]');
    await says(page, 'figure h3', 'onLoad');
    assert.doesNotMatch(page.url(), /metric=/);

    await page.goto(`${service.url}/${address(two)}`);
    await says(page, '.few-sites', /^2 sites are few: each is 50 % of a curve/);
    await says(page, 'main', 'No provider is known yet');
  });
});
