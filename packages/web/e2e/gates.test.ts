// Gates in a real Chrome: written by fields and as JSON, asked of a campaign, deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gate } from '@pronghorn/core/schemas';
import type { Page } from 'puppeteer-core';
import { invalid, madeMetrics } from './made-visits.ts';
import { texts } from './pages.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

const hasText = (page: Page, selector: string, words: string) =>
  page.waitForFunction((at, text) => document.querySelector(at)?.textContent?.includes(text) ?? false, {}, selector, words);
const field = (place: number, label: string) => `.assertions li:nth-child(${place}) ::-p-aria([name="${label}"])`;

test('a gate is written by fields, which are the same as its JSON, and every line is read by the service as one types', async () => {
  await using page = await visitor(browser, service, '#/gates');
  await hasText(page, 'main', 'No gate yet');
  await page.click('main .primary');
  await page.locator('[name=name]').fill('budget');
  await hasText(page, '.assertions .line', 'onLoad p75 <= 2500 ms');

  await page.locator(field(1, 'At most (ms)')).click({ count: 3 });
  await page.keyboard.press('Backspace');
  await hasText(page, '.assertions', 'A bound has neither max nor min');
  await page.locator(field(1, 'At most (ms)')).fill('1800');
  await hasText(page, '.assertions .line', 'onLoad p75 <= 1800 ms');

  await page.locator('::-p-text(Add an assertion)').click();
  await page.locator(field(2, 'What must hold')).fill('protocols');
  await hasText(page, '.assertions li:nth-child(2) .line', 'onLoad h3 <= h2 + 5 %');

  await page.locator('.fields-or-json ::-p-text(JSON)').click();
  const json = await page.$eval('.gate-form textarea', (area) => (area as HTMLTextAreaElement).value);
  assert.deepEqual(JSON.parse(json), [
    { kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 1800 },
    { kind: 'protocols', metric: 'onLoad', candidate: 'h3', baseline: 'h2', margin: 0.05 },
  ]);
  const lines = ['onLoad p75 <= 1.8 s', 'h3Share median h3 >= 90 %', 'speedIndex <= baseline + 10 % on 4g'];
  await page.locator('.gate-form textarea').fill(JSON.stringify([...lines, 'onLoad < 2']));
  await hasText(page, '.gate-form', '"<" is used where <= or >= is expected');
  await page.locator('.gate-form textarea').fill(JSON.stringify(lines));
  await hasText(page, '.bullets', 'speedIndex <= baseline + 10 % on 4g');
  await page.locator('.fields-or-json ::-p-text(Fields)').click();
  await page.waitForSelector('.assertions li:nth-child(3)');
  await page.waitForSelector(field(2, 'At least (%)'));
  assert.equal(await page.$eval(field(2, 'At least (%)'), (input) => (input as HTMLInputElement).value), '90');
  assert.match(page.url(), /gates\/new$/);

  await page.locator('form .primary').click();
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'budget');
  const [made] = (await service.get('gates')).items as Gate[];
  assert.deepEqual(made?.rules.assertions[2], { kind: 'baseline', metric: 'speedIndex', margin: 0.1, condition: '4g' });
});

test('a gate with what is no number is not sent: its confidence, and its campaign’s rounds', async () => {
  // Who types slowly has the service read what is not complete yet, and hears from it.
  await using page = await visitor(browser, service, '#/gates/new', { refusals: true });
  await page.locator('[name=name]').fill('mistyped');
  await page.locator('[name=hasCampaign]:not(:checked)').click();
  await page.locator('.sites-field input').fill('https://93.184.216.34/');
  await page.locator('details.more > summary').click();
  for (const [label, right] of [
    ['Confidence', '99'],
    ['Rounds per page and network', '12'],
  ] as const) {
    const field = `.gate-form ::-p-aria([name="${label}"])`;
    await page.locator(field).fill('1,000');
    // Not by the mouse: the words that appear under the field once it is left move the button away under it.
    await (await page.$(field))?.press('Enter');
    await page.waitForFunction(
      (element) => element === document.activeElement && element?.getAttribute('aria-invalid') === 'true',
      {},
      await page.$(field),
    );
    await page.locator(field).fill(right);
  }
  assert.deepEqual(
    ((await service.get('gates')).items as Gate[]).filter(({ name }) => name === 'mistyped'),
    [],
  );
  await page.click('form .primary');
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'mistyped');
  const made = ((await service.get('gates')).items as Gate[]).find(({ name }) => name === 'mistyped');
  assert.deepEqual([made?.rules.confidence, made?.campaign?.rounds], [0.99, 12]);
});

test('what a gate’s campaign may not have, and no field shows, stands in its form', async () => {
  await using page = await visitor(browser, service, '#/gates/new', { refusals: true });
  await page.locator('[name=name]').fill('with more rounds');
  await page.locator('[name=hasCampaign]:not(:checked)').click();
  const show = (name: string) =>
    page.locator(`::-p-xpath(//fieldset[legend="How the campaign is shown"]/button[normalize-space()="${name}"])`).click();
  await show('JSON');
  const campaign = { sites: [{ url: 'https://93.184.216.34/' }], rounds: 9, maximumRounds: 40 };
  await page.locator('.gate-form textarea.json').fill(JSON.stringify(campaign));
  await show('Fields');
  await hasText(page, '#campaign-problem', 'maximumRounds');
  await page.click('form .primary');
  await page.waitForFunction(() => document.activeElement?.id === 'campaign-problem');
});

test('a gate is asked of a campaign that is done; its answer has every check, and stands among what it said', async () => {
  const campaign = await service.makeCampaign({
    name: 'the shop',
    sites: [{ url: 'https://93.184.216.34/', name: 'shop' }],
    protocols: ['h2', 'h3'],
    rounds: 14,
  });
  await service.perform(campaign, 14);
  const gate: Gate = await service.send('POST', 'gates', {
    ...{ name: 'strict', campaign: null },
    rules: { assertions: ['onLoad p75 <= 0.2 s', 'onLoad p75 <= 5 s'] },
  });
  await using page = await visitor(browser, service, `#/gates/${gate.id}`);
  await page.locator('.check-campaign .primary').click();
  await hasText(page, '.check-campaign .bad', 'Choose a campaign.');
  await page.click('.campaign-picker summary');
  await (await page.waitForSelector('.panel input'))?.type('the shop');
  await page.waitForFunction(() => document.querySelector('.panel ul')?.getAttribute('aria-label') === 'Found');
  await page.click('.panel .option');
  await hasText(page, '.check-campaign', 'the shop');
  await page.locator('.check-campaign .primary').click();
  await page.waitForSelector('.answer .gate-result');
  await hasText(page, '.answer tbody', 'shop, native');
  assert.equal((await texts(page, '.answer .state'))[0]?.trim(), '✕ fail');
  const rows = await texts(page, '.answer tbody tr');
  assert.equal(rows.length, 4, 'two assertions over two protocols');
  assert.match(rows[0] ?? '', /fail.*onLoad p75 <= 200 ms.*shop, native, cold.*at most 200 ms is allowed/s);
  assert.match(rows[3] ?? '', /pass/);
  await page.waitForSelector('.answers [data-outcome=fail]');
  await hasText(page, '.newest', '2 of 4 checks fail');

  await page.goto(`${service.url}/#/gates`);
  await hasText(page, `#gate-${gate.id}`, '2 of 4 checks fail');
});

test('a gate of a page that was down says unmeasured, in words and as loud as a failure, before what can’t be told', async () => {
  const sites = [
    { url: 'https://93.184.216.40/', name: 'down' },
    { url: 'https://93.184.216.41/', name: 'up' },
  ];
  const campaign = await service.makeCampaign({ name: 'half down', sites, protocols: ['h2'], rounds: 4 });
  await service.perform(campaign, Number.POSITIVE_INFINITY, (protocol, _round, random, _condition, url) =>
    url === sites[0]?.url
      ? [invalid('http-status', 'The document’s status is 503; expected 200.')]
      : [{ verdict: 'valid', metrics: madeMetrics(protocol, random) }],
  );
  const gate: Gate = await service.send('POST', 'gates', {
    ...{ name: 'while down', campaign: null },
    rules: { assertions: ['onLoad p75 <= 5 s'] },
  });
  await service.send('POST', 'gates/check', { gateId: gate.id, campaignId: campaign.id });
  await using page = await visitor(browser, service, `#/gates/${gate.id}`);
  await page.waitForSelector('.answers [data-outcome=unmeasured]');
  await hasText(
    page,
    '.answers',
    '1 of 2 checks is unmeasured, 1 is inconclusive, none fails: the page was down, blocked or hardly ever valid.',
  );
  const chip = await page.$eval('.answers .state-unmeasured', (one) => ({
    text: one.textContent?.trim(),
    weight: getComputedStyle(one).fontWeight,
  }));
  assert.deepEqual(chip, { text: '! unmeasured', weight: '650' });
  await page.goto(`${service.url}/#/gates`);
  await hasText(page, `#gate-${gate.id}`, 'unmeasured');
});

test('what a pipeline needs can be copied, and a gate is deleted only when that is confirmed', async () => {
  const gate: Gate = await service.send('POST', 'gates', { name: 'page speed', campaign: null, rules: { assertions: ['onLoad <= 2 s'] } });
  await using page = await visitor(browser, service, `#/gates/${gate.id}`);
  await hasText(page, 'main', 'In a pipeline');
  const copied = (await texts(page, '.copied-lines pre')).join('\n');
  assert.match(copied, /pronghorn gate --gate 'page speed' --url/);
  assert.ok(copied.includes(`api: ${service.url}`));
  await page.locator('::-p-text(Delete)').click();
  await page.locator('dialog[open] .danger').click();
  await page.waitForFunction(() => location.hash === '#/gates');
  assert.ok(!(await service.get('gates')).items.some(({ id }: Gate) => id === gate.id));
});

test('who may only read sees what a gate asserts and said, and nothing that changes it', async () => {
  const gate: Gate = await service.send('POST', 'gates', { name: 'to read', campaign: null, rules: { assertions: ['onLoad <= 2 s'] } });
  const { token } = await service.makeToken('Reader', 'viewer');
  await using page = await visitor(browser, service, `#/gates/${gate.id}`, { token });
  await hasText(page, '.bullets', 'onLoad <= 2 s');
  assert.equal(await page.$('.check-campaign'), null);
  assert.equal(await page.$('main .danger'), null);
  await page.goto(`${service.url}/#/gates/new`);
  await hasText(page, 'main', 'whose role is submitter');
});
