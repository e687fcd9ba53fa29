// Conditions: found, made, changed, deleted, and what links did under them; in a real Chrome against the real api.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { texts } from './pages.ts';
import { fill, has, hasFocus, isAt, press, says } from './reader.ts';
import { setStage } from './stage.ts';

const { service, open } = await setStage();

const field = (label: string, direction = '') =>
  `xpath/.//${direction === '' ? 'div[@class="field-grid"]' : `fieldset[starts-with(normalize-space(legend), "${direction}")]`}//label[normalize-space()="${label}"]/..//*[self::input or self::select]`;
const click = (page: Page, words: string) => press(page, `xpath/.//main//*[(self::button or self::a) and normalize-space()="${words}"]`);

describe('conditions', proves('dashboard-forms', 'conditions', 'link-check'), () => {
  test('a condition is made with every kind of field, checked while it is typed, changed and deleted', async () => {
    await using page = await open('#/conditions?new=1');
    await page.waitForSelector('.condition-editor');
    await fill(page, field('Name'), 'loss-2');
    await fill(page, field('Delay', 'Down'), '5');
    await says(page, '.condition-editor > .field-grid', 'loss-2 is a preset');
    await fill(page, field('Name'), 'train');
    await fill(page, field('Jitter', 'Down'), '40');
    await says(page, '.directions', 'Give a longer delay or a smaller jitter.');
    await fill(page, field('Jitter', 'Down'), '4');
    await fill(page, field('Loss', 'Up'), 'gilbert-elliott');
    await fill(page, field('Lost while bad', 'Up'), '50');
    await fill(page, field('Rate', 'Up'), '3000');
    await says(page, '.result', '5 ± 4 ms delay (uniform) down');
    await says(page, '.result', 'loss in bursts (p 0.5 %, r 20 %, 50 % of the bad) up');
    await click(page, 'Save');
    await isAt(page, /^#\/conditions\?show=train$/);
    const { name, up, down } = await service.get('conditions/train');
    assert.deepEqual(
      { name, up, down },
      {
        name: 'train',
        up: { loss: { model: 'gilbert-elliott', p: 0.005, r: 0.2, lossBad: 0.5 }, rateKbps: 3000 },
        down: { delayMs: 5, jitter: { ms: 4 } },
      },
    );

    await click(page, 'Change');
    await says(page, 'main', 'Change train');
    await fill(page, field('Base RTT'), '20');
    await says(page, '.result', 'base RTT 20 ms');
    await click(page, 'Save');
    await isAt(page, /^#\/conditions\?show=train$/);
    assert.equal((await service.get('conditions/train')).baseRttMs, 20);

    await says(page, 'main', 'Not used in the newest 50 campaigns.');
    await click(page, 'Delete');
    await says(page, 'dialog[open]', 'Delete the condition train?');
    await press(page, 'dialog[open] button[type="submit"]');
    await page.waitForFunction(() => document.getElementById('condition-train') === null && document.querySelector('article') !== null);
    await assert.rejects(service.get('conditions/train'), { status: 404 });

    // One like another begins with its numbers.
    await page.goto(`${service.url}/#/conditions?like=4g`);
    await says(page, '.result', '85 ms delay, 9 Mbit/s, 112.5 kB queue each way');
    await click(page, 'Save');
    await says(page, '.condition-editor > .field-grid', 'Give it a name');
    await hasFocus(page, '[placeholder=train]');
  });

  test('presets have their numbers, beside which stands what links were measured to do, and a search finds some', async () => {
    const campaign = await service.makeCampaign({
      name: 'checked',
      sites: [{ url: 'https://93.184.216.34/' }],
      conditions: ['native', 'poor'],
      rounds: 1,
    });
    await service.perform(campaign, 2);
    await using page = await open('#/conditions?show=poor');
    await page.waitForSelector('article tbody tr');
    await has(page, 'article', 22);
    const heads = await texts(page, 'article thead th');
    assert.deepEqual(heads, ['Checked', 'Link', 'RTT, median', 'Rate down', 'Rate up', 'Loss down', 'Loss up', 'Verdict']);
    const cells = await texts(page, 'article tbody tr:first-child td');
    assert.deepEqual(cells.slice(1), [
      'guest',
      '51 ms (50 ms)',
      '9.98 Mbit/s (10 Mbit/s)',
      '9.98 Mbit/s (10 Mbit/s)',
      '2.1 % (2 %)',
      '2.1 % (2 %)',
      'within tolerance',
    ]);

    await fill(page, 'input[type="search"]', 'satellite');
    await has(page, 'article', 1);
    await says(page, 'article', /satellite.*\+650 ms RTT.*10 Mbit\/s down, 2 Mbit\/s up/);
    await isAt(page, /search=satellite/);
  });
});
