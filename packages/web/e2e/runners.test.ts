// Runners and the queue in a real Chrome; the runners say who they are through the API.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Lease, type Runner, type RunnerRegistration, runnerProtocol } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { Page } from 'puppeteer-core';
import { texts } from './pages.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

const registration = (name: string, given: Partial<RunnerRegistration> = {}): RunnerRegistration => ({
  name,
  instance: randomUUID(),
  location: 'fra',
  version,
  protocol: runnerProtocol,
  capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct', 'guest'] },
  machine: { hostname: name, kernel: '6.12.9', arch: 'x64', cpu: 'a processor', cores: 4, memoryBytes: 8e9, node: 'v24.1.0' },
  ...given,
});
const hasText = (page: Page, selector: string, words: string) =>
  page.waitForFunction((at, text) => document.querySelector(at)?.textContent?.includes(text) ?? false, {}, selector, words);

test('without a runner the page says how to add one, with this service’s address', async () => {
  await using page = await visitor(browser, service, '#/runners');
  await hasText(page, 'main', 'No runner yet');
  await hasText(page, 'main', 'The queue is empty.');
  assert.ok((await texts(page, '.copied-lines pre'))[0]?.includes(`--api ${service.url} --token-file`));
  await page.locator('::-p-text(Create one)').click();
  await page.waitForSelector('[name=role]');
  assert.equal(await page.$eval('[name=role]', (field) => (field as HTMLSelectElement).value), 'runner');
});

test('runners are shown as they are: at work with their round, differing in version, in trouble, stopped; and who waits for one', async () => {
  const one = registration('frankfurt-1');
  const busy: Runner = await service.send('POST', 'runners', one);
  const old: Runner = await service.send('POST', 'runners', registration('old', { version: '0.0.1', location: null }));
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/', name: 'shop' }], rounds: 3, location: 'fra' });
  await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 5, location: 'syd', priority: 'ci' });
  const lease: Lease = await service.send('POST', 'leases', { runner: 'frankfurt-1', instance: one.instance });
  const card = (runner: Runner) => `#runner-${runner.id}`;

  await using page = await visitor(browser, service, '#/runners');
  await hasText(page, card(busy), `campaign ${campaign.id}`);
  assert.match((await texts(page, card(busy)))[0] ?? '', /busy.*(just now|ago).*fra.*0 rounds.*direct, guest/s);
  assert.match((await texts(page, card(old)))[0] ?? '', /unknown.*0\.0\.1.*older than the service/s);
  await hasText(page, 'main', 'none: start one, or these rounds stay queued');

  // The page is told what changes while it stands.
  await service.send('POST', `leases/${lease.id}/release`, { reason: 'made to be given back' });
  const sign = { instance: one.instance, doing: 'working', trouble: 'The disk is full.', cpuShare: 0.5 };
  await service.send('POST', `runners/${busy.id}/heartbeat`, sign);
  await hasText(page, card(busy), 'The disk is full.');
  await hasText(page, card(busy), 'alive');
  await page.locator(`${card(busy)} th a`).click();
  await hasText(page, 'main', 'guest: a kernel of its own shapes packets');
  await hasText(page, 'main', '0 rounds done, 0 lost.');

  await service.send('POST', `runners/${busy.id}/heartbeat`, { ...sign, doing: 'stopped', trouble: null });
  await page.locator('::-p-text(Forget)').click();
  await page.locator('dialog[open] .danger').click();
  await page.waitForFunction(() => location.hash === '#/runners');
  await page.waitForFunction((gone) => document.querySelector('.runners') && !document.querySelector(gone), {}, card(busy));
});

test('ages are by the service’s clock, whatever the browser’s says', async () => {
  await service.send('POST', 'runners', registration('on time'));
  await using page = await visitor(browser, service, '#/runners');
  await page.evaluateOnNewDocument(() => {
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
  });
  await page.reload();
  await page.waitForSelector('.seen');
  for (const words of await texts(page, '.seen')) assert.match(words, /^(just now|\d+ s ago|1 min ago)$/);
});
