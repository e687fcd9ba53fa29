// The whole story in a real Chrome, with nothing made up: a test is queued, measured at the demo origin, understood, compared, shared, judged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { launchBrowser, lostConnection, openPage, texts } from './pages.ts';
import { fill, has, isAt, press, says, saysAll } from './reader.ts';
import { startRealService } from './real-service.ts';

/** How long a real Chrome may take for a campaign, beside other tests. */
const measuringMs = 240_000;
const click = (page: Page, text: string, within = 'main') => press(page, `${within} ::-p-text(${text})`);
const idIn = (page: Page): string => /campaigns\/(\d+)/.exec(page.url())?.[1] ?? '';
/** What a reader sees, without what depends on when it is looked at. */
const seen = async (page: Page) => {
  await drawn(page);
  return (await texts(page, 'main')).join().replaceAll(/\s+/g, ' ');
};

test('from the first click to the gate, with the service restarted in the middle', {
  ...proves('dashboard-live', 'dashboard-forms', 'dashboard-results', 'rest-calls', 'runners', 'campaigns'),
  timeout: 600_000,
}, async () => {
  await using things = new AsyncDisposableStack();
  const service = things.use(await startRealService({ calls: true }));
  const browser = things.adopt(await launchBrowser(), (launched) => launched.close());
  const complaints: string[] = [];
  const context = await browser.createBrowserContext();
  await context.overridePermissions(service.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
  const page = await openPage(context, `${service.url}/`, complaints);
  await page.setViewport({ width: 1280, height: 900 });

  // Queue: 2 rounds over HTTP/2 and HTTP/3. Other tests run beside this one: how busy the machine is, does not matter here.
  await click(page, 'New campaign', '.site-header');
  // The first page has a field of that name, too.
  await says(page, 'h1', 'New campaign');
  await fill(page, '::-p-aria([name="Page"][role="textbox"])', service.siteUrl('shop'));
  await click(page, 'Runner’s own network');
  await click(page, 'More:');
  await fill(page, '::-p-aria([name="Rounds per page and network"])', '2');
  await fill(page, '::-p-aria([name="Max. other CPU load"])', '100');
  await says(page, '.plan', '1 network × 2 rounds × 2 protocols = 4 loads');
  await press(page, '.plan button[type="submit"]');

  // Live: visits come in; the service goes away and comes back, the page stays and goes on.
  await says(page, 'h1', 'shop.pronghorn.test');
  await page.waitForFunction(() => Number(document.querySelector('.live-line')?.textContent?.match(/(\d+) valid/)?.[1] ?? 0) >= 1, {
    timeout: measuringMs,
  });
  const before = page.url();
  const quiet = complaints.length;
  await service.stopApi();
  await says(page, 'main', 'does not answer');
  await service.startApi();
  await says(page, 'main', /^(?!.*does not answer)/);
  complaints.splice(quiet, complaints.length, ...complaints.slice(quiet).filter((words) => !lostConnection.test(words)));
  await page.waitForSelector('.campaign-head .state-done', { timeout: measuringMs });
  await has(page, '.live-line', 0);
  assert.equal(page.url(), before);

  // Result: one sentence, and behind it every visit.
  await says(page, '.answer', 'Is HTTP/3 faster than HTTP/2');
  await says(page, '.facts-line', '4 loads');
  await says(page, '.facts-line', /Chrome \d+/);
  await click(page, 'Every load', '.parts');
  await page.waitForSelector('.spread-part canvas');
  await press(page, '.choice [data-metric=speedIndex]');
  await says(page, '.spread-part h2', 'SpeedIndex');
  await click(page, 'Log', '.spread-part');
  const shared = await copiedLink(page);
  assert.match(shared, /metric=speedIndex/);
  const shown = await seen(page);

  // Share: who opens the link sees the same.
  const elsewhere = await openPage(await browser.createBrowserContext(), shared);
  await elsewhere.setViewport({ width: 1280, height: 900 });
  await elsewhere.waitForSelector('.spread-part canvas');
  await elsewhere.waitForFunction(
    (words) => document.querySelector('main')?.textContent?.replaceAll(/\s+/g, ' ').replaceAll('\u00a0', ' ') === words,
    {},
    shown,
  );
  await elsewhere[Symbol.asyncDispose]();

  // Visit: an h3 and an h2 side by side, with their frames.
  const campaign = idIn(page);
  await click(page, 'Visits', '.parts');
  await press(page, '.visit-list a[href^="#/visits/"]');
  await says(page, 'h1', 'over HTTP/');
  await says(page, 'main', 'Waterfall');
  await press(page, '.put-beside');
  await says(page, 'main', 'A difference of two single visits proves nothing');
  await page.waitForSelector('main img[src^="data:image"]');

  // Compare: a round of the same again, and what changed.
  await page.goto(`${service.url}/#/campaigns/${campaign}`);
  await press(page, '.campaign-actions .more summary');
  await click(page, 'Clone and edit');
  await says(page, 'main', ', which stays as it is.');
  await click(page, 'More:');
  await fill(page, '::-p-aria([name="Rounds per page and network"])', '1');
  await says(page, '.plan', '1 network × 1 round');
  await press(page, '.plan button[type="submit"]');
  await isAt(page, new RegExp(`^#/campaigns/(?!${campaign}$)\\d+$`));
  await page.waitForSelector('.campaign-head .state-done', { timeout: measuringMs });
  const second = idIn(page);
  await page.goto(`${service.url}/#/compare?a=${campaign}&b=${second}`);
  await page.waitForSelector('.change-plot svg');
  await says(page, '.answer', 'onLoad');

  // Gate: written, and asked of what was measured.
  await click(page, 'Gates', '.site-header');
  await says(page, 'h1', 'Gates');
  await press(page, 'main .primary');
  await fill(page, '[name=name]', 'budget');
  await says(page, '.assertions .line', 'onLoad p75 <= 2500 ms');
  await press(page, 'form .primary');
  await says(page, 'h1', 'budget');
  await press(page, '.check-campaign .campaign-picker summary');
  await fill(page, '.check-campaign .panel input', `#${campaign}`);
  await page.waitForSelector('.panel [aria-label="This number"] .option');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await press(page, '.check-campaign button');
  await page.waitForSelector('.answer .gate-result');
  await says(page, '.answer .state', /pass|fail|inconclusive/);

  // REST calls, by the same runner.
  const asked = await fetch(`${service.url}/api/v1/campaigns`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'calls', engine: 'transaction', protocols: ['h2', 'h3'], rounds: 1, limits: { foreignCpuShare: 1 } },
      ...{ sites: [{ url: `${service.callsUrl}/json` }], workload: { users: 5, requests: 50 } },
    }),
  });
  assert.equal(asked.status, 201, await asked.clone().text());
  await page.goto(`${service.url}/#/campaigns/${((await asked.json()) as Campaign).id}`);
  await page.waitForSelector('.campaign-head .state-done', { timeout: measuringMs });
  await click(page, 'Every load', '.parts');
  await saysAll(page, '.run-figures > .scroll td[data-column="successes"]', ['100 %', '100 %']);
  await page[Symbol.asyncDispose]();
  await context.close();
});

async function copiedLink(page: Page): Promise<string> {
  await page.bringToFront();
  await press(page, '.site-footer button');
  const handle = await page.waitForFunction(async () => {
    const copied = await navigator.clipboard.readText();
    return copied.startsWith('http') && copied;
  });
  return (await handle.jsonValue()) as string;
}
