// Settings in a real Chrome: tokens, who is told, the audit log, the service, the theme.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SealedSecret, Token } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { version } from '@pronghorn/core/vocabulary';
import { openPage, texts } from './pages.ts';
import { fill, hasFocus, press, says } from './reader.ts';
import { startService } from './service.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

describe('settings', proves('access', 'secrets', 'schedules', 'service'), () => {
  test('a token is made and shown once, works, and is revoked only when that is confirmed', async () => {
    await using page = await visitor(browser, service, '#/settings?part=tokens', { refusals: true });
    await fill(page, '[name=name]', '12345');
    await press(page, 'form .primary');
    await page.waitForSelector('[name=name][aria-invalid=true]');
    await fill(page, '[name=name]', 'nightly build');
    await fill(page, '[name=role]', 'submitter');
    await fill(page, '[name=days]', '30');
    await press(page, 'form .primary');
    await page.waitForSelector('.secret');
    const [secret = ''] = await texts(page, '.secret');
    const asNightly = () => fetch(`${service.url}/api/v1/campaigns`, { headers: { authorization: `Bearer ${secret}` } });
    assert.equal((await asNightly()).status, 200);
    const made = ((await service.get('tokens')).items as Token[]).find(({ name }) => name === 'nightly build');
    assert.equal(made?.role, 'submitter');
    assert.ok(Math.abs(Date.parse(made?.expiresAt ?? '') - Date.now() - 30 * 86_400_000) < 600_000);
    await says(page, 'table', 'nightly build');

    await page.reload();
    await says(page, 'table', 'nightly build');
    assert.equal(await page.$('.secret'), null, 'it is shown once');
    await press(page, 'tbody ::-p-text(Revoke)');
    await says(page, 'dialog[open]', 'nightly build');
    assert.equal((await asNightly()).status, 200, 'not before it is confirmed');
    await press(page, 'dialog[open] .danger');
    await page.waitForFunction(() => !document.querySelector('table')?.textContent?.includes('nightly build'));
    assert.equal((await asNightly()).status, 401);
    await press(page, '::-p-text(1 former token)');
    await says(page, 'table', 'revoked');

    await press(page, 'nav[aria-label=Settings] ::-p-text(Audit log)');
    await says(page, 'table', 'token.revoke');
    await page.goBack();
    await says(page, 'main', 'Create a token');
  });

  test('a secret is sealed for its hosts, replaced and deleted, and its value is nowhere to be read', async () => {
    await using page = await visitor(browser, service, '#/settings?part=secrets', { refusals: true });
    await says(page, 'main', 'None yet.');
    await fill(page, '[name=name]', 'staging-password');
    await fill(page, '[name=value]', 'correct horse battery staple');
    await fill(page, '[name=hosts]', 'https://staging.example.com');
    await press(page, 'form .primary');
    await page.waitForSelector('[name=hosts][aria-invalid=true]');
    await fill(page, '[name=hosts]', 'staging.example.com *.cdn.example.com');
    await press(page, 'form .primary');
    await says(page, '[role=status]', 'secret:staging-password');
    await says(page, 'table', 'staging.example.com, *.cdn.example.com');

    await press(page, 'tbody ::-p-text(Replace)');
    await hasFocus(page, '[name=value]');
    await page.keyboard.type('another one');
    await fill(page, '[name=hosts]', 'staging.example.com');
    await press(page, 'form .primary');
    await page.waitForFunction(() => document.querySelector('table')?.textContent?.includes('cdn') === false);
    const { items } = await service.get('secrets');
    assert.deepEqual(
      items.map(({ name, hosts }: SealedSecret) => [name, hosts]),
      [['staging-password', ['staging.example.com']]],
    );
    for (const text of [await page.content(), JSON.stringify(items), JSON.stringify(await service.get('audit'))])
      for (const value of ['correct horse', 'another one']) assert.ok(!text.includes(value));

    await press(page, 'tbody ::-p-text(Delete)');
    await press(page, 'dialog[open] .danger');
    await says(page, 'main', 'None yet.');
  });

  test('a target is made with its secret shown once, tested, changed and deleted', async () => {
    await using page = await visitor(browser, service, '#/settings?part=notifications', { refusals: true });
    await says(page, 'main', 'No alert targets yet.');
    await press(page, '::-p-text(New alert target)');
    await fill(page, '.target-form [name=name]', 'the team');
    await page.select('.target-form [name=kind]', 'webhook');
    await fill(page, '.target-form [name=url]', 'http://127.0.0.1:9/hook');
    await press(page, '.target-form .primary');
    await says(page, '.target-form', '127.0.0.1');
    await fill(page, '.target-form [name=url]', 'https://93.184.216.34/hook');
    await press(page, '.target-form .primary');
    await page.waitForSelector('.secret');
    assert.match((await texts(page, '.secret'))[0] ?? '', /^whsec_/);

    await press(page, '::-p-text(Send a test)');
    await says(page, '.targets table', 'a test message');
    await says(page, '.targets table', 'waiting');
    await press(page, '.targets ::-p-text(Edit)');
    await fill(page, '.target-form [name=name]', 'the whole team');
    await press(page, '.target-form .primary');
    await says(page, '.targets h3', 'the whole team');
    assert.equal((await service.get('notifications')).items[0].origin, 'https://93.184.216.34', 'the URL stays');
    await press(page, '.targets ::-p-text(Delete)');
    await press(page, 'dialog[open] .danger');
    await says(page, 'main', 'No alert targets yet.');

    // One of Slack has no secret, and gets one when it becomes a webhook.
    await press(page, '::-p-text(New alert target)');
    await fill(page, '.target-form [name=name]', 'the channel');
    await fill(page, '.target-form [name=url]', 'https://93.184.216.34/services');
    await press(page, '.target-form .primary');
    await says(page, '.targets', 'the channel');
    assert.equal(await page.$('.secret'), null);
    await press(page, '.targets ::-p-text(Edit)');
    await page.select('.target-form [name=kind]', 'webhook');
    await press(page, '.target-form .primary');
    await page.waitForSelector('.secret');
    assert.match((await texts(page, '.secret'))[0] ?? '', /^whsec_/);
    await service.delete('notifications/2');
  });

  test('the service says its version, whether it is ready and who is signed in', async () => {
    await using page = await visitor(browser, service, '#/settings');
    await says(page, 'main', `Pronghorn ${version}`);
    await says(page, 'main', 'Ready.');
    await says(page, 'main', 'signed in as admin');
  });

  test('a clock in doubt is a warning among what is fine', async () => {
    let aheadMs = 0;
    await using doubted = await startService({ kind: 'open' }, { now: () => Date.now() + aheadMs });
    aheadMs = 30 * 86_400_000;
    await using page = await openPage(browser, `${doubted.url}/#/settings`);
    await says(page, '.readiness', 'Nothing is removed by its age');
    const lines = await texts(page, '.readiness li');
    assert.deepEqual(
      lines.map((line) => line.match(/^\S+ \w+: [A-Z]\w+/)?.[0]),
      ['✓ fine: Database', '✓ fine: Schema', '✓ fine: Free', '! warning: Clock', '✓ fine: Evidence'],
    );
  });
});
