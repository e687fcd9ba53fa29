// The first steps and the list of campaigns, in a real Chrome on the real api.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Campaign, runnerProtocol } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { Page } from 'puppeteer-core';
import { madeMetrics } from './made-visits.ts';
import { openPage, texts } from './pages.ts';
import { startService } from './service.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();

const names = (page: Page) => texts(page, '.campaigns .name');
const waitForNames = (page: Page, expected: readonly string[]) =>
  page.waitForFunction(
    (wanted) => [...document.querySelectorAll('.campaigns .name')].map((name) => name.textContent).join() === wanted,
    {},
    expected.join(),
  );
const query = (page: Page) => Object.fromEntries(new URLSearchParams(page.url().split('?')[1] ?? ''));

test('who has no campaign is told the three steps, and gets to the form by an address', async () => {
  await using fresh = await startService();
  await using page = await openPage(browser, `${fresh.url}/#/`);
  await page.waitForSelector('.first-steps .command');
  assert.deepEqual(await texts(page, '.first-steps h2, .first-steps h3'), [
    'Does HTTP/3 make your pages faster?',
    'Choose a page',
    'A runner measures',
    'Read the answer',
  ]);
  assert.match((await texts(page, '.first-steps code'))[0] ?? '', /^\.\/pronghorn runner --api http:\/\/127\.0\.0\.1:\d+$/);
  await page.type('.first-steps input[name="url"]', 'https://93.184.216.34/');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#/new?'));
  assert.equal(query(page).url, 'https://93.184.216.34/');
  // Home turns into the list of sites by itself.
  await page.goBack();
  await page.waitForSelector('.first-steps');
  await fresh.makeCampaign({ name: 'the first', sites: [{ url: 'https://93.184.216.34/' }] });
  await page.waitForSelector('table.sites .site');
});

test('beside a demo one click starts the first campaign, with what a runner there can make', async () => {
  const offered = { name: 'article', title: 'Article', url: 'https://93.184.216.34/', standsFor: 'a page of news' };
  for (const [backends, conditions] of [
    [['direct'], ['native']],
    [
      ['direct', 'veth', 'netem'],
      ['native', 'latency-100'],
    ],
  ] as const) {
    await using fresh = await startService(undefined, { offeredSites: [offered] });
    await fresh.send('POST', 'runners', {
      ...{ name: 'here', instance: randomUUID(), location: null, version, protocol: runnerProtocol },
      capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends },
      machine: { hostname: 'here', kernel: '6.12.9', arch: 'x64', cpu: 'a processor', cores: 4, memoryBytes: 8e9, node: 'v24.1.0' },
    });
    await using page = await openPage(browser, `${fresh.url}/#/`);
    await page.waitForSelector('.first-steps .ready');
    await page.locator('.offered button').click();
    await page.waitForFunction(() => location.hash.startsWith('#/campaigns/'));
    const { spec, sites }: Campaign = await fresh.get('campaigns/1');
    assert.deepEqual([sites.map(({ url }) => url), spec.conditions.map(({ name }) => name)], [[offered.url], conditions]);
  }
});

test('the list tells how far each is and what came out, and follows what changes', async () => {
  const site = [{ url: 'https://93.184.216.34/' }];
  const done = await service.makeCampaign({ name: 'done', sites: site, conditions: ['native', '4g'], rounds: 12, protocols: ['h2', 'h3'] });
  await service.perform(done, Number.POSITIVE_INFINITY, (protocol, _round, random) => {
    const metrics = madeMetrics(protocol, random);
    return [{ verdict: 'valid', metrics: { ...metrics, onLoad: (metrics.onLoad ?? 0) * (protocol === 'h3' ? 0.7 : 1) } }];
  });
  await service.get(`campaigns/${done.id}/summary`);
  const running = await service.makeCampaign({ name: 'runs', sites: site, rounds: 4, protocols: ['h2', 'h3'] });
  await service.perform(running, 1);
  await using page = await openPage(browser, `${service.url}/#/campaigns`);
  await waitForNames(page, ['runs', 'done']);
  assert.deepEqual(await texts(page, '.campaign .state'), ['done']);
  const [verdict = ''] = await texts(page, '.campaign:last-child .outcome');
  assert.match(verdict.trim(), /^HTTP\/3 faster\s*in 2,\s*\d+(\.\d)? (to \d+(\.\d)? )?%$/);
  assert.deepEqual(await texts(page, '.campaign .progress .words'), ['1 of 4 rounds']);
  await service.perform(running, 1);
  await page.waitForFunction(() => document.querySelector('.progress .words')?.textContent === '2 of 4 rounds');
  await service.perform(running, 2);
  await page.waitForFunction(() => document.querySelector('.campaign .state')?.textContent === 'done');
});

test('filters narrow as one types, stand in the address, and are undone by the back button or at once', async () => {
  const make = (name: string, url: string, more: object = {}): Promise<Campaign> =>
    service.makeCampaign({ name, sites: [{ url }], rounds: 1, ...more });
  await make('Nightly shop', 'https://93.184.216.40/', { annotations: { branch: 'main' }, priority: 'schedule' });
  await make('Pull request', 'https://93.184.216.40/basket', { annotations: { branch: 'fix' }, priority: 'ci' });
  const third = await make('By hand', 'https://93.184.216.41/');
  await service.send('POST', `campaigns/${third.id}/cancel`);
  await using page = await openPage(browser, `${service.url}/#/campaigns`);
  await page.waitForSelector('.campaigns');
  await page.type('input[name="search"]', '216.40/b');
  await waitForNames(page, ['Pull request']);
  assert.deepEqual(query(page), { search: '216.40/b' });
  await page.reload();
  await waitForNames(page, ['Pull request']);
  assert.equal(await page.$eval('input[name="search"]', (input) => (input as HTMLInputElement).value), '216.40/b');
  await page.click('.clear');
  await page.waitForFunction(() => document.querySelectorAll('.campaign').length > 3);
  assert.deepEqual(query(page), {});

  await page.select('select[name="state"]', 'cancelled');
  await waitForNames(page, ['By hand']);
  await page.click('.more');
  await page.select('select[name="priority"]', 'ci');
  await page.waitForSelector('.empty');
  assert.deepEqual(query(page), { state: 'cancelled', priority: 'ci' });
  await page.goBack();
  await waitForNames(page, ['By hand']);
  await page.select('select[name="state"]', '');
  await page.type('input[name="branch"]', 'main');
  await waitForNames(page, ['Nightly shop']);
  assert.deepEqual(query(page), { branch: 'main' });
});

test('what does not fit on a page is a link away, which is an address of its own', async () => {
  await using many = await startService();
  for (let count = 1; count <= 60; count++)
    await many.makeCampaign({ name: `number ${count}`, sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
  await using page = await openPage(browser, `${many.url}/#/campaigns`);
  await page.waitForFunction(() => document.querySelectorAll('.campaign').length === 50);
  assert.equal((await names(page))[0], 'number 60');
  await page.click('.pages a');
  await page.waitForFunction(() => document.querySelectorAll('.campaign').length === 10);
  assert.equal((await names(page)).at(-1), 'number 1');
  assert.deepEqual(Object.keys(query(page)), ['cursor']);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('.campaign').length === 50);
});
