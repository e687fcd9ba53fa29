// A visit is picked on a chart without a mouse, and opened, in a real Chrome on a machine that has one too.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ElementHandle, Page } from 'puppeteer-core';
import { type ChartsStage, chartsStage, figure, opened, spreadFigure, walk } from './charts/stage.ts';
import { openPage } from './pages.ts';
import { startService } from './service.ts';

let stage: ChartsStage;
before(async () => {
  stage = await chartsStage();
});
after(() => stage?.[Symbol.asyncDispose]());

const pointers = ['touch', 'pen'] as const;
async function tap(page: Page, pointerType: (typeof pointers)[number], x: number, y: number): Promise<void> {
  if (pointerType === 'touch') return page.touchscreen.tap(x, y);
  const pen = await page.createCDPSession();
  const at = { x, y, pointerType, button: 'left', clickCount: 1 } as const;
  await pen.send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' });
  await pen.send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' });
}
async function middleOf(element: ElementHandle | null): Promise<[number, number]> {
  const box = await element?.boundingBox();
  assert.ok(box);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

for (const pointerType of pointers) {
  test(`a point that was picked by ${pointerType} stays picked, and its button opens the visit`, async () => {
    await using page = await openPage(stage.browser, stage.url);
    const plot = await figure(page, spreadFigure);
    await (await plot.$('.plot'))?.focus();
    const [, first] = await walk(page, ['ArrowRight', 'Home']);
    await page.keyboard.press('Enter');
    const id = await opened(page);
    for (const key of ['End', 'Enter', 'Escape'] as const) await page.keyboard.press(key);
    const another = await opened(page);
    await page.waitForFunction('document.querySelector(".point-note") === null');
    const frame = await (await plot.$('.plot'))?.boundingBox();
    await tap(page, pointerType, (frame?.x ?? 0) + (first?.x ?? 0), (frame?.y ?? 0) + (first?.y ?? 0));
    await page.waitForSelector('.point-note button');
    assert.equal(await opened(page), another);
    await tap(page, pointerType, ...(await middleOf(await page.$('.point-note button'))));
    await page.waitForFunction((wanted) => document.querySelector('#opened')?.textContent === wanted, {}, id);
    assert.notEqual(id, another);
  });
}

for (const pointerType of pointers) {
  test(`a dot of a campaign that runs stays picked by ${pointerType}, and its button opens the visit`, async () => {
    await using service = await startService();
    const campaign = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], protocols: ['h2', 'h3'], rounds: 3 });
    await service.perform(campaign, 2);
    await using page = await openPage(stage.browser, `${service.url}/#/campaigns/${campaign.id}/visits`);
    page.setDefaultTimeout(10_000);
    await page.waitForSelector('.dot-picker canvas');
    const dots = await page.waitForSelector('.dot-picker');
    await dots?.scrollIntoView();
    // Until the first dots are drawn no key finds one.
    await page.waitForFunction(() => {
      document.querySelector('.dot-picker')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
      return document.querySelector('.dot-picker .ring') !== null;
    });
    const place = await middleOf(await page.$('.dot-picker .ring'));
    await dots?.focus();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('.dot-picker .ring') === null);
    await tap(page, pointerType, ...place);
    await page.waitForSelector('.point-note button');
    await tap(page, pointerType, ...(await middleOf(await page.$('.point-note button'))));
    await page.waitForFunction(() => location.hash.startsWith('#/visits/'));
  });
}
