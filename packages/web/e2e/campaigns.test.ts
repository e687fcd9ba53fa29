// The first steps and the list of campaigns, in a real Chrome on the real api.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Campaign, runnerProtocol } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { version } from '@pronghorn/core/vocabulary';
import type { Page } from 'puppeteer-core';
import { madeMetrics } from './made-visits.ts';
import { openPage, texts } from './pages.ts';
import { fill, has, isAt, press, says, saysAll } from './reader.ts';
import { startService } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser, open } = await setStage();

const names = '.campaigns .name';
const query = (page: Page) => Object.fromEntries(new URLSearchParams(page.url().split('?')[1] ?? ''));
const inAddress = (page: Page, expected: object) =>
  page.waitForFunction(
    (wanted) => JSON.stringify(Object.fromEntries(new URLSearchParams(location.hash.split('?')[1] ?? ''))) === wanted,
    {},
    JSON.stringify(expected),
  );

test(
  'who has no campaign is told the three steps, gets to the form by an address, and beside a demo starts the first by one click',
  proves('dashboard-forms'),
  async () => {
    const offered = { name: 'article', title: 'Article', url: 'https://93.184.216.34/', standsFor: 'a page of news' };
    await using fresh = await startService(undefined, { offeredSites: [offered], heartbeatMs: 600_000 });
    const runner = async (name: string, backends: string[]) =>
      fresh.send('POST', 'runners', {
        ...{ name, instance: randomUUID(), location: null, version, protocol: runnerProtocol },
        capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends },
        machine: { hostname: name, kernel: '6.12.9', arch: 'x64', cpu: 'a processor', cores: 4, memoryBytes: 8e9, node: 'v24.1.0' },
      });
    await using page = await openPage(browser, `${fresh.url}/#/`);
    await saysAll(page, '.first-steps h2, .first-steps h3', [
      'Does HTTP/3 make your pages faster?',
      'Choose a page',
      'A runner measures',
      'Read the answer',
    ]);
    await says(page, '.first-steps .command code', /^\.\/pronghorn runner --api http:\/\/127\.0\.0\.1:\d+$/);
    await fill(page, '.first-steps input[name="url"]', 'https://93.184.216.34/');
    await page.keyboard.press('Enter');
    await isAt(page, /^#\/new\?/);
    assert.equal(query(page).url, 'https://93.184.216.34/');

    for (const { backends, conditions } of [
      // What shapes no packets measures its own network alone.
      { backends: ['direct'], conditions: ['native'] },
      { backends: ['direct', 'veth', 'netem'], conditions: ['native', 'latency-100'] },
    ]) {
      await page.goto(`${fresh.url}/#/`);
      await runner(`with ${backends.at(-1)}`, backends);
      await says(page, '.first-steps .ready', `${backends.length > 1 ? 2 : 1} runner`);
      await press(page, '.offered button');
      await isAt(page, /^#\/campaigns\/\d+/);
      const id = page.url().split('/').at(-1);
      const { spec, sites }: Campaign = await fresh.get(`campaigns/${id}`);
      assert.deepEqual([sites.map(({ url }) => url), spec.conditions.map(({ name }) => name)], [[offered.url], conditions]);
      // Who still looks at it would be told that it is gone.
      await page.goto('about:blank');
      await fresh.send('POST', `campaigns/${id}/cancel`);
      await fresh.delete(`campaigns/${id}`);
    }

    // Home turns into the list of sites by itself.
    await page.goto(`${fresh.url}/#/`);
    await page.waitForSelector('.first-steps');
    await fresh.makeCampaign({ name: 'the first', sites: [{ url: 'https://93.184.216.34/' }] });
    await page.waitForSelector('table.sites .site');
  },
);

test(
  'the list tells how far each is and what came out, follows what changes, and is narrowed by filters, which stand in the address',
  proves('dashboard-live', 'dashboard-results'),
  async () => {
    const site = [{ url: 'https://93.184.216.34/' }];
    const done = await service.makeCampaign({
      name: 'done',
      sites: site,
      conditions: ['native', '4g'],
      rounds: 9,
      protocols: ['h2', 'h3'],
    });
    await service.perform(done, Number.POSITIVE_INFINITY, (protocol, _round, random) => {
      const metrics = madeMetrics(protocol, random);
      return [{ verdict: 'valid', metrics: { ...metrics, onLoad: (metrics.onLoad ?? 0) * (protocol === 'h3' ? 0.7 : 1) } }];
    });
    await service.get(`campaigns/${done.id}/summary`);
    const running = await service.makeCampaign({ name: 'runs', sites: site, rounds: 3, protocols: ['h2', 'h3'] });
    await service.perform(running, 1);
    await using page = await open('#/campaigns');
    await saysAll(page, names, ['runs', 'done']);
    await saysAll(page, '.campaign .state', ['done']);
    await says(page, '.campaign:last-child .outcome', /^\s*HTTP\/3 faster\s*in 2,\s*\d+(\.\d)? (to \d+(\.\d)? )?%\s*$/);
    await saysAll(page, '.campaign .progress .words', ['1 of 3 rounds']);
    await service.perform(running, 1);
    await saysAll(page, '.campaign .progress .words', ['2 of 3 rounds']);
    await service.perform(running, 1);
    await saysAll(page, '.campaign .state', ['done', 'done']);

    const make = (name: string, url: string, more: object = {}): Promise<Campaign> =>
      service.makeCampaign({ name, sites: [{ url }], rounds: 1, ...more });
    await make('Nightly shop', 'https://93.184.216.40/', { annotations: { branch: 'main' }, priority: 'schedule' });
    await make('Pull request', 'https://93.184.216.40/basket', { annotations: { branch: 'fix' }, priority: 'ci' });
    const third = await make('By hand', 'https://93.184.216.41/');
    await service.send('POST', `campaigns/${third.id}/cancel`);
    await fill(page, 'input[name="search"]', '216.40/b');
    await saysAll(page, names, ['Pull request']);
    assert.deepEqual(query(page), { search: '216.40/b' });
    await page.reload();
    await saysAll(page, names, ['Pull request']);
    assert.equal(await page.$eval('input[name="search"]', (input) => (input as HTMLInputElement).value), '216.40/b');
    await press(page, '.clear');
    await has(page, '.campaign', 5);
    assert.deepEqual(query(page), {});

    await page.select('select[name="state"]', 'cancelled');
    await saysAll(page, names, ['By hand']);
    await press(page, '.more');
    await page.select('select[name="priority"]', 'ci');
    await page.waitForSelector('.empty');
    assert.deepEqual(query(page), { state: 'cancelled', priority: 'ci' });
    await page.goBack();
    await saysAll(page, names, ['By hand']);
    await page.select('select[name="state"]', '');
    await has(page, '.campaign', 5);
    await fill(page, 'input[name="branch"]', 'main');
    await saysAll(page, names, ['Nightly shop']);
    await inAddress(page, { branch: 'main' });

    // What does not fit on a page is a link away, which is an address of its own.
    for (let count = 6; count <= 52; count++) await make(`number ${count}`, 'https://93.184.216.34/');
    await page.goto(`${service.url}/#/campaigns`);
    await has(page, '.campaign', 50);
    assert.equal((await texts(page, names))[0], 'number 52');
    await press(page, '.pages a');
    await saysAll(page, names, ['runs', 'done']);
    assert.deepEqual(Object.keys(query(page)), ['cursor']);
    await page.goBack();
    await has(page, '.campaign', 50);
  },
);
