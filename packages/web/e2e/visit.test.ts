// The page of a visit, in a real Chrome against the real api: real visits' evidence, hostile pages, pages of thousands of requests.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Har } from '@pronghorn/core/campaign';
import { randomSource } from '@pronghorn/core/math';
import type { Filmstrip, Resource, Visit, VisitEvidence } from '@pronghorn/core/schemas';
import { metricNames, metricOf } from '@pronghorn/core/vocabulary';
import { quantity } from '../src/text/format.ts';
import { metricNames as metricTitles } from '../src/text/vocabulary.ts';
import { invalid, madeResources } from './made-visits.ts';
import { openPage, texts } from './pages.ts';
import { extraVisit, makeRound, openVisit, parameter, realVisit, rows, stretched, valid } from './round-of-visits.ts';
import { setStage } from './stage.ts';

const { service, browser } = await setStage();
const h3 = await realVisit();
/** The visits of a round of a real page: h2, h3, h1. */
const {
  ids: real,
  campaign: { id: campaignId },
} = await makeRound(service, [stretched(h3, 'h2', 1.3), h3, stretched(h3, 'h1', 1.8)], 'a real page');

const open = (hash: string) => openVisit(browser, service, hash);

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
    const top = await page.$eval('.track .phase-bar', (bar) => bar.getBoundingClientRect().top);
    assert.ok(top < lowest, `${top} px at ${width} × ${height}`);
    const [words = ''] = await texts(page, '[data-key-metric=largestContentfulPaint]');
    assert.match(words, new RegExp(`^\\s*LCP\\s*good\\s*${quantity(lcp, 'ms')}\\s*$`));
  }
});

test('frames above the waterfall are those of their times, and zoom with it', async () => {
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
  await page.goto(`${service.url}/#/visits/${id}?time=0-2`);
  await page.waitForFunction(() => document.querySelector('.waterfall-frames img') === null, {}, 'before the first frame');
});

test('frames and the visual progress are those of the evidence; one is seen in full by its button and arrow keys', async () => {
  const [, id = ''] = real;
  await using page = await open(id);
  await page.waitForSelector('.filmstrip img');
  const strip: Filmstrip = await service.get(`visits/${id}/filmstrip`);
  assert.ok(strip.frames.length > 1 && strip.progress !== null);
  const drawn = await page.$$eval('.filmstrip td.new img', (elements) => elements.map((image) => (image as HTMLImageElement).src));
  for (const source of drawn) assert.ok(strip.frames.some(({ jpegBase64 }) => source.endsWith(jpegBase64)));
  assert.equal(await page.$eval('.filmstrip img', (image) => (image as HTMLImageElement).naturalWidth > 0), true, 'the policy allows it');
  assert.equal((await texts(page, '.filmstrip tbody small')).at(-1), '100 %');

  assert.equal(await page.$eval('.tabs [aria-current]', (link) => link.textContent), 'What was seen');
  await page.click('.filmstrip td.new button');
  await page.waitForSelector('dialog[open] img');
  const [before] = await texts(page, 'dialog strong');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((words) => document.querySelector('dialog strong')?.textContent !== words, {}, before);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('dialog[open]') === null);
});

test('two visits of the round stand on one time axis, by a button, and the back button undoes it', async () => {
  const [h2 = '', h3 = ''] = real;
  await using page = await open(h3);
  await page.waitForSelector('.put-beside');
  assert.deepEqual(await texts(page, '.put-beside'), ['HTTP/2', 'HTTP/1.1']);
  await page.click('.put-beside');
  await page.waitForSelector('.waterfall.pair');
  assert.equal(parameter(page, 'with'), h2);
  const [first, second] = await Promise.all([h3, h2].map((id) => service.get(`visits/${id}/resources`) as Promise<Resource[]>));
  const union = new Set([...(first ?? []), ...(second ?? [])].map(({ url }) => url));
  assert.match((await texts(page, '[role=status].count'))[0] ?? '', new RegExp(`^${union.size} resources$`));
  assert.equal(await page.$eval(rows, (row) => row.querySelectorAll('.lane').length), 2);
  await page.waitForFunction(() => document.querySelectorAll('.visual-progress path[data-ink]').length === 2);
  assert.deepEqual(await texts(page, '.filmstrip tbody th'), ['HTTP/3', 'HTTP/2']);

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

  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.waterfall.pair') === null);
  await page.click('a[rel=prev]');
  await page.waitForFunction(() => document.querySelector('h1')?.textContent?.includes('HTTP/2'));
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
  await page.locator('.chart-tools ::-p-text(Table)').click();
  await page.waitForSelector('.chart-frame table:not(.waterfall) td');
  assert.equal(await page.$('main script, main img[src=x]'), null);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no wider than the window');

  await page.goto(`${service.url}/#/visits/${ids[1]}`);
  await page.waitForSelector('.verdict.failure');
  const [verdict = ''] = await texts(page, '.verdict');
  assert.match(verdict, /✕ Failed: the load event did not come in time\..*<script>/);
  assert.match(verdict, /First: Look in the waterfall for what never ended/);
  assert.equal(await page.title(), 'Visit over HTTP/2 – Pronghorn');
  await page.waitForFunction(() => document.querySelector('.missing')?.textContent?.includes('runner.keepEvidence'));
  assert.match((await texts(page, '.nothing'))[0] ?? '', /No resource was requested/);
});

test('on a phone nothing is wider than the window, and names and bars are there', async () => {
  await using page = await openPage(browser, 'about:blank');
  await page.setViewport({ width: 390, height: 800 });
  await page.goto(`${service.url}/#/visits/${real[1]}?with=${real[0]}`);
  await page.waitForSelector('.waterfall.pair');
  await page.waitForSelector('.filmstrip img');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const track = await (await page.$('.track'))?.boundingBox();
  assert.ok((track?.width ?? 0) > 170, `the bars have ${track?.width} px`);
});

test('what the link of the round was measured to do stands beside what was asked for', async () => {
  const request = { sites: [{ url: 'https://93.184.216.34/' }], protocols: ['h2' as const], rounds: 1, conditions: ['4g', 'native'] };
  const campaign = await service.makeCampaign(request);
  await service.perform(campaign, 2);
  const { items }: { items: Visit[] } = await service.get(`campaigns/${campaign.id}/visits`);
  const of = (condition: string) => items.find((visit) => visit.condition === condition)?.id ?? '';
  await using page = await open(of('4g'));
  const [check] = (await service.get(`campaigns/${campaign.id}/link-checks`)).items;
  const facts = () => texts(page, '.fact-list').then(([words = '']) => words);
  const [measured, requested] = [check.rtt.p50Ms, check.rtt.requestedMs].map((ms: number) => quantity(ms, 'ms'));
  assert.ok((await facts()).includes(`RTT, median: ${measured} (requested: ${requested}).`), await facts());
  assert.match(await facts(), /Verdict: within tolerance\./);
  await page.goto(`${service.url}/#/visits/${of('native')}`);
  await page.waitForFunction(() =>
    document.querySelector('.fact-list')?.textContent?.includes('no check is stored; its condition adds nothing'),
  );
});

test('an extra visit tells what its network log says beside the other protocol’s, and saves a plain file; a usual one leads there', async (t) => {
  const extras = [extraVisit('chrome-156-nginx-h2'), extraVisit('chrome-156-nginx-h3')];
  const { ids } = await makeRound(service, [valid('h2', []), valid('h3', []), ...extras], 'a round with netlogs');
  const [, usual = '', , extra = ''] = ids;
  const log = { constants: { logFormatVersion: 1 }, events: [] };
  await service.storeEvidence(extra, log, 'netlog');

  await using page = await open(usual);
  await page.waitForSelector('.netlog-link a');
  await page.click('.tabs a[href*="part=log"]');
  assert.match((await texts(page, '.netlog-link'))[0] ?? '', /over HTTP\/3: recorded by an extra visit of round 1\./);
  await page.click('.netlog-link a');
  await page.waitForSelector('.netlog tbody td:nth-of-type(2)');
  assert.ok(page.url().includes(extra));
  assert.match((await texts(page, '.verdict'))[0] ?? '', /records Chrome’s network log, which slows a load: it counts nowhere/);
  const [handshake = ''] = (await texts(page, '.netlog tbody tr')).filter((words) => words.startsWith('Ready to send'));
  assert.match(handshake, /after 1(\.\d)? round trips? \(.*after 2 round trips \(/);
  assert.match((await texts(page, '.netlog tbody'))[0] ?? '', /\.woff2 \(u=0\): .* of less urgent responses went first/);

  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-download-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const session = await browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  const saved = new Promise<void>((resolve) => {
    session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve());
  });
  await page.click('.netlog .open .button');
  await saved;
  assert.deepEqual(JSON.parse(readFileSync(join(folder, `${extra}.netlog.json`), 'utf8')), log);

  await page.click('.tabs a[href*="part=files"]');
  await page.waitForSelector('.keep input');
  await page.click('.keep input');
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.keep input')?.checked === true);
  assert.equal(((await service.get(`visits/${extra}/evidence-files`)) as VisitEvidence).pinned, true);
});
