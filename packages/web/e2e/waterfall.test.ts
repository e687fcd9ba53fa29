// The waterfall of a visit, in a real Chrome: what its address keeps, its keys, and pages of thousands of requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import type { Resource } from '@pronghorn/core/schemas';
import { madeResources } from './made-visits.ts';
import { texts } from './pages.ts';
import { makeRound, openVisit, parameter, realVisit, rows, valid } from './round-of-visits.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();
/** A real page's, over three protocols and twelve connections. */
const [real = ''] = (await makeRound(service, [await realVisit()], 'a real page')).ids;

const open = (hash: string) => openVisit(browser, service, hash);

test('filters, order, colours, zoom and the opened resource are in the address, and survive a reload', async () => {
  await using page = await open(real);
  const count = () => page.$eval('[role=status].count', (element) => element.textContent ?? '');
  const total = Number.parseInt(await count(), 10);
  await page.click('button.tools');
  await page.select('select[aria-label=Protocol]', 'h1');
  await page.select('.waterfall-tools label select', 'size');
  await page.click('fieldset[aria-label="Colour by"] button:last-child');
  await page.$eval('.axis', (element) => element.scrollIntoView({ block: 'center' }));
  const axis = await (await page.$('.axis'))?.boundingBox();
  assert.ok(axis);
  await page.mouse.move(axis.x + axis.width * 0.25, axis.y + axis.height - 5);
  await page.mouse.down();
  await page.mouse.move(axis.x + axis.width * 0.75, axis.y + axis.height - 5, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes('time='));
  await page.click(`${rows} .name`);
  await page.waitForSelector('.resource-details');

  const state = async () => ({
    names: await texts(page, `${rows} .name`),
    count: await count(),
    details: await texts(page, '.resource-details dd'),
    hasTools: await page.$eval('button.tools', (button) => button.getAttribute('aria-expanded')),
    bars: await page.$$eval('.track .phase-bar', (elements) => elements.map((bar) => bar.getAttribute('style'))),
    colours: await page.$$eval('.track .lane', (elements) => elements.map((lane) => lane.getAttribute('style'))),
  });
  const seen = await state();
  assert.match(seen.count, new RegExp(`^\\d+ of ${total} resources$`));
  assert.ok(seen.colours.every((style) => /--connection-\d/.test(style ?? '')));
  const [from, to] = (parameter(page, 'time') ?? '').split('-').map(Number);
  assert.ok((to ?? 0) - (from ?? 0) > 50);
  await page.reload();
  await page.waitForSelector('.resource-details');
  assert.deepEqual(await state(), seen);

  await page.click('fieldset[aria-label="Filter"] button');
  await page.waitForFunction((all) => document.querySelector('[role=status].count')?.textContent === `${all} resources`, {}, total);
});

test('rows are reached and opened by keys', async () => {
  await using page = await open(real);
  await page.focus(`${rows} .name`);
  assert.equal(
    await page.$$eval(`${rows} .name`, (elements) => elements.filter((name) => name.getAttribute('tabindex') === '0').length),
    1,
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.resource-details');
  const focused = () =>
    page.evaluate(() => [document.activeElement?.getAttribute('title'), document.activeElement?.getAttribute('aria-expanded')]);
  const [url, expanded] = await focused();
  assert.equal(expanded, 'true');
  assert.equal((await texts(page, '.resource-details code'))[0], url);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('.resource-details') === null);
  assert.deepEqual(await focused(), [url, 'false']);
});

test('a page of 3,000 requests is drawn as far as it is seen, to its end, and stays quick', async () => {
  const base = madeResources('h2', 'https://shop.example', randomSource(1));
  const big = Array.from({ length: 3000 }, (_, seq) => ({
    ...(base[1 + (seq % 22)] as Resource),
    ...{ seq, startMs: seq, endMs: seq + 50, connectionId: seq % 40, url: `https://host${seq % 9}.example/picture-${seq}.webp` },
  }));
  const { ids } = await makeRound(service, [valid('h2', big), valid('h3', big)], 'a big page');
  await using page = await open(`${ids[0]}?with=${ids[1]}`);
  await page.waitForSelector('.waterfall.pair');
  const drawn = () => page.$$eval(rows, (elements) => elements.length);
  assert.ok((await drawn()) < 80, `${await drawn()} rows`);
  await page.focus(`${rows} .name`);
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.activeElement?.getAttribute('title') === 'https://host2.example/picture-2999.webp');
  assert.ok((await drawn()) < 80);
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.activeElement?.getAttribute('title') === 'https://host0.example/picture-0.webp');

  // Scrolled through in thirty steps, each drawn before the next: no step may keep the reader waiting.
  const slowestMs = await page.$eval('.waterfall-scroller', async (scroller) => {
    let slowest = 0;
    for (let step = 0; step <= 30; step++) {
      const start = performance.now();
      scroller.scrollTop = (scroller.scrollHeight * step) / 30;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      slowest = Math.max(slowest, performance.now() - start);
    }
    return slowest;
  });
  assert.ok(slowestMs < 1000, `a step of scrolling took ${slowestMs} ms`);
  assert.ok((await drawn()) < 80);
});
