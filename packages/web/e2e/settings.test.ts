// Settings in a real Chrome: tokens, who is told, the audit log, the service, the theme.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SealedSecret, Token } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { Page } from 'puppeteer-core';
import { openPage, texts } from './pages.ts';
import { startService } from './service.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

const hasText = (page: Page, selector: string, words: string) =>
  page.waitForFunction((at, text) => document.querySelector(at)?.textContent?.includes(text) ?? false, {}, selector, words);

test('a token is made and shown once, works, and is revoked only when that is confirmed', async () => {
  await using page = await visitor(browser, service, '#/settings?part=tokens', { refusals: true });
  await page.locator('[name=name]').fill('12345');
  await page.click('form .primary');
  await page.waitForSelector('[name=name][aria-invalid=true]');
  await page.locator('[name=name]').fill('nightly build');
  await page.locator('[name=role]').fill('submitter');
  await page.locator('[name=days]').fill('30');
  await page.click('form .primary');
  await page.waitForSelector('.secret');
  const [secret = ''] = await texts(page, '.secret');
  const asNightly = () => fetch(`${service.url}/api/v1/campaigns`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await asNightly()).status, 200);
  const made = ((await service.get('tokens')).items as Token[]).find(({ name }) => name === 'nightly build');
  assert.equal(made?.role, 'submitter');
  assert.ok(Math.abs(Date.parse(made?.expiresAt ?? '') - Date.now() - 30 * 86_400_000) < 600_000);
  await hasText(page, 'table', 'nightly build');

  await page.reload();
  await hasText(page, 'table', 'nightly build');
  assert.equal(await page.$('.secret'), null, 'it is shown once');
  await page.locator('tbody ::-p-text(Revoke)').click();
  await hasText(page, 'dialog[open]', 'nightly build');
  assert.equal((await asNightly()).status, 200, 'not before it is confirmed');
  await page.locator('dialog[open] .danger').click();
  await page.waitForFunction(() => !document.querySelector('table')?.textContent?.includes('nightly build'));
  assert.equal((await asNightly()).status, 401);
  await page.locator('::-p-text(1 former token)').click();
  await hasText(page, 'table', 'revoked');

  await page.locator('nav[aria-label=Settings] ::-p-text(Audit log)').click();
  await hasText(page, 'table', 'token.revoke');
  await page.goBack();
  await hasText(page, 'main', 'Create a token');
});

test('a secret is sealed for its hosts, replaced and deleted, and its value is nowhere to be read', async () => {
  await using page = await visitor(browser, service, '#/settings?part=secrets', { refusals: true });
  await hasText(page, 'main', 'None yet.');
  await page.locator('[name=name]').fill('staging-password');
  await page.locator('[name=value]').fill('correct horse battery staple');
  await page.locator('[name=hosts]').fill('https://staging.example.com');
  await page.click('form .primary');
  await page.waitForSelector('[name=hosts][aria-invalid=true]');
  await page.locator('[name=hosts]').fill('staging.example.com *.cdn.example.com');
  await page.click('form .primary');
  await hasText(page, '[role=status]', 'secret:staging-password');
  await hasText(page, 'table', 'staging.example.com, *.cdn.example.com');

  await page.locator('tbody ::-p-text(Replace)').click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'value');
  await page.keyboard.type('another one');
  await page.locator('[name=hosts]').fill('staging.example.com');
  await page.click('form .primary');
  await page.waitForFunction(() => document.querySelector('table')?.textContent?.includes('cdn') === false);
  const { items } = await service.get('secrets');
  assert.deepEqual(
    items.map(({ name, hosts }: SealedSecret) => [name, hosts]),
    [['staging-password', ['staging.example.com']]],
  );
  for (const text of [await page.content(), JSON.stringify(items), JSON.stringify(await service.get('audit'))])
    for (const value of ['correct horse', 'another one']) assert.ok(!text.includes(value));

  await page.locator('tbody ::-p-text(Delete)').click();
  await page.locator('dialog[open] .danger').click();
  await hasText(page, 'main', 'None yet.');
});

test('a target is made with its secret shown once, tested, changed and deleted', async () => {
  await using page = await visitor(browser, service, '#/settings?part=notifications', { refusals: true });
  await hasText(page, 'main', 'No alert targets yet.');
  await page.locator('::-p-text(New alert target)').click();
  await page.locator('.target-form [name=name]').fill('the team');
  await page.select('.target-form [name=kind]', 'webhook');
  await page.locator('.target-form [name=url]').fill('http://127.0.0.1:9/hook');
  await page.click('.target-form .primary');
  await hasText(page, '.target-form', '127.0.0.1');
  await page.locator('.target-form [name=url]').fill('https://93.184.216.34/hook');
  await page.click('.target-form .primary');
  await page.waitForSelector('.secret');
  assert.match((await texts(page, '.secret'))[0] ?? '', /^whsec_/);

  await page.locator('::-p-text(Send a test)').click();
  await hasText(page, '.targets table', 'a test message');
  await hasText(page, '.targets table', 'waiting');
  await page.locator('.targets ::-p-text(Edit)').click();
  await page.locator('.target-form [name=name]').fill('the whole team');
  await page.click('.target-form .primary');
  await hasText(page, '.targets h3', 'the whole team');
  assert.equal((await service.get('notifications')).items[0].origin, 'https://93.184.216.34', 'the URL stays');
  await page.locator('.targets ::-p-text(Delete)').click();
  await page.locator('dialog[open] .danger').click();
  await hasText(page, 'main', 'No alert targets yet.');
});

test('a target of Slack is made without a secret, and gets one when it becomes a webhook', async () => {
  await using page = await visitor(browser, service, '#/settings?part=notifications');
  await page.locator('::-p-text(New alert target)').click();
  await page.locator('.target-form [name=name]').fill('the channel');
  await page.locator('.target-form [name=url]').fill('https://93.184.216.34/services');
  await page.click('.target-form .primary');
  await hasText(page, '.targets', 'the channel');
  assert.equal(await page.$('.secret'), null);
  await page.locator('.targets ::-p-text(Edit)').click();
  await page.select('.target-form [name=kind]', 'webhook');
  await page.click('.target-form .primary');
  await page.waitForSelector('.secret');
  assert.match((await texts(page, '.secret'))[0] ?? '', /^whsec_/);
  await service.delete('notifications/2');
});

test('the service says its version and whether it is ready; the theme is chosen and kept', async () => {
  await using page = await visitor(browser, service, '#/settings');
  await hasText(page, 'main', `Pronghorn ${version}`);
  await hasText(page, 'main', 'Ready.');
  await page.select('main .theme-choice select', 'dark');
  await page.waitForSelector('html[data-theme=dark]');
  await page.reload();
  await page.waitForSelector('html[data-theme=dark]');
  await hasText(page, 'main', 'signed in as admin');
});

test('a clock in doubt is a warning among what is fine', async () => {
  let aheadMs = 0;
  await using doubted = await startService({ kind: 'open' }, { now: () => Date.now() + aheadMs });
  aheadMs = 30 * 86_400_000;
  await using page = await openPage(browser, `${doubted.url}/#/settings`);
  await hasText(page, '.readiness', 'Nothing is removed by its age');
  const lines = await texts(page, '.readiness li');
  assert.deepEqual(
    lines.map((line) => line.match(/^\S+ \w+: [A-Z]\w+/)?.[0]),
    ['✓ fine: Database', '✓ fine: Schema', '✓ fine: Free', '! warning: Clock', '✓ fine: Evidence'],
  );
});

test('who is no admin is told so, and sees who is told without changing it', async () => {
  const { token } = await service.makeToken('Submitter', 'submitter');
  await using page = await visitor(browser, service, '#/settings?part=tokens', { token });
  await hasText(page, 'main', 'To see this, sign in with a token whose role is admin.');
  await page.locator('nav[aria-label=Settings] ::-p-text(Notifications)').click();
  await hasText(page, 'main', 'sign in with a token whose role is admin');
  assert.equal(await page.$('main .target-form'), null);
});
