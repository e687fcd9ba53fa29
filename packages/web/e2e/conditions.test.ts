// Conditions: found, made, changed, deleted, and what links did under them; in a real Chrome against the real api.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { openPage, texts } from './pages.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();

const shows = (page: Page, words: string, within = 'main') =>
  page.waitForFunction((text, selector) => document.querySelector(selector)?.textContent?.includes(text), {}, words, within);
const field = (label: string, direction = '') =>
  `xpath/.//${direction === '' ? 'div[@class="field-grid"]' : `fieldset[starts-with(normalize-space(legend), "${direction}")]`}//label[normalize-space()="${label}"]/..//*[self::input or self::select]`;
async function fill(page: Page, label: string, text: string, direction = ''): Promise<void> {
  const input = await page.waitForSelector(field(label, direction));
  await input?.click({ count: 3 });
  await input?.type(text);
}
const click = async (page: Page, words: string) =>
  (await page.waitForSelector(`xpath/.//main//*[(self::button or self::a) and normalize-space()="${words}"]`))?.click();

test('all presets are there with their numbers, and a search finds some of them', async () => {
  await using page = await openPage(browser, `${service.url}/#/conditions`);
  await page.waitForSelector('article');
  assert.equal((await texts(page, 'article')).length, 22);
  await page.type('input[type="search"]', 'satellite');
  await page.waitForFunction(() => document.querySelectorAll('article').length === 1);
  const [card = ''] = await texts(page, 'article');
  assert.match(card, /satellite.*\+650 ms RTT.*10 Mbit\/s down, 2 Mbit\/s up/s);
  assert.match(page.url(), /search=satellite/);
});

test('a condition is made with every kind of field, checked while it is typed, changed and deleted', async () => {
  await using page = await openPage(browser, `${service.url}/#/conditions?new=1`);
  await page.waitForSelector('.condition-editor');
  await fill(page, 'Name', 'loss-2');
  await fill(page, 'Delay', '5', 'Down');
  await shows(page, 'loss-2 is a preset', '.condition-editor > .field-grid');
  await fill(page, 'Name', 'train');
  await fill(page, 'Jitter', '40', 'Down');
  await shows(page, 'Give a longer delay or a smaller jitter.', '.directions');
  await fill(page, 'Jitter', '4', 'Down');
  await (await page.waitForSelector(field('Loss', 'Up')))?.select('gilbert-elliott');
  await fill(page, 'Lost while bad', '50', 'Up');
  await fill(page, 'Rate', '3000', 'Up');
  await shows(page, '5 ± 4 ms delay (uniform) down', '.result');
  await shows(page, 'loss in bursts (p 0.5 %, r 20 %, 50 % of the bad) up', '.result');
  await click(page, 'Save');
  await page.waitForFunction(() => location.hash === '#/conditions?show=train');
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
  await shows(page, 'Change train');
  await fill(page, 'Base RTT', '20');
  await shows(page, 'base RTT 20 ms', '.result');
  await click(page, 'Save');
  await page.waitForFunction(() => location.hash === '#/conditions?show=train');
  assert.equal((await service.get('conditions/train')).baseRttMs, 20);

  await shows(page, 'Not used in the newest 50 campaigns.');
  await click(page, 'Delete');
  await shows(page, 'Delete the condition train?', 'dialog[open]');
  await (await page.waitForSelector('dialog[open] button[type="submit"]'))?.click();
  await page.waitForFunction(() => document.getElementById('condition-train') === null && document.querySelector('article') !== null);
  await assert.rejects(service.get('conditions/train'), { status: 404 });
});

test('one like another begins with its numbers, and a name that is taken is refused beside the field', async () => {
  await using page = await openPage(browser, `${service.url}/#/conditions?like=4g`);
  await shows(page, '85 ms delay, 9 Mbit/s, 112.5 kB queue each way', '.result');
  await click(page, 'Save');
  await shows(page, 'Give it a name', '.condition-editor > .field-grid');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('placeholder')), 'train', 'the reader is put there');
});

test('what links were measured to do stands beside what was asked for', async () => {
  const campaign = await service.makeCampaign({
    name: 'checked',
    sites: [{ url: 'https://93.184.216.34/' }],
    conditions: ['native', 'poor'],
    rounds: 2,
  });
  await service.perform(campaign, 4);
  await using page = await openPage(browser, `${service.url}/#/conditions?show=poor`);
  await page.waitForSelector('article table');
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
});
