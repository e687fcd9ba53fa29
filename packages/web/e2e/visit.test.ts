// The page of a visit, in a real Chrome against the real api: real visits' evidence, hostile pages, and the waterfall of few and of thousands of requests.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Har } from '@pronghorn/core/campaign';
import { randomSource } from '@pronghorn/core/math';
import type { Filmstrip, Resource, Visit, VisitEvidence } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { firstSteps } from '@pronghorn/core/text';
import { metricNames, metricOf } from '@pronghorn/core/vocabulary';
import { quantity } from '../src/text/format.ts';
import { metricNames as metricTitles } from '../src/text/vocabulary.ts';
import { invalid, madeResources } from './made-visits.ts';
import { openPage, texts } from './pages.ts';
import { has, hasFocus, isAt, press, says, saysAll } from './reader.ts';
import { extraVisit, makeRound, openVisit, parameter, realVisit, rows, stretched, valid } from './round-of-visits.ts';
import { commonStage } from './stage.ts';

const { service, browser } = await commonStage();
/** The visits of a round of a real page, which used three protocols and twelve connections: h2, h3, h1. */
let real: string[] = [];
let campaignId = '';

const open = (hash: string) => openVisit(browser, service, hash);

describe('the page of a visit', proves('dashboard-results', 'evidence', 'netlog'), () => {
  before(async () => {
    const h3 = await realVisit();
    const made = await makeRound(service, [stretched(h3, 'h2', 1.3), h3, stretched(h3, 'h1', 1.8)], 'a real page');
    [real, campaignId] = [made.ids, made.campaign.id];
  });

  test('numbers are the API’s: metrics, resources in the order of the HAR, facts', async () => {
    const [, id = ''] = real;
    await using page = await open(id);
    const visit: Visit = await service.get(`visits/${id}`);
    assert.ok(visit.outcome.verdict === 'valid');
    const { metrics } = visit.outcome;
    const shown = await page.$$eval('.metrics tbody tr', (elements) =>
      elements.map((row) => [row.dataset.metric, row.querySelector('.value')?.textContent]),
    );
    assert.deepEqual(
      Object.fromEntries(shown),
      Object.fromEntries(
        metricNames.flatMap((name) => {
          const value = metricOf(metrics, name);
          return value === null ? [] : [[name, quantity(value, metricTitles[name].unit)]];
        }),
      ),
    );
    const { log }: Har = await service.get(`visits/${id}/har`);
    const urls = await page.$$eval(`${rows} .name`, (elements) => elements.map((name) => (name as HTMLElement).title));
    assert.ok(urls.length > 20);
    assert.deepEqual(
      urls,
      log.entries.slice(0, urls.length).map((entry) => entry.request.url),
    );
    assert.match((await texts(page, '[role=status].count'))[0] ?? '', new RegExp(`^${log.entries.length} resources$`));

    const words = (await texts(page, 'main'))[0] ?? '';
    assert.equal(words.match(/Valid\. It counts in the results\./g)?.length, 1);
    assert.match(words, /Lost in the browser3 UDP datagrams/);
    assert.match(words, /Refused by the egress policy10\.0\.0\.1 \(tcp 80\)/);
    assert.equal(await page.$eval('.crumbs a:last-child', (link) => link.getAttribute('href')), `#/campaigns/${campaignId}`);
    await page.waitForSelector('.evidence-files a');
    const links = await page.$$eval('.files a', (elements) => elements.map((link) => link.href));
    assert.deepEqual(
      links,
      ['har', 'evidence'].map((file) => `${service.url}/api/v1/visits/${id}/${file}`),
    );
  });

  test('the first bar is on the first screen, below the key metrics with their ratings', async () => {
    const [, id = ''] = real;
    const visit: Visit = await service.get(`visits/${id}`);
    assert.ok(visit.outcome.verdict === 'valid');
    const lcp = metricOf(visit.outcome.metrics, 'largestContentfulPaint') ?? 0;
    for (const [width, height, lowest] of [
      [1366, 900, 450],
      [390, 844, 900],
    ] as const) {
      await using page = await openPage(browser, 'about:blank');
      await page.setViewport({ width, height });
      await page.goto(`${service.url}/#/visits/${id}`);
      await page.waitForSelector('.waterfall-frames img');
      await page.waitForSelector('.track .phase-bar');
      const top = await page.$eval('.track .phase-bar', (bar) => bar.getBoundingClientRect().top);
      assert.ok(top < lowest, `${top} px at ${width} × ${height}`);
      const [words = ''] = await texts(page, '[data-key-metric=largestContentfulPaint]');
      assert.match(words, new RegExp(`^\\s*LCP\\s*good\\s*${quantity(lcp, 'ms')}\\s*$`));
    }
  });

  test('frames above the waterfall are those of their times; those of the filmstrip, and the progress, are those of the evidence', async () => {
    const [, id = ''] = real;
    await using page = await open(id);
    await page.waitForSelector('.waterfall-frames img');
    const strip: Filmstrip = await service.get(`visits/${id}/filmstrip`);
    const drawn = await page.$$eval('.waterfall-frames button', (buttons) =>
      buttons.map((button) => ({ label: button.ariaLabel ?? '', source: button.querySelector('img')?.src ?? '' })),
    );
    assert.ok(drawn.length > 2, `${drawn.length} frames`);
    for (const { label, source } of drawn) {
      // Its time is rounded.
      const ms = Number(label.match(/ at ([\d,.]+) ms/)?.[1]?.replace(',', ''));
      const newest = [ms - 0.5, ms + 0.5].map((at) => strip.frames.findLast(({ atMs }) => atMs <= at)?.jpegBase64);
      assert.ok(
        newest.some((frame) => frame !== undefined && source.endsWith(frame)),
        label,
      );
    }

    await page.waitForSelector('.filmstrip img');
    assert.ok(strip.frames.length > 1 && strip.progress !== null);
    const ofStrip = await page.$$eval('.filmstrip td.new img', (elements) => elements.map((image) => (image as HTMLImageElement).src));
    for (const source of ofStrip) assert.ok(strip.frames.some(({ jpegBase64 }) => source.endsWith(jpegBase64)));
    // The policy allows it.
    await page.waitForFunction(() => (document.querySelector('.filmstrip img') as HTMLImageElement).naturalWidth > 0);
    assert.equal((await texts(page, '.filmstrip tbody small')).at(-1), '100 %');

    assert.equal(await page.$eval('.tabs [aria-current]', (link) => link.textContent), 'What was seen');
    // One is seen in full by its button and arrow keys.
    await press(page, '.filmstrip td.new button');
    await page.waitForSelector('dialog[open] img');
    const [before] = await texts(page, 'dialog strong');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((words) => document.querySelector('dialog strong')?.textContent !== words, {}, before);
    await page.keyboard.press('Escape');
    await has(page, 'dialog[open]', 0);

    // Frames zoom with the waterfall: before the first one there is none.
    await page.goto(`${service.url}/#/visits/${id}?time=0-2`);
    await has(page, '.waterfall-frames img', 0);
  });

  test('two visits of the round stand on one time axis, by a button, on a phone too, and the back button undoes it', async () => {
    const [h2 = '', h3 = ''] = real;
    await using page = await open(h3);
    await saysAll(page, '.put-beside', ['HTTP/2', 'HTTP/1.1']);
    await press(page, '.put-beside');
    await page.waitForSelector('.waterfall.pair');
    assert.equal(parameter(page, 'with'), h2);
    const [first, second] = await Promise.all([h3, h2].map((id) => service.get(`visits/${id}/resources`) as Promise<Resource[]>));
    const union = new Set([...(first ?? []), ...(second ?? [])].map(({ url }) => url));
    await saysAll(page, '[role=status].count', [`${union.size} resources`]);
    assert.equal(await page.$eval(rows, (row) => row.querySelectorAll('.lane').length), 2);
    await has(page, '.visual-progress path[data-ink]', 2);
    await saysAll(page, '.filmstrip tbody th', ['HTTP/3', 'HTTP/2']);

    const [a, b] = (await Promise.all([h3, h2].map((id) => service.get(`visits/${id}`) as Promise<Visit>))).map(({ outcome }) =>
      outcome.verdict === 'valid' ? (metricOf(outcome.metrics, 'onLoad') ?? 0) : 0,
    );
    const [value = ''] = await texts(page, '.metrics [data-metric=onLoad] .difference');
    assert.equal(value, `+${quantity((b ?? 0) - (a ?? 0), 'ms')}`);
    const [key = ''] = await texts(page, '[data-key-metric=onLoad] .difference');
    assert.match(key, /^\+\d+ ms \(\d+ %\)$/);
    assert.ok(key.startsWith(`${value} (`), key);
    const words = (await texts(page, '.metrics'))[0] ?? '';
    assert.match(words, /single visits: their difference proves nothing/);
    assert.doesNotMatch(words.replace(/The campaign’s verdicts, over all rounds, say which protocol is\s+faster/, ''), /faster|slower/);

    // On a phone nothing is wider than the window, and names and bars are there.
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForFunction(
      () =>
        innerWidth === 390 &&
        document.documentElement.scrollWidth <= innerWidth &&
        (document.querySelector('.track')?.getBoundingClientRect().width ?? 0) > 170,
    );
    await page.setViewport({ width: 1280, height: 900 });

    await page.goBack();
    await has(page, '.waterfall.pair', 0);
    await press(page, 'a[rel=prev]');
    await says(page, 'h1', 'HTTP/2');
  });

  test('what a page under test calls itself is text, and nothing else', async () => {
    const [first, ...rest] = madeResources('h3', 'https://shop.example', randomSource(1)) as [Resource, ...Resource[]];
    const script = '<script>document.title="stolen"</script><img src=x onerror="document.title=1">';
    const hostile: Resource = {
      ...first,
      ...{
        seq: 500,
        url: `https://evil.example/${script}?${'x'.repeat(5000)}`,
        host: script,
        type: script,
        initiatorUrl: `javascript:${script}`,
      },
      ...{
        server: script,
        altSvc: script,
        mimeType: script,
        priority: script,
        alternateProtocolUsage: script,
        remoteAddress: script,
        failure: script,
      },
    };
    const { ids } = await makeRound(service, [
      valid('h3', [first, hostile, ...rest]),
      { ...valid('h2', []), outcome: invalid('load-timeout', script) },
    ]);
    await using page = await open(`${ids[0]}?resource=500&sort=status`);
    await page.waitForSelector('.resource-details');
    assert.ok((await texts(page, '.resource-details dd')).filter((words) => words.includes('<script>')).length >= 6);
    assert.equal(await page.$('main script, main img[src=x]'), null);
    await press(page, '.chart-tools ::-p-text(Table)');
    await page.waitForSelector('.chart-frame table:not(.waterfall) td');
    assert.equal(await page.$('main script, main img[src=x]'), null);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no wider than the window');

    await page.goto(`${service.url}/#/visits/${ids[1]}`);
    await page.waitForSelector('.verdict.failure');
    const [verdict = ''] = await texts(page, '.verdict');
    assert.match(verdict, /✕ Failed: the load event did not come in time\..*<script>/);
    assert.ok(verdict.replaceAll('\u00a0', ' ').includes(`First: ${firstSteps['load-timeout']}`), verdict);
    assert.equal(await page.title(), 'Visit over HTTP/2 – Pronghorn');
    await says(page, '.missing', 'runner.keepEvidence');
    await says(page, '.nothing', 'No resource was requested');
  });

  test('what the link of the round was measured to do stands beside what was asked for', async () => {
    const request = { sites: [{ url: 'https://93.184.216.34/' }], protocols: ['h2' as const], rounds: 1, conditions: ['4g', 'native'] };
    const campaign = await service.makeCampaign(request);
    await service.perform(campaign, 2);
    const { items }: { items: Visit[] } = await service.get(`campaigns/${campaign.id}/visits`);
    const of = (condition: string) => items.find((visit) => visit.condition === condition)?.id ?? '';
    await using page = await open(of('4g'));
    const [check] = (await service.get(`campaigns/${campaign.id}/link-checks`)).items;
    const [measured, requested] = [check.rtt.p50Ms, check.rtt.requestedMs].map((ms: number) => quantity(ms, 'ms'));
    await says(page, '.fact-list', `RTT, median: ${measured} (requested: ${requested}).`.replaceAll('\u00a0', ' '));
    await says(page, '.fact-list', 'Verdict: within tolerance.');
    await page.goto(`${service.url}/#/visits/${of('native')}`);
    await says(page, '.fact-list', 'no check is stored; its condition adds nothing');
  });

  test('an extra visit tells what its network log says beside the other protocol’s, and saves a plain file; a usual one leads there', async (t) => {
    const extras = [extraVisit('chrome-156-nginx-h2'), extraVisit('chrome-156-nginx-h3')];
    const { ids } = await makeRound(service, [valid('h2', []), valid('h3', []), ...extras], 'a round with netlogs');
    const [, usual = '', , extra = ''] = ids;
    const log = { constants: { logFormatVersion: 1 }, events: [] };
    await service.storeEvidence(extra, log, 'netlog');

    await using page = await open(usual);
    await page.waitForSelector('.netlog-link a');
    await press(page, '.tabs a[href*="part=log"]');
    await says(page, '.netlog-link', 'over HTTP/3: recorded by an extra visit of round 1.');
    await press(page, '.netlog-link a');
    await page.waitForSelector('.netlog tbody td:nth-of-type(2)');
    assert.ok(page.url().includes(extra));
    await says(page, '.verdict', 'records Chrome’s network log, which slows a load: it counts nowhere');
    const [handshake = ''] = (await texts(page, '.netlog tbody tr')).filter((words) => words.startsWith('Ready to send'));
    assert.match(handshake, /after 1(\.\d)? round trips? \(.*after 2 round trips \(/);
    assert.match((await texts(page, '.netlog tbody'))[0] ?? '', /\.woff2 \(u=0\): .* of less urgent responses went first/);

    const folder = mkdtempSync(join(tmpdir(), 'pronghorn-download-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const session = await browser.target().createCDPSession();
    const { id: browserContextId = '' } = page.browserContext();
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true, browserContextId });
    const saved = new Promise<void>((resolve) => {
      session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve());
    });
    await press(page, '.netlog .open .button');
    await saved;
    assert.deepEqual(JSON.parse(readFileSync(join(folder, `${extra}.netlog.json`), 'utf8')), log);

    await press(page, '.tabs a[href*="part=files"]');
    await press(page, '.keep input');
    // It can't be used while the service is asked.
    await page.waitForSelector('.keep input:checked:enabled');
    assert.equal(((await service.get(`visits/${extra}/evidence-files`)) as VisitEvidence).pinned, true);
  });

  test('filters, order, colours, zoom and the opened resource are in the address, and survive a reload', async () => {
    await using page = await open(real[1] ?? '');
    const count = () => page.$eval('[role=status].count', (element) => element.textContent ?? '');
    const total = Number.parseInt(await count(), 10);
    await press(page, 'button.tools');
    await page.select('select[aria-label=Protocol]', 'h1');
    await page.select('.waterfall-tools label select', 'size');
    await press(page, 'fieldset[aria-label="Colour by"] button:last-child');
    await page.$eval('.axis', (element) => element.scrollIntoView({ block: 'center' }));
    const axis = await (await page.$('.axis'))?.boundingBox();
    assert.ok(axis);
    await page.mouse.move(axis.x + axis.width * 0.25, axis.y + axis.height - 5);
    await page.mouse.down();
    await page.mouse.move(axis.x + axis.width * 0.75, axis.y + axis.height - 5, { steps: 3 });
    await page.mouse.up();
    await isAt(page, /time=/);
    await press(page, `${rows} .name`);
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
    await saysAll(page, `${rows} .name`, seen.names);
    assert.deepEqual(await state(), seen);

    await press(page, 'fieldset[aria-label="Filter"] button');
    await saysAll(page, '[role=status].count', [`${total} resources`]);
  });

  test('rows are reached and opened by keys', async () => {
    await using page = await open(real[1] ?? '');
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
    await has(page, '.resource-details', 0);
    assert.deepEqual(await focused(), [url, 'false']);
  });

  test('a page of 3,000 requests is drawn as far as it is seen, to its end, which keeps it quick', async () => {
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
    await hasFocus(page, '[title="https://host2.example/picture-2999.webp"]');
    assert.ok((await drawn()) < 80);
    await page.keyboard.press('Home');
    await hasFocus(page, '[title="https://host0.example/picture-0.webp"]');

    // Scrolled through in steps, each drawn before the next: what is made for each is never more.
    const most = await page.$eval(
      '.waterfall-scroller',
      async (scroller, selector) => {
        let drawnRows = 0;
        for (let step = 0; step <= 10; step++) {
          scroller.scrollTop = (scroller.scrollHeight * step) / 10;
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
          drawnRows = Math.max(drawnRows, document.querySelectorAll(selector).length);
        }
        return drawnRows;
      },
      rows,
    );
    assert.ok(most < 80, `${most} rows`);
  });
});
