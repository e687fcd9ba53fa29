// Schedules in a real Chrome: made, started, paused, changed, deleted; and what a reader who may only read sees.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Campaign, Schedule } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { invalid } from './made-visits.ts';
import { texts } from './pages.ts';
import { fill, hasFocus, isAt, press, says, saysAll } from './reader.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' }, { schedules: true });

const nightly = { cron: '30 2 * * *', timeZone: 'America/New_York', campaign: { sites: [{ url: 'https://93.184.216.34/' }], rounds: 2 } };

describe('schedules', proves('schedules', 'dashboard-forms'), () => {
  test('a schedule is made: its times are told as one types, what is refused stands beside its field and nothing is lost', async () => {
    await using page = await visitor(browser, service, '#/schedules', { refusals: true });
    await says(page, 'main', 'No schedule yet');
    await press(page, 'main .primary');
    await fill(page, '[name=cron]', 'every night');
    await says(page, '.cron-fields', '"every night" is no cron expression');
    await fill(page, '[name=cron]', '30 2 * * 1-5');
    await fill(page, '[name=timeZone]', 'America/New_York');
    await says(page, '.meaning', 'At 02:30, Monday through Friday');
    await page.waitForSelector('.next-times tbody tr:nth-child(3)');
    assert.match((await texts(page, '.next-times thead'))[0] ?? '', /America\/New_York/);
    await fill(page, '.sites-field input', 'https://93.184.216.34/');

    await press(page, 'form .primary');
    await hasFocus(page, '[name=name]');
    assert.equal(await page.$eval('[name=name]', (field) => field.getAttribute('aria-invalid')), 'true');
    assert.equal(await page.$eval('[name=cron]', (field) => (field as HTMLInputElement).value), '30 2 * * 1-5');

    await fill(page, '[name=name]', 'shop at night');
    await page.setOfflineMode(true);
    await press(page, 'form .primary');
    await says(page, 'form', 'The Pronghorn service does not answer.');
    await page.setOfflineMode(false);
    await press(page, 'form .primary');
    await saysAll(page, 'h1', ['shop at night']);
    const [made] = (await service.get('schedules')).items as Schedule[];
    assert.deepEqual(
      [made?.cron, made?.timeZone, made?.campaign.sites],
      ['30 2 * * 1-5', 'America/New_York', [{ url: 'https://93.184.216.34/' }]],
    );
    assert.ok(page.url().endsWith(`#/schedules/${made?.id}`));

    // What its campaign may not have, and no field shows, stands in its form.
    await page.goto(`${service.url}/#/schedules/new`);
    await fill(page, '[name=name]', 'with a priority');
    await press(page, '.fields-or-json ::-p-text(JSON)');
    await fill(page, '.schedule-form textarea', JSON.stringify({ ...nightly.campaign, priority: 'nope' }));
    await press(page, '.fields-or-json ::-p-text(Fields)');
    await press(page, 'form .primary');
    await says(page, '#campaign-problem', 'priority');
    await hasFocus(page, '#campaign-problem');
  });

  test('a schedule is paused, resumed, started by hand and deleted, and its list tells what became of its last start', async () => {
    const made: Schedule = await service.send('POST', 'schedules', { name: 'by hand', ...nightly });
    const card = `#schedule-${made.id}`;
    await using page = await visitor(browser, service, '#/schedules');
    await page.waitForSelector(card);
    await press(page, `${card} ::-p-text(Pause)`);
    await says(page, card, 'paused');
    await press(page, `${card} ::-p-text(Resume)`);
    await says(page, card, 'Pause');
    await says(page, card, 'America/New_York');

    await press(page, `${card} ::-p-text(Start now)`);
    await isAt(page, /^#\/campaigns\//);
    const campaign: Campaign = await service.get(`campaigns/${page.url().split('/').at(-1)}`);
    await service.perform(campaign, Number.POSITIVE_INFINITY);
    await page.goto(`${service.url}/#/schedules/${made.id}`);
    await page.waitForSelector('.starts [data-outcome]');
    assert.match((await texts(page, '.starts tbody'))[0] ?? '', new RegExp(`by hand.*Campaign ${campaign.id}.*done`, 's'));

    await press(page, '::-p-text(Delete)');
    await page.waitForSelector('dialog[open]');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Keep it as it is', 'what is harmless has the focus');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog[open]'));
    await press(page, '::-p-text(Delete)');
    await press(page, 'dialog[open] .danger');
    await isAt(page, /^#\/schedules$/);
    await page.waitForFunction((gone) => document.querySelector('.schedules') && !document.querySelector(gone), {}, card);
  });

  test('a schedule is changed: its form begins with what is stored, campaign as fields and as JSON', async () => {
    const made: Schedule = await service.send('POST', 'schedules', { name: 'to change', ...nightly, jitterSeconds: 60 });
    await using page = await visitor(browser, service, `#/schedules/${made.id}/edit`);
    await page.waitForSelector('[name=jitterSeconds]');
    assert.equal(await page.$eval('[name=jitterSeconds]', (field) => (field as HTMLInputElement).value), '60');
    await press(page, '.fields-or-json ::-p-text(JSON)');
    const json = await page.$eval('.schedule-form textarea', (field) => (field as HTMLTextAreaElement).value);
    assert.deepEqual(JSON.parse(json), nightly.campaign);
    await fill(page, '.schedule-form textarea', '{');
    await says(page, '.schedule-form', 'This is not JSON yet');
    await fill(page, '.schedule-form textarea', JSON.stringify({ ...nightly.campaign, rounds: 7 }));
    await press(page, 'form .primary');
    await saysAll(page, 'h1', ['to change']);
    assert.equal(((await service.get(`schedules/${made.id}`)) as Schedule).campaign.rounds, 7);

    // What is no number stands beside its field, and nothing is sent, in the schedule’s fields and in its campaign’s.
    await page.goto(`${service.url}/#/schedules/${made.id}/edit`);
    await page.waitForSelector('[name=jitterSeconds]');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && sent.push(request.postData() ?? ''));
    await press(page, 'details.more > summary');
    const rounds = '.campaign-form ::-p-aria([name="Rounds per page and network"])';
    const mistakes = ['[name=jitterSeconds]', '[name=regressionThreshold]', '[name=baselineRuns]', rounds];
    for (const field of mistakes) {
      await fill(page, field, '1,000');
      await press(page, 'form .primary');
      await page.waitForFunction(
        (element) => element === document.activeElement && element?.getAttribute('aria-invalid') === 'true',
        {},
        await page.$(field),
      );
      await fill(page, field, field === '[name=regressionThreshold]' ? '12,5' : '9');
    }
    assert.deepEqual(sent, []);
    await press(page, 'form .primary');
    await saysAll(page, 'h1', ['to change']);
    const { jitterSeconds, regressionThreshold, baselineRuns, campaign }: Schedule = await service.get(`schedules/${made.id}`);
    assert.deepEqual([jitterSeconds, regressionThreshold, baselineRuns, campaign.rounds], [9, 0.125, 9, 9]);
  });

  test('a night whose page was down says so, where others say that nothing got worse', async () => {
    const made: Schedule = await service.send('POST', 'schedules', { name: 'down at night', ...nightly });
    const campaign: Campaign = await service.send('POST', `schedules/${made.id}/start`);
    await service.perform(campaign, Number.POSITIVE_INFINITY, () => [invalid('dns-error', 'no such host')]);
    await using page = await visitor(browser, service, `#/schedules/${made.id}`);
    const cell = '.starts tbody [data-name=Regressions]';
    await saysAll(page, cell, ['not measured: 93.184.216.34']);
    assert.match(
      await page.$eval(`${cell} .bad`, (one) => one.getAttribute('title') ?? ''),
      /^Not measured: 93\.184\.216\.34, \d of \d visits over HTTP\/2 and HTTP\/3 are not valid: no such host\./,
    );
  });
});
