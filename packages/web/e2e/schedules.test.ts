// Schedules in a real Chrome: made, started, paused, changed, deleted; and what a reader who may only read sees.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, Schedule } from '@pronghorn/core/schemas';
import type { Page } from 'puppeteer-core';
import { invalid } from './made-visits.ts';
import { texts } from './pages.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' }, { schedules: true });

const nightly = { cron: '30 2 * * *', timeZone: 'America/New_York', campaign: { sites: [{ url: 'https://93.184.216.34/' }], rounds: 2 } };
const hasText = (page: Page, selector: string, words: string) =>
  page.waitForFunction((at, text) => document.querySelector(at)?.textContent?.includes(text) ?? false, {}, selector, words);

test('a schedule is made: its times are told as one types, what is refused stands beside its field and nothing is lost', async () => {
  await using page = await visitor(browser, service, '#/schedules', { refusals: true });
  await hasText(page, 'main', 'No schedule yet');
  await page.locator('main .primary').click();
  await page.locator('[name=cron]').fill('every night');
  await hasText(page, '.cron-fields', '"every night" is no cron expression');
  await page.locator('[name=cron]').fill('30 2 * * 1-5');
  await page.locator('[name=timeZone]').fill('America/New_York');
  await hasText(page, '.meaning', 'At 02:30, Monday through Friday');
  await page.waitForSelector('.next-times tbody tr:nth-child(3)');
  assert.match((await texts(page, '.next-times thead'))[0] ?? '', /America\/New_York/);
  await page.locator('.sites-field input').fill('https://93.184.216.34/');

  await page.locator('form .primary').click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'name');
  assert.equal(await page.$eval('[name=name]', (field) => field.getAttribute('aria-invalid')), 'true');
  assert.equal(await page.$eval('[name=cron]', (field) => (field as HTMLInputElement).value), '30 2 * * 1-5');

  await page.locator('[name=name]').fill('shop at night');
  await page.setOfflineMode(true);
  await page.locator('form .primary').click();
  await hasText(page, 'form', 'The Pronghorn service does not answer.');
  await page.setOfflineMode(false);
  await page.locator('form .primary').click();
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'shop at night');
  const [made] = (await service.get('schedules')).items as Schedule[];
  assert.deepEqual(
    [made?.cron, made?.timeZone, made?.campaign.sites],
    ['30 2 * * 1-5', 'America/New_York', [{ url: 'https://93.184.216.34/' }]],
  );
  assert.ok(page.url().endsWith(`#/schedules/${made?.id}`));
});

test('a schedule is paused, resumed, started by hand and deleted, and its list tells what became of its last start', async () => {
  const made: Schedule = await service.send('POST', 'schedules', { name: 'by hand', ...nightly });
  const card = `#schedule-${made.id}`;
  await using page = await visitor(browser, service, '#/schedules');
  await page.waitForSelector(card);
  await page.locator(`${card} ::-p-text(Pause)`).click();
  await hasText(page, card, 'paused');
  await page.locator(`${card} ::-p-text(Resume)`).click();
  await hasText(page, card, 'Pause');
  await hasText(page, card, 'America/New_York');

  await page.locator(`${card} ::-p-text(Start now)`).click();
  await page.waitForFunction(() => location.hash.startsWith('#/campaigns/'));
  const campaign: Campaign = await service.get(`campaigns/${page.url().split('/').at(-1)}`);
  await service.perform(campaign, Number.POSITIVE_INFINITY);
  await page.goto(`${service.url}/#/schedules/${made.id}`);
  await page.waitForSelector('.starts [data-outcome]');
  assert.match((await texts(page, '.starts tbody'))[0] ?? '', new RegExp(`by hand.*Campaign ${campaign.id}.*done`, 's'));

  await page.locator('::-p-text(Delete)').click();
  await page.waitForSelector('dialog[open]');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Keep it as it is', 'what is harmless has the focus');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('dialog[open]'));
  await page.locator('::-p-text(Delete)').click();
  await page.locator('dialog[open] .danger').click();
  await page.waitForFunction(() => location.hash === '#/schedules');
  await page.waitForFunction((gone) => document.querySelector('.schedules') && !document.querySelector(gone), {}, card);
});

test('a schedule is changed: its form begins with what is stored, campaign as fields and as JSON', async () => {
  const made: Schedule = await service.send('POST', 'schedules', { name: 'to change', ...nightly, jitterSeconds: 60 });
  await using page = await visitor(browser, service, `#/schedules/${made.id}/edit`);
  await page.waitForSelector('[name=jitterSeconds]');
  assert.equal(await page.$eval('[name=jitterSeconds]', (field) => (field as HTMLInputElement).value), '60');
  await page.locator('.fields-or-json ::-p-text(JSON)').click();
  const json = await page.$eval('.schedule-form textarea', (field) => (field as HTMLTextAreaElement).value);
  assert.deepEqual(JSON.parse(json), nightly.campaign);
  await page.locator('.schedule-form textarea').fill('{');
  await hasText(page, '.schedule-form', 'This is not JSON yet');
  await page.locator('.schedule-form textarea').fill(JSON.stringify({ ...nightly.campaign, rounds: 7 }));
  await page.locator('form .primary').click();
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'to change');
  assert.equal(((await service.get(`schedules/${made.id}`)) as Schedule).campaign.rounds, 7);
});

test('what is no number stands beside its field, and nothing is sent, in the schedule’s fields and in its campaign’s', async () => {
  const made: Schedule = await service.send('POST', 'schedules', { name: 'to mistype', ...nightly, jitterSeconds: 60 });
  await using page = await visitor(browser, service, `#/schedules/${made.id}/edit`);
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request.postData() ?? ''));
  await page.locator('details.more > summary').click();
  const rounds = '.campaign-form ::-p-aria([name="Rounds per page and network"])';
  const mistakes = ['[name=jitterSeconds]', '[name=regressionThreshold]', '[name=baselineRuns]', rounds];
  for (const field of mistakes) {
    await page.locator(field).fill('1,000');
    await page.locator('form .primary').click();
    await page.waitForFunction(
      (element) => element === document.activeElement && element?.getAttribute('aria-invalid') === 'true',
      {},
      await page.$(field),
    );
    await page.locator(field).fill(field === '[name=regressionThreshold]' ? '12,5' : '9');
  }
  assert.deepEqual(sent, []);
  await page.locator('form .primary').click();
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'to mistype');
  const { jitterSeconds, regressionThreshold, baselineRuns, campaign }: Schedule = await service.get(`schedules/${made.id}`);
  assert.deepEqual([jitterSeconds, regressionThreshold, baselineRuns, campaign.rounds], [9, 0.125, 9, 9]);
});

test('what a schedule’s campaign may not have, and no field shows, stands in its form', async () => {
  await using page = await visitor(browser, service, '#/schedules/new', { refusals: true });
  await page.locator('[name=name]').fill('with a priority');
  await page.locator('.fields-or-json ::-p-text(JSON)').click();
  await page.locator('.schedule-form textarea').fill(JSON.stringify({ ...nightly.campaign, priority: 'nope' }));
  await page.locator('.fields-or-json ::-p-text(Fields)').click();
  await page.click('form .primary');
  await hasText(page, '#campaign-problem', 'priority');
  await page.waitForFunction(() => document.activeElement?.id === 'campaign-problem');
});

test('a night whose page was down says so, where others say that nothing got worse', async () => {
  const made: Schedule = await service.send('POST', 'schedules', { name: 'down at night', ...nightly });
  const campaign: Campaign = await service.send('POST', `schedules/${made.id}/start`);
  await service.perform(campaign, Number.POSITIVE_INFINITY, () => [invalid('dns-error', 'no such host')]);
  await using page = await visitor(browser, service, `#/schedules/${made.id}`);
  await hasText(page, '.starts [data-name=Regressions]', 'not measured: 93.184.216.34');
  const cell = '.starts [data-name=Regressions]';
  assert.equal(await page.$eval(cell, (one) => one.textContent?.trim()), 'not measured: 93.184.216.34');
  assert.match(
    await page.$eval(`${cell} .bad`, (one) => one.getAttribute('title') ?? ''),
    /^Not measured: 93\.184\.216\.34, \d of \d visits over HTTP\/2 and HTTP\/3 are not valid: no such host\./,
  );
});

test('who may only read sees schedules without what changes them, and is told what it takes', async () => {
  const made: Schedule = await service.send('POST', 'schedules', { name: 'to read', ...nightly });
  const { token } = await service.makeToken('Reader', 'viewer');
  await using page = await visitor(browser, service, '#/schedules', { token });
  await page.waitForSelector(`#schedule-${made.id}`);
  assert.deepEqual(await texts(page, 'main button'), []);
  await page.goto(`${service.url}/#/schedules/new`);
  await hasText(page, 'main', 'whose role is submitter');
});
