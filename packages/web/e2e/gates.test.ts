// Gates in a real Chrome: written by fields and as JSON, asked of a campaign, deleted.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Gate } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { invalid, madeMetrics } from './made-visits.ts';
import { texts } from './pages.ts';
import { fill, has, hasFocus, isAt, press, says, saysAll } from './reader.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

const field = (place: number, label: string) => `.assertions li:nth-child(${place}) ::-p-aria([name="${label}"])`;
const gates = async (): Promise<Gate[]> => (await service.get('gates')).items;

describe('gates', proves('gates', 'dashboard-forms'), () => {
  test('a gate is written by fields, which are the same as its JSON, and every line is read by the service as one types', async () => {
    await using page = await visitor(browser, service, '#/gates');
    await says(page, 'main', 'No gate yet');
    await press(page, 'main .primary');
    await fill(page, '[name=name]', 'budget');
    await says(page, '.assertions .line', 'onLoad p75 <= 2500 ms');

    await fill(page, field(1, 'At most (ms)'), '');
    await says(page, '.assertions', 'A bound has neither max nor min');
    await fill(page, field(1, 'At most (ms)'), '1800');
    await says(page, '.assertions .line', 'onLoad p75 <= 1800 ms');

    await press(page, '::-p-text(Add an assertion)');
    await fill(page, field(2, 'What must hold'), 'protocols');
    await says(page, '.assertions li:nth-child(2) .line', 'onLoad h3 <= h2 + 5 %');

    await press(page, '.fields-or-json ::-p-text(JSON)');
    const area = await page.waitForSelector('.gate-form textarea');
    assert.deepEqual(JSON.parse((await area?.evaluate((element) => (element as HTMLTextAreaElement).value)) ?? ''), [
      { kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 1800 },
      { kind: 'protocols', metric: 'onLoad', candidate: 'h3', baseline: 'h2', margin: 0.05 },
    ]);
    const lines = ['onLoad p75 <= 1.8 s', 'h3Share median h3 >= 90 %', 'speedIndex <= baseline + 10 % on 4g'];
    await fill(page, '.gate-form textarea', JSON.stringify([...lines, 'onLoad < 2']));
    await says(page, '.gate-form', '"<" is used where <= or >= is expected');
    await fill(page, '.gate-form textarea', JSON.stringify(lines));
    await says(page, '.bullets', 'speedIndex <= baseline + 10 % on 4g');
    await press(page, '.fields-or-json ::-p-text(Fields)');
    await page.waitForSelector('.assertions li:nth-child(3)');
    const share = await page.waitForSelector(field(2, 'At least (%)'));
    assert.equal(await share?.evaluate((input) => (input as HTMLInputElement).value), '90');
    await isAt(page, /gates\/new$/);

    await press(page, 'form .primary');
    await saysAll(page, 'h1', ['budget']);
    assert.deepEqual((await gates())[0]?.rules.assertions[2], {
      kind: 'baseline',
      metric: 'speedIndex',
      margin: 0.1,
      condition: '4g',
    });
  });

  test('a gate with what is no number, or what its campaign may not have, is not sent, and the reader is put there', async () => {
    // Who types slowly has the service read what is not complete yet, and hears from it.
    await using page = await visitor(browser, service, '#/gates/new', { refusals: true });
    await fill(page, '[name=name]', 'mistyped');
    await press(page, '[name=hasCampaign]:not(:checked)');
    const show = (name: string) =>
      press(page, `::-p-xpath(//fieldset[legend="How the campaign is shown"]/button[normalize-space()="${name}"])`);
    await show('JSON');
    const campaign = { sites: [{ url: 'https://93.184.216.34/' }], rounds: 9 };
    await fill(page, '.gate-form textarea.json', JSON.stringify({ ...campaign, maximumRounds: 40 }));
    await show('Fields');
    await says(page, '#campaign-problem', 'maximumRounds');
    await press(page, 'form .primary');
    await hasFocus(page, '#campaign-problem');

    await show('JSON');
    await fill(page, '.gate-form textarea.json', JSON.stringify(campaign));
    await show('Fields');
    await press(page, 'details.more > summary');
    for (const [label, right] of [
      ['Confidence', '99'],
      ['Rounds per page and network', '12'],
    ] as const) {
      const input = `.gate-form ::-p-aria([name="${label}"])`;
      await fill(page, input, '1,000');
      // Not by the mouse: the words that appear under the field once it is left move the button away under it.
      await page.keyboard.press('Enter');
      await page.waitForFunction(
        (element) => element === document.activeElement && element?.getAttribute('aria-invalid') === 'true',
        {},
        await page.$(input),
      );
      await fill(page, input, right);
    }
    assert.ok(!(await gates()).some(({ name }) => name === 'mistyped'));
    await press(page, 'form .primary');
    await saysAll(page, 'h1', ['mistyped']);
    const made = (await gates()).find(({ name }) => name === 'mistyped');
    assert.deepEqual([made?.rules.confidence, made?.campaign?.rounds], [0.99, 12]);
  });

  test('a gate is asked of a campaign that is done; its answer has every check, and stands among what it said until it is deleted', async () => {
    const campaign = await service.makeCampaign({
      name: 'the shop',
      sites: [{ url: 'https://93.184.216.34/', name: 'shop' }],
      protocols: ['h2', 'h3'],
      rounds: 14,
    });
    await service.perform(campaign, 14);
    const gate: Gate = await service.send('POST', 'gates', {
      ...{ name: 'page speed', campaign: null },
      rules: { assertions: ['onLoad p75 <= 0.2 s', 'onLoad p75 <= 5 s'] },
    });
    await using page = await visitor(browser, service, `#/gates/${gate.id}`);
    await press(page, '.check-campaign .primary');
    await says(page, '.check-campaign .bad', 'Choose a campaign.');
    await press(page, '.campaign-picker summary');
    await fill(page, '.panel input', 'the shop');
    await press(page, '.panel ul[aria-label="Found"] .option');
    await says(page, '.check-campaign', 'the shop');
    await press(page, '.check-campaign .primary');
    await says(page, '.answer .gate-result', 'shop, native');
    await says(page, '.answer .state', /^\s*✕ fail\s*$/);
    const rows = await texts(page, '.answer tbody tr');
    assert.equal(rows.length, 4, 'two assertions over two protocols');
    assert.match(rows[0] ?? '', /fail.*onLoad p75 <= 200 ms.*shop, native, cold.*at most 200 ms is allowed/s);
    assert.match(rows[3] ?? '', /pass/);
    await page.waitForSelector('.answers [data-outcome=fail]');
    await says(page, '.newest', '2 of 4 checks fail');

    await page.goto(`${service.url}/#/gates`);
    await says(page, `#gate-${gate.id}`, '2 of 4 checks fail');

    // What a pipeline needs can be copied, and a gate is deleted only when that is confirmed.
    await page.goto(`${service.url}/#/gates/${gate.id}`);
    await says(page, 'main', 'In a pipeline');
    const copied = (await texts(page, '.copied-lines pre')).join('\n');
    assert.match(copied, /pronghorn gate --gate 'page speed' --url/);
    assert.ok(copied.includes(`api: ${service.url}`));
    await press(page, '::-p-text(Delete)');
    await press(page, 'dialog[open] .danger');
    await isAt(page, /^#\/gates$/);
    await has(page, `#gate-${gate.id}`, 0);
    assert.ok(!(await gates()).some(({ id }) => id === gate.id));
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
    await says(
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
    await says(page, `#gate-${gate.id}`, 'unmeasured');
  });
});
